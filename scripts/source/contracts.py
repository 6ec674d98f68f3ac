#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""contracts.py: what public headers have to say, and do not.

- Each class, and each struct with functions of its own (constructors and operators apart), has `@par Thread safety` in
  its comment. A struct of data alone is a value and needs none.
- Each function that returns a Result, and each virtual one that is called with one, has `@par Errors` in its group: the
  declarations around it without an empty line, with all their comments. Overriders have their base's contract, and
  specializations that of their template.
"""
import re
import sys
from pathlib import Path

import headers


def has_behaviour(declaration):
    if not re.search(r"\b(struct|union)\b", declaration.text):
        return True
    return any(member.kind == "function" and member.name.lstrip("~") != declaration.name
               and not member.name.startswith("operator") and not member.text.startswith("friend ")
               for member in declaration.members)


def returned(declaration):
    """The type that a function returns, as text."""
    before = declaration.text[:declaration.text.find(declaration.name)]
    trailing = re.search(r"\) ?(?:const|noexcept|&|\s)*-> ?(.*)$", declaration.text)
    return (trailing.group(1) if trailing else "") + " " + before


def is_fallible(declaration):
    if declaration.kind != "function" or declaration.name in ("Result", "KUBE_MISTAKE") or declaration.owner and declaration.owner.kind != "class":
        return False
    if re.search(r"= delete$|\boverride\b", declaration.text):
        return False
    if re.search(r"\bResult(<| $)", returned(declaration)):
        return True
    return declaration.text.startswith("virtual ") and "Result<" in declaration.text


def says(comment, title):
    return re.search(rf"@par {title}  +\S", comment) is not None


failed = 0
for path in headers.public_headers():
    for declaration in headers.all_members(headers.declarations(Path(path).read_text())):
        if declaration.kind == "class" and declaration.defined and has_behaviour(declaration):
            if not says(declaration.comment, "Thread safety"):
                print(f"{path}:{declaration.line}: {declaration.full_name()} lacks '@par Thread safety'")
                failed = 1
        if is_fallible(declaration) and not says(declaration.paragraph, "Errors"):
            print(f"{path}:{declaration.line}: {declaration.full_name()}() lacks '@par Errors'")
            failed = 1
sys.exit(failed)
