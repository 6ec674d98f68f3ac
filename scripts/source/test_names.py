#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_names.py: each public header foo.hpp of a module has tests/foo_test.cpp beside it.

A header without tests of its own is in scripts/source/headers_without_tests, with the reason: it declares or holds values,
or another header's test is about it.
"""
import sys
from pathlib import Path

import headers

exceptions = headers.entries("headers_without_tests")
failed = 0


def complain(text):
    global failed
    print(text)
    failed = 1


known = headers.public_headers()
for path in known:
    short = path.split("/include/")[1]
    test = f"modules/{headers.module_of(path)}/tests/{Path(path).stem}_test.cpp"
    if Path(test).exists():
        if short in exceptions:
            complain(f"scripts/source/headers_without_tests: {short} has {test}")
    elif short not in exceptions:
        complain(f"{path}: there is no {test}")
shorts = {path.split("/include/")[1] for path in known}
for short, reason in exceptions.items():
    if short not in shorts:
        complain(f"scripts/source/headers_without_tests: there is no public header {short}")
    elif not reason:
        complain(f"scripts/source/headers_without_tests: {short} has no reason")
sys.exit(failed)
