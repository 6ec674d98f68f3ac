#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sizes.py: sources of more than 400 lines and functions of more than 60 have a reason in scripts/source/large, and no
module has more than 20 % of all lines.

A line there is a path, or path:function, then a tab and the reason. Tests and benchmarks are lists of cases: no bound.
"""
import sys
from collections import Counter
from pathlib import Path

import headers

MAX_FILE = 400
MAX_FUNCTION = 60
MAX_SHARE = 0.2

reasons = headers.entries("large")
used = set()
failed = 0
by_module = Counter()


def look(key, place, lines, limit):
    global failed
    if lines <= limit:
        return
    used.add(key)
    if not reasons.get(key):
        print(f"{place}: {lines} lines, more than {limit}, without a reason in scripts/source/large")
        failed = 1


for path in headers.our_files("modules/*.hpp", "modules/*.cpp", "apps/*.hpp", "apps/*.cpp", "tools/*.hpp", "tools/*.cpp",
                              "examples/*.hpp", "examples/*.cpp"):
    if "/tests/" in path or "/benchmarks/" in path:
        continue
    text = Path(path).read_text()
    if not path.startswith("examples/"):
        by_module["/".join(path.split("/")[:2])] += text.count("\n")
    look(path, path, text.count("\n"), MAX_FILE)
    for name, first, lines in headers.functions(text):
        look(f"{path}:{name}", f"{path}:{first}: {name}()", lines, MAX_FUNCTION)
for key in reasons:
    if key not in used:
        print(f"scripts/source/large: {key} is not above the bound (any more)")
        failed = 1
for module, lines in by_module.items():
    # A tree of one or two modules has no largest one.
    if len(by_module) > 1 / MAX_SHARE and lines > MAX_SHARE * by_module.total():
        print(f"{module}: {lines} lines, more than {MAX_SHARE:.0%} of the {by_module.total()} of all modules")
        failed = 1
sys.exit(failed)
