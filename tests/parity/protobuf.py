# SPDX-License-Identifier: Apache-2.0
"""Objects in application/vnd.kubernetes.protobuf, read by the numbers of the schema into what their JSON is."""

import base64
import hashlib
import json
import struct as binary
import time

import schema

MAGIC = b"k8s\0"
WIRE = ("varint", "fixed64", "bytes", None, None, "fixed32")


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        shift += 7
        if byte < 128:
            return value, at


def split(data):
    """The fields of a message: (number, value), where the value is a number or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = WIRE[tag & 7]
        if wire == "varint":
            value, at = varint(data, at)
        else:
            size = {"fixed64": 8, "fixed32": 4}.get(wire)
            if wire == "bytes":
                size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def decode(body):
    """The object of an envelope, and the hash of its shape."""
    if not body.startswith(MAGIC):
        raise ValueError("it does not begin with the four bytes")
    envelope = dict(split(body[len(MAGIC):]))
    names = {number: text.decode() for number, text in split(envelope[1])}
    api_version, kind = names[1], names[2]
    shape = []
    value = struct(type_of(api_version, kind), envelope.get(2, b""), shape)
    return {"kind": kind, "apiVersion": api_version, **value}, hashlib.sha256(repr(shape).encode()).hexdigest()[:8]


def type_of(api_version, kind):
    for resource in schema.resources():
        if (resource.api_version, resource.kind) == (api_version, kind):
            return resource.type
    return f"meta.v1.{kind}"


def struct(reference, data, shape):
    """The JSON of a message. Its shape is the numbers of its fields, in their order, with the shapes of inner messages."""
    inner = {}
    by_number = {field.inlined + (field.number,): field for field in schema.fields(reference) if field.number}
    read(reference, by_number, (), data, shape, inner)
    return formed(reference, inner)


def read(reference, by_number, outer, data, shape, found):
    for number, value in split(data):
        field = by_number.get(outer + (number,))
        if field is None and any(key[:len(outer) + 1] == outer + (number,) for key in by_number):
            below = []
            shape.append((number, below))
            read(reference, by_number, outer + (number,), value, below, found)
            continue
        if field is None:
            raise ValueError(f"{reference} has no field {number}")
        managed = field.json == "managedFields"
        below = []
        item = entry(field, value, below) if field.map else one(field.type, value, below)
        if not managed:
            shape.append((number, below))
        if field.map:
            found.setdefault(field.json, {}).update(item)
        elif field.repeated:
            found.setdefault(field.json, []).append(item)
        elif field.pointer or field.zero != "omit" or item not in ("", 0, False, None):
            found[field.json] = item


def entry(field, data, shape):
    parts = dict(split(data))
    return {parts[1].decode(): one(field.type, parts[2], shape)}


def formed(reference, found):
    """Types whose JSON is not the object of their fields."""
    form = schema.form(reference)
    if form == "list":
        return next(iter(found.values()), [])
    if form == "raw":
        return json.loads(base64.b64decode(next(iter(found.values()), "")) or "null")
    if form == "schemaOrBool":
        return found.get("schema", found.get("allows", False))
    if form == "schemaOrArray":
        return found.get("jSONSchemas") or found.get("schema")
    if form == "schemaOrStringArray":
        return found.get("property") or found.get("schema")
    for field in schema.fields(reference):
        if field.zero == "null" and field.json not in found:
            found[field.json] = None
    return found


def one(name, value, shape):
    if name == "string":
        return value.decode()
    if name == "bool":
        return bool(value)
    if name in ("int32", "int64"):
        return signed(value)
    if name == "double":
        return binary.unpack("<d", value)[0]
    if name == "bytes":
        return base64.b64encode(value).decode()
    if name in SPECIAL:
        return SPECIAL[name](dict(split(value)))
    return struct(name, value, shape)


def moment(parts, fraction=""):
    if not parts:
        return None
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(signed(parts.get(1, 0)))) + fraction + "Z"


SPECIAL = {
    "Time": moment,
    "MicroTime": lambda parts: moment(parts, f".{parts.get(2, 0) // 1000:06d}" if parts else ""),
    "Quantity": lambda parts: parts.get(1, b"").decode(),
    "IntOrString": lambda parts: parts.get(3, b"").decode() if parts.get(1) else signed(parts.get(2, 0)),
    "RawExtension": lambda parts: json.loads(parts.get(1, b"null")),
    "FieldsV1": lambda parts: json.loads(parts.get(1, b"null")),
    "Duration": lambda parts: f"{signed(parts.get(1, 0))}ns",
}
