# SPDX-License-Identifier: Apache-2.0
"""Objects to send: the minimal one of each kind, and that object with one thing changed, for each field of its type."""

import copy
import functools
import json
from pathlib import Path

import forms
import schema

HERE = Path(__file__).resolve().parent
SKIPPED = ("metadata", "status", "kind", "apiVersion")  # of a kind; metadata has cases of its own


@functools.cache
def facts(name):
    return json.loads((HERE / f"{name}.json").read_text())


def with_texts(value, namespace=""):
    """A value of the tables, with what stands there by name."""
    if isinstance(value, dict):
        return {key: with_texts(inner, namespace) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_texts(inner, namespace) for inner in value]
    if isinstance(value, str) and value.startswith("$"):
        return {"$namespace": namespace, **facts("minimal")["texts"]}[value]
    return value


def kinds():
    """The keys of all kinds, in the order in which their types are walked."""
    return list(facts("minimal")["kinds"])


def minimal(resource, namespace, name="x"):
    body = with_texts(facts("minimal")["kinds"][resource.key], namespace)
    metadata = {"name": name, **body.pop("metadata", {})}
    return {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata, **body}


def minimal_struct(reference, depth=0):
    """A value of a type: from the table, or its fields that are not optional."""
    table = facts("structs")["types"]
    if reference in table:
        return copy.deepcopy(table[reference])
    if schema.form(reference):
        return forms.OF_FORM[schema.form(reference)]
    return {
        field.json: plausible(field, depth + 1)
        for field in schema.fields(reference)
        if not field.optional and not field.pointer and depth < 4
    }


def plausible(field, depth=0):
    """A value that the field may have."""
    table = facts("structs")
    if field.name in table["fields"]:
        return with_texts(table["fields"][field.name])
    one = minimal_struct(field.type, depth) if field.struct else one_scalar(field)
    if field.repeated:
        return [one]
    return {"k": one} if field.map else one


def one_scalar(field):
    if field.enum:
        return field.enum[0]
    named = facts("structs")["names"].get(field.json)
    return named if forms.fits(field.type, named) else forms.PLAUSIBLE[field.type]


class Walk:
    """The cases of one kind. `seen` has the types that earlier kinds of the group-version had; each has its cases once."""

    def __init__(self, resource, namespace, seen, everywhere, few=False):
        self.base = minimal(resource, namespace)
        self.package = resource.type.rpartition(".")[0]
        self.seen = seen
        self.everywhere = everywhere
        self.few = few  # few forms of each field
        self.found = {}

    def cases(self, reference, skipped=SKIPPED):
        self.visit(reference, (), self.base, (), skipped)
        return self.found

    def add(self, steps, label, body):
        self.found.setdefault(place(steps) + label, body)

    def visit(self, reference, steps, body, owners, skipped=()):
        """The cases of the fields of the struct at steps in body, and of what is below it."""
        few = self.few or reference in self.everywhere and not reference.startswith(self.package)
        self.seen.add(reference)
        self.everywhere.add(reference)
        if schema.form(reference):
            return
        here = at(body, steps)
        # What is there already first: a Container is looked at in `containers`, not in `initContainers`.
        for field in sorted(schema.fields(reference), key=lambda field: field.json not in here):
            if field.json in skipped:
                continue
            where = steps + (field.json,)
            around = prepared(body, steps, owners + ((reference, steps),), field)
            for label, value in forms.of(field, plausible(field), few):
                self.add(where, "=" + label, replaced(around, where, value))
            if not field.optional and field.json in here:
                self.add(where, " missing", removed(body, where))
            if field.struct:
                self.below(field, where, around, owners + ((reference, steps),))
        for union, members in facts("structs")["unions"].items():
            self.union(union, members, reference, steps, body)

    def below(self, field, where, around, owners):
        # What may not be there at all has no cases below it.
        if field.type in self.seen or (field.name in facts("structs")["leaves"] and where[0] != "metadata"):
            return
        element = minimal_struct(field.type)
        present = at(around, where)
        if field.repeated:
            inside, whole = where + (0,), [element]
        elif field.map:
            inside, whole = where + ("k",), {"k": element}
        else:
            inside, whole = where, element
        if present and (field.map is False or "k" in present):
            whole = present  # what is there is valid
        self.visit(field.type, inside, replaced(around, where, whole), owners)

    def union(self, union, members, reference, steps, body):
        """No member of a union, and two of them."""
        mine = [field for field in schema.fields(reference) if field.owner == union and field.json in members]
        if len(mine) < 2:
            return
        none = functools.reduce(lambda left, field: removed(left, steps + (field.json,)), mine, body)
        self.add(steps, " without a member", none)
        two = functools.reduce(lambda left, field: replaced(left, steps + (field.json,), plausible(field)), mine[:2], none)
        self.add(steps, " with two members", two)


def prepared(body, steps, owners, field):
    """The body without other members of the field's union, and with what the field needs beside it."""
    table = facts("structs")
    members = table["unions"].get(field.owner, ())
    if field.json in members:
        for other in members:
            if other != field.json:
                body = removed(body, steps + (other,))
    needed = table["with"].get(field.name)
    for reference, where in reversed(owners) if needed else ():
        if reference == needed[0] or any(inner.owner == needed[0] for inner in schema.fields(reference)):
            for name, value in needed[1].items():
                body = replaced(body, where + (name,), value)
            break
    return body


def rich(resource, namespace):
    """The minimal object with each type of the table `rich` where the kind has it first: a template, say."""
    for reference, value in facts("minimal")["rich"].items():
        steps = first_place(resource.type, reference)
        if steps:
            body = minimal(resource, namespace)
            yield f"{place(steps)}=rich", replaced(body, steps, {**at(body, steps), **value})


def metadata(resource, namespace):
    """The cases of ObjectMeta, which all kinds have, for one of them; names and labels that break rules among them."""
    walk = Walk(resource, namespace, set(), set())
    walk.visit("meta.v1.ObjectMeta", ("metadata",), walk.base, (), ("managedFields",))
    for steps, values in facts("minimal")["metadata"].items():
        for value in values:
            steps_there = ("metadata", *steps.split("."))
            walk.add(steps_there, "=" + forms.short(value), replaced(walk.base, steps_there, value))
    return walk.found


def first_place(reference, wanted, depth=0):
    for field in schema.fields(reference) if depth < 6 else ():
        if field.json in SKIPPED or not field.struct or field.repeated or field.map:
            continue
        if field.type == wanted:
            return (field.json,)
        below = first_place(field.type, wanted, depth + 1)
        if below:
            return (field.json, *below)
    return ()


# --- Values by steps: names of members, indexes of lists ------------------------------------------------------------


def place(steps):
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def at(body, steps):
    for step in steps:
        if isinstance(body, list):
            body = body[step] if step < len(body) else None
        else:
            body = body.get(step) if isinstance(body, dict) else None
    return body


def replaced(body, steps, value):
    """The body with value at steps; what is on the way is made."""
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, int):
        items = list(body) if isinstance(body, list) else []
        items += [{}] * (step + 1 - len(items))
        items[step] = replaced(items[step], rest, value)
        return items
    members = dict(body) if isinstance(body, dict) else {}
    members[step] = replaced(members.get(step), rest, value)
    return members


def removed(body, steps):
    step, rest = steps[0], steps[1:]
    if isinstance(body, list):
        return [removed(item, rest) if index == step else item for index, item in enumerate(body)]
    if not isinstance(body, dict) or step not in body:
        return body
    members = dict(body)
    if rest:
        members[step] = removed(members[step], rest)
    else:
        del members[step]
    return members
