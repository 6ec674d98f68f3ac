#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""comments.py: comments that a formatter has torn, and code in them that no test compiles.

- Up to three words alone in a line in the middle of a sentence: what is left of a line that was too long.
- An empty line at the beginning or end of a comment; a list's next item, "[C2] ...", in the middle of a line.
- In public headers, code that tests/docs/snippets.sh does not see: it begins behind an empty line of the comment,
  indented by three or more, and is neither Markdown's ``` nor Doxygen's @code.
"""
import re
import sys
from pathlib import Path

import headers

LINE = re.compile(r"^ *(///?<?)(?:( +)(\S.*)?)?$")
ENDS = re.compile(r"[.:;!?{}()\]>\"*/=|-]$")
WIDTH = 100


def parts(line):
    """(slashes, depth, text) of a line that is a comment alone; None for others."""
    match = LINE.match(line)
    return (match.group(1), len(match.group(2) or ""), match.group(3) or "") if match else None


def faults(lines, is_header):
    for i, line in enumerate(lines):
        here = parts(line)
        if not here:
            continue
        slashes, depth, text = here
        before = parts(lines[i - 1]) if i > 0 else None
        after = parts(lines[i + 1]) if i + 1 < len(lines) else None
        if not text and slashes == "///" and (not before or not after):
            yield i, "an empty line at the edge of a comment"
        if re.search(r"\S +\[[A-Z]\d\] [A-Z]", text):
            yield i, "two items of a list in one line"
        if after and text and after[0] == slashes.rstrip("<") and after[2]:
            goes_on = re.match(r"[a-z(`]", after[2]) and not ENDS.search(text) and not re.search(r"\S  ", text)
            fits = len(line) + 1 + len(after[2].split()[0]) <= WIDTH
            if goes_on and fits and len(text.split()) <= 3 and re.match(r"[\w`(]", text):
                yield i, "the rest of a line that was too long"
        if is_header:
            if re.match(r"```|[@\\]code\b", text):
                yield i, "code is indented by three or more behind an empty line"
            is_code = depth >= 3 and re.search(r"(\);|= .*;|\) \{|^\})(  //.*)?$", text)
            if is_code and before and before[2] and before[1] < 3:
                yield i, "code behind a line that is not empty, which no test compiles"


failed = 0
for path in headers.our_files("*.hpp", "*.cpp"):
    public = re.match(r"modules/\w+/include/", path) is not None
    lines = Path(path).read_text().split("\n")
    for i, why in faults(lines, public):
        print(f"{path}:{i + 1}: {why}: {lines[i].strip()}")
        failed = 1
sys.exit(failed)
