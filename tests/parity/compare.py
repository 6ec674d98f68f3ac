# SPDX-License-Identifier: Apache-2.0
"""Why two answers differ, in words that are the same for all requests that differ for one cause."""

import hashlib
import re

import schema

MOST = 120  # characters of a cause
WORDS = ("|", "row", "shape")  # lines that are a cause by their first word alone
QUOTED = r'("(?:[^"\\]|\\.)*"|\{.*\}|\[.*\]|[^:"]*?)'
VALUE = re.compile(rf"\b(Invalid value|Unsupported value|Duplicate value|Not found|Too long|Too many): {QUOTED}(: |$)")
STEP = re.compile(r"[^.\[\]]+")


def causes(resource, recorded, ours):
    """The causes, sorted; none when the answers are equal."""
    return sorted(set(found(resource, recorded, ours)))


def shortened(cause):
    """A long cause by its beginning and its hash."""
    return cause if len(cause) <= MOST else f"{cause[:MOST]}... {hashlib.sha256(cause.encode()).hexdigest()[:4]}"


def found(resource, recorded, ours):
    if recorded == ours:
        return []
    real, own = recorded[1:], ours[1:]
    if recorded[0] == ours[0]:
        missing = [line for line in real if line not in own]
        extra = [line for line in own if line not in real]
        return by_line(resource, missing, extra) or ["the order of lines"]
    if failed(recorded) and failed(ours):
        return [f"code: real {recorded[0]} {summary(resource, real)[0]}, ours {ours[0]} {summary(resource, own)[0]}"]
    if failed(recorded):
        return [f"accepted: real {recorded[0]} {text}" for text in summary(resource, real)]
    if failed(ours):
        return [f"refused: ours {ours[0]} {text}" for text in summary(resource, own)]
    return [f"code: real {recorded[0]}, ours {ours[0]}"]


def failed(lines):
    return int(lines[0]) >= 400


def summary(resource, lines):
    """What an error says, in short: its causes, or its message."""
    said = [line for line in lines if line.startswith("cause ")]
    said = said or [line for line in lines if line.startswith("message ")] or lines[:1] or [""]
    return [general(resource, line) for line in said]


def by_line(resource, missing, extra):
    """Causes of answers with the same code."""
    real, own = dict(map(parts, missing)), dict(map(parts, extra))
    causes_found = set()
    for pointer in real.keys() & own.keys():
        if pointer.startswith("/"):
            causes_found.add(f"value: {place(resource, pointer)}: real {short(real.pop(pointer))}, ours {short(own.pop(pointer))}")
    absent = {said(resource, pointer, value): pointer for pointer, value in real.items()}
    added = {said(resource, pointer, value): pointer for pointer, value in own.items()}
    for word, texts, others in (("absent", absent, added), ("added", added, absent)):
        # What is the same in general differs in detail.
        causes_found |= {f"{word}: {line if text in others and text not in WORDS else text}" for text, line in texts.items()}
    return causes_found


def parts(line):
    if not line.startswith("/"):
        return line, None
    pointer, colon, value = line.partition(": ")
    return (pointer, value) if colon else (pointer.removesuffix(" gone"), "gone")


def said(resource, pointer, value):
    if value is not None:
        return f"{place(resource, pointer)}: {short(value)}"
    word = pointer.split(" ", 1)[0]
    return word if word in WORDS else general(resource, pointer)


def short(value):
    return value if len(value) <= 40 else value[:37] + "..."


def general(resource, line):
    """A line without the values that a request chose."""
    head, _, rest = line.partition(" ")
    if head == "cause":
        reason, _, rest = rest.partition(" ")
        field, _, text = rest.partition(": ")
        text = VALUE.sub(r"\1: …\3", text)
        return f"{field_place(resource, field)}: {text or reason}"
    if head != "message":
        return line
    for pattern, text in GENERAL:
        rest = pattern.sub(text, rest)
    return rest


GENERAL = [
    (re.compile(r"^\w+ in version \"\w+\" cannot be handled as a \w+: "), "in a version …: "),
    (re.compile(r"in a version …: [^ ]+: expected"), "in a version …: …: expected"),
    (re.compile(r"Go struct field \S+ of type"), "Go struct field … of type"),
    (re.compile(r"Go value of type"), "Go value … of type"),
    (re.compile(r"\b[\w.]+ \"x\" is invalid: "), "… is invalid: "),
    (re.compile(r"illegal base64 data at input byte \d+"), "illegal base64 data"),
    (re.compile(r"number \S+ into"), "number … into"),
    (VALUE, r"\1: …\3"),
]


def field_place(resource, text):
    return place(resource, "/" + "/".join(STEP.findall(text)), text)


def place(resource, pointer, otherwise=None):
    """The type and the field of a pointer into an object of the kind."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    if steps[:1] == ["items"]:
        steps = steps[2:]
    elif steps[:1] == ["object"]:
        steps = steps[1:]
    found = schema.walk(resource.type, steps) if resource and steps else None
    if found is None:
        return otherwise or "/" + "/".join("*" if step.isdigit() else step for step in steps)
    if found.map and len(steps) > 1 and steps[-1] != found.json:
        return f"{found.name}[{steps[-1]}]"
    return found.name
