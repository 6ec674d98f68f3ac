#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""decisions.py: decisions on the text of an error, which is for people and may change.

What message() and what() return, and to_string() of an error, is not searched and not compared, and neither is a variable
that begins as one of them. A fact decides: a code, a reason, a cause, a detail, a return value. Where there is none, a
comment "// by text: WHY" above the statement is the exception. Tests check texts.
"""
import re
import sys
from pathlib import Path

import headers

ERROR = r"\w*(?:error|fail|thrown|cause|problem)\w*"
SAYS = rf"(?:\b(?:message|what)\(\)|\b{ERROR}(?:\(\))?(?:\.|->)to_string\(\))"
SEARCH = r"\s*\.\s*(?:starts_with|ends_with|contains|compare|r?find\w*)\("
VARIABLE = re.compile(rf"\b(?:auto|string|string_view|char)\s*[&*]*\s*\b(\w+)\s*[={{(][^;]*?{SAYS}")
EXCEPTION = re.compile(r"^ *// by text: \w", re.MULTILINE)


def asked(text):
    """Finds a decision on what the expression `text` matches."""
    return re.compile(rf"{text}(?:{SEARCH}|\s*[!=]=)|[!=]=\s*(?:\w+(?:\(\))?(?:\.|->))*{text}"
                      rf"|\b(?:contains|strn?cmp|strn?casecmp|strstr|regex_match|regex_search)\((?:[^;()]|\(\))*{text}")


def without_comments(text):
    return "".join("" if kind == "comment" else token for kind, token, _ in headers.tokens(text))


def decisions(code):
    """The places in the code."""
    for match in asked(SAYS).finditer(code):
        yield match.start()
    for variable in VARIABLE.finditer(code):
        end = code.find("\n}", variable.end())  # of its function
        for match in asked(rf"\b{variable.group(1)}\b").finditer(code, variable.end(), end if end >= 0 else len(code)):
            yield match.start()


failed = 0
for path in headers.our_files("*.cpp", "*.hpp"):
    if "tests/" in path:
        continue
    text = Path(path).read_text()
    lines = text.split("\n")
    code = without_comments(text)
    for at in sorted(set(decisions(code))):
        begin = max(code.rfind(c, 0, at) for c in ";{}")  # the end of the statement before
        first, line = code.count("\n", 0, max(begin, 0)), code.count("\n", 0, at)
        if EXCEPTION.search("\n".join(lines[first:line])):
            continue
        print(f"{path}:{line + 1}: decides on the text of an error: {lines[line].strip()}")
        failed = 1
sys.exit(failed)
