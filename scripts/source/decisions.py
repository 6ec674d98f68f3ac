#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""decisions.py: decisions on the text of an error, which is for people and may change.

What message() and what() return, and to_string() of an error, is not searched, not compared, not cut, and not passed to a
function that does so or whose name is a question (is_..., has_...), as it is or in other calls; neither is a variable that
begins as one of them. The same holds for the texts of libcurl: its error buffer, and parameters `text` and `line` where
its texts are read. A fact decides: a code, a reason, a cause, a detail, a return value. Where there is none, a comment
"// by text: WHY" above the statement, or above its function, is the exception. Tests check texts.
"""
import re
import sys
from pathlib import Path

import headers

ERROR = r"\w*(?:error|fail|thrown|cause|problem)\w*"
DECLARED = re.compile(r"\bError\s*[&*]?\s*(?:const\s+)?(\w+)\s*[,)=;{(]")
SEARCH = re.compile(r"\s*\.\s*(?:starts_with|ends_with|contains|compare|r?find\w*)\(|\s*[!=]=")
CUT = re.compile(r"\s*\.\s*(?:substr|remove_prefix|remove_suffix|erase)\(")
COMPARED = re.compile(r"[!=]=\s*(?:\w+(?:\(\))?(?:\.|->|::))*$")
QUESTION = re.compile(r"(?:contains|strn?cmp|strn?casecmp|strstr|regex_match|regex_search|(?:is|has|are|was|can|may)_\w+"
                      r"|\w*(?:starts|ends)_with\w*|matches\w*)$")
CURL_TEXTS = re.compile(r"modules/transport/src/curl_(?:error|repeat)\.cpp$")
EXCEPTION = re.compile(r"^ *// by text: \w", re.MULTILINE)


def without_comments(text):
    return "".join("" if kind == "comment" else token for kind, token, _ in headers.tokens(text))


def says(code, path):
    """What is the text of an error, as a pattern."""
    named = "|".join(sorted({name for name in DECLARED.findall(code)} - {"const"}) or ["error"])
    texts = [r"\b(?:message|what)\(\)", rf"\b(?:{ERROR}|{named})(?:\(\))?(?:\.|->)to_string\(\)", r"\berror_text_\b",
             r"\bcurl_easy_strerror\([^()]*\)"]
    if CURL_TEXTS.search(path):
        texts.append(r"(?<![\w.>])(?:text|line)\b(?=[.,)]|\s*[!=]=)")
    return "|".join(f"(?:{text})" for text in texts)


def matching(code, at):
    """The place after the parenthesis that ends what begins at `at`."""
    depth = 0
    for i in range(at, len(code)):
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            depth -= 1
            if depth < 0:
                return i + 1
        elif code[i] == ";" and depth == 0:
            return i
    return len(code)


def decides(code, begin, end):
    """Whether what is at begin..end is searched, compared, cut or asked about, by itself or inside of calls."""
    object_begin = re.search(r"(?:[\w:]+(?:\([^()]*\))?(?:\.|->))*$|$", code[max(0, begin - 200):begin]).group()
    outer = begin - len(object_begin)
    if CUT.match(code, end):
        return True
    while True:
        if SEARCH.match(code, end) or COMPARED.search(code, max(0, outer - 60), outer):
            return True
        depth, i = 0, outer - 1
        while i >= 0 and not (depth == 0 and code[i] in "(;{}"):
            depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(code[i], 0)
            i -= 1
        if i < 0 or code[i] != "(":
            return False
        function = re.search(r"[\w:.>-]*$", code[max(0, i - 100):i]).group()
        name = re.split(r"::|\.|->", function)[-1]
        if QUESTION.match(name):
            return True
        if name in ("if", "while", "for", "switch", "return", "Error", "catch", ""):
            return False
        outer, end = i - len(function), matching(code, end)


def decisions(code, path):
    """The places in the code."""
    text = says(code, path)
    for match in re.finditer(text, code):
        if decides(code, match.start(), match.end()):
            yield match.start()
    variable = re.compile(rf"\b(?:auto|string|string_view|char)\s*[&*]*\s*\b(\w+)\s*[={{(][^;]*?(?:{text})")
    for declared in variable.finditer(code):
        end = code.find("\n}", declared.end())  # of its function
        for match in re.compile(rf"(?<![\w.>])\b{declared.group(1)}\b").finditer(code, declared.end(), max(end, 0) or len(code)):
            if decides(code, match.start(), match.end()):
                yield match.start()


def is_excepted(text, code, at):
    """Whether a comment above the statement or its function says why. Comments are no part of the code: lines count."""
    lines = text.split("\n")
    statement = max(code.rfind(c, 0, at) for c in ";{}")  # the end of the statement before
    first, line = code.count("\n", 0, max(statement, 0)), code.count("\n", 0, at)
    if EXCEPTION.search("\n".join(lines[first:line])):
        return True
    while line > 0 and not re.match(r"\w", lines[line]):  # up to the function, which is not indented
        line -= 1
    comment = line
    while comment > 0 and lines[comment - 1].startswith("//"):
        comment -= 1
    return bool(EXCEPTION.search("\n".join(lines[comment:line])))


failed = 0
for path in headers.our_files("*.cpp", "*.hpp"):
    if "tests/" in path:
        continue
    text = Path(path).read_text()
    code = without_comments(text)
    for at in sorted(set(decisions(code, path))):
        if is_excepted(text, code, at):
            continue
        line = code.count("\n", 0, at)
        print(f"{path}:{line + 1}: decides on the text of an error: {text.splitlines()[line].strip()}")
        failed = 1
sys.exit(failed)
