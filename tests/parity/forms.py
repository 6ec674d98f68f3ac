# SPDX-License-Identifier: Apache-2.0
"""The forms in which the value of a field is sent: plausible, empty, null, odd, and of a wrong type."""

import json

PLAUSIBLE = {
    "string": "a", "bool": True, "int32": 1, "int64": 1, "double": 1.5, "bytes": "YWJj", "any": {"a": "b"}, "RawExtension": {"a": "b"},
    "Time": "2024-01-02T03:04:05Z", "MicroTime": "2024-01-02T03:04:05.678901Z", "Duration": "1m", "Quantity": "1", "IntOrString": 1,
    "FieldsV1": {},
}

# What is sent for each field of a type, beside a plausible value.
ODD = {
    "string": ["", 1],
    "bool": [False, "true"],
    "int32": [0, -1, 2147483648, "1"],
    "int64": [0, -1, 9223372036854775807, "1"],
    "double": [0, -1, "1"],
    "bytes": ["", "YW\nJj\n", "%"],
    "Time": ["2024-01-02T03:04:05.678+02:00", "", "yesterday"],
    "MicroTime": ["2024-01-02T03:04:05+02:00", "", "yesterday"],
    "Duration": ["90s", "0", "x"],
    "Quantity": ["0.5", "1000m", "1Ki", "1e3", 5, "0", "-1", "x", ""],
    "IntOrString": [0, -1, "http", "25%", "80", "", 1.5],
    "RawExtension": [{}, "x"],
    "any": [{}, "x"],
    "FieldsV1": [],
}

# The values of types that have a form of their own in JSON.
OF_FORM = {
    "list": ["a"], "raw": {"a": "b"}, "schemaOrArray": {"type": "string"}, "schemaOrStringArray": ["a"], "schemaOrBool": True,
}

TYPES = {"string": str, "int32": int, "int64": int, "IntOrString": (int, str)}


def fits(name, value):
    return value is not None and isinstance(value, TYPES.get(name, ())) and not isinstance(value, bool)


def of(field, plausible, few):
    """Pairs of a label and a value; few of them, say for the type of another package that has had its cases there."""
    values = [plausible, *enum_values(field), *empty_values(field)]
    if not few:
        values += odd_values(field, plausible)
    return {short(value): value for value in values}.items()


def enum_values(field):
    if not field.enum:
        return []
    values = [*field.enum, "Wrong"]
    if field.map:
        return []
    return [[value] for value in values] if field.repeated else values


def empty_values(field):
    if field.repeated:
        return [[]]
    return [{}] if field.map or field.struct else []


def odd_values(field, plausible):
    one = plausible[0] if field.repeated and plausible else plausible
    if field.repeated:
        odd = [{}] if field.struct else ODD[field.type]
        return [None, "x", [one, one], [None], *([value] for value in odd)]
    if field.map:
        odd = [{}] if field.struct else ODD[field.type]
        key, value = next(iter(plausible.items()))
        return [None, "x", {"a b": value}, {key: None}, *({key: value} for value in odd)]
    if field.struct:
        return [None, "x"]
    return [*ODD[field.type], *([None] if field.pointer or field.zero != "omit" else [])]


def short(value):
    """The value as text, when it is short."""
    text = json.dumps(value, separators=(",", ":"))
    if len(text) <= 32:
        return text
    return "[2 of them]" if isinstance(value, list) and len(value) > 1 else "present"
