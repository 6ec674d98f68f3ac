#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""promised.py: a header outside of detail/ is one that users may rely on, or says that it is not.

- One whose opening has the line "// Shared between modules: not promised to users." is included by another module, an
  app or a tool: for the templates of its own module alone it would be in detail/, for its sources in src/.
- Any other is for users: an app, a tool, an example, a test of the whole or another module includes it, or a document
  (README.md, docs/, a module's README) names it or something that it declares.
- A header that says that it is internal ("for the templates", "part of no public signature", "untyped") is in detail/.
"""
import re
import sys
from pathlib import Path

import headers

SHARED = "// Shared between modules: not promised to users."
INTERNAL = re.compile(r"for the templates|part of no public signature|^// Untyped", re.IGNORECASE | re.MULTILINE)

users = {}  # of a header by its path in include directives: the places that include it
for path in headers.our_files("*.hpp", "*.cpp"):
    place = "/".join(path.split("/")[:2])
    for name in re.findall(r"^#include <(kube/[^>]+)>", Path(path).read_text(), re.MULTILINE):
        users.setdefault(name, set()).add(place)
documents = "\n".join(Path(path).read_text() for path in headers.our_files("*README.md", "docs/*.md")
                      if not path.startswith(("docs/reference/", "docs/decisions/")))


def documented(name, text):
    """Whether a document names the header, or in `code` something that it declares."""
    if re.search(rf"(?<![\w/]){re.escape(Path(name).name)}|{re.escape(name)}", documents):
        return True
    declared = {declaration.name for declaration in headers.declarations(text) if declaration.name}
    return any(re.search(rf"`[^`\n]*\b{re.escape(each)}\b[^`\n]*`", documents) for each in declared)



failed = 0
for path in headers.public_headers():
    name = path.split("/include/")[1]
    text = Path(path).read_text()
    opening = text.split("#pragma once")[0]
    others = {place for place in users.get(name, ()) if place != "modules/" + headers.module_of(path)}
    if found := INTERNAL.search(opening):
        print(f"{path}: it says '{found.group(0)}': it belongs in detail/")
        failed = 1
    elif SHARED in opening.split("\n"):
        if not any(place.startswith(("modules/", "apps/", "tools/")) for place in others):
            print(f"{path}: shared between modules, and no other module includes it: it belongs in detail/ or src/")
            failed = 1
    elif not others and not documented(name, text):
        print(f"{path}: nobody outside of its module includes it, no document names it: it belongs in detail/ or src/")
        failed = 1
sys.exit(failed)
