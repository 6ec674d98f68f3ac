#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""units.py: public names that hide a unit or should have one.

- A time is a std::chrono type: no name of a number ends in _seconds, _ms and so on.
- A number of bytes is called so: `..._bytes`, kMax...Bytes. A number is one of bytes when its comment says "bytes" or
  MiB, or its default is shifted by 10, 20 or 30.
"""
import re
import sys
from pathlib import Path

import headers

NUMBER = r"(?:std::)?(?:u?int(?:8|16|32|64)?_t|size_t|int|unsigned|long|double|float)"
TIME = re.compile(r"(?:^|_)(?:seconds?|secs?|ms|millis|milliseconds|us|micros|ns|nanos|minutes|hours)_?$")
BYTES = re.compile(r"(?:^|_|[a-z])[Bb]ytes(?:_\w+)?_?$")
IS_BYTES = re.compile(r"\b[Bb]ytes\b|\b[MK]iB\b")


def numbers(text):
    """(name, default) of the numbers that a declaration names."""
    for match in re.finditer(rf"(?<![\w:<]){NUMBER} ([A-Za-z_]\w*)(?![\w(])((?: ?=| ?\{{)[^,;]*)?", text):
        yield match.group(1), match.group(2) or ""


def parameter_comment(comment, name):
    found = re.search(rf"@param {name}\b(.*?)(?=@|$)", comment.replace("\n", " "))
    return found.group(1) if found else ""


failed = 0
for path in headers.public_headers():
    text = Path(path).read_text()
    for declaration in headers.all_members(headers.declarations(text)):
        if declaration.kind not in ("function", "variable"):
            continue
        for name, default in numbers(declaration.text):
            source = " ".join(text.split("\n")[declaration.line - 1:declaration.last])
            if TIME.search(name):
                print(f"{path}:{declaration.line}: {name} is a number; a time is a std::chrono type")
                failed = 1
            said = parameter_comment(declaration.comment, name) if declaration.kind == "function" else declaration.comment
            shifted = re.search(rf"\b{name}\b[^,;]*<< ?[123]0U?\b", source)
            first = re.match(r"[/<\s]*(?:At most |Of )?(\S+\s+\S+\s+\S+)", said)
            counts = IS_BYTES.search(first.group(1)) if first else None
            if (shifted or counts) and not BYTES.search(name):
                print(f"{path}:{declaration.line}: {name} counts bytes; its name says so: ..._bytes")
                failed = 1
sys.exit(failed)
