# SPDX-License-Identifier: Apache-2.0
"""The types, kinds and resources of modules/api/schema, as the generator and the comparison look at them."""

import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "modules/api/schema"


@dataclass(frozen=True)
class Field:
    """A field of a type. Those of an inlined type stand in the type that inlines it, and keep their owner."""

    json: str
    type: str
    owner: str
    number: int
    repeated: bool
    map: bool
    pointer: bool
    optional: bool
    zero: str  # what JSON shows when it is unset: omit, null or value
    enum: tuple
    inlined: tuple  # numbers of the messages around it, in protobuf

    @property
    def name(self):
        return f"{self.owner}.{self.json}"

    @property
    def struct(self):
        return "." in self.type


@dataclass(frozen=True)
class Resource:
    """A resource that has requests of its own here."""

    group: str
    version: str
    kind: str
    plural: str
    type: str
    namespaced: bool
    verbs: tuple
    subresources: dict
    selectors: tuple

    @property
    def api_version(self):
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def key(self):
        """What recordings and tables call it."""
        return f"{self.api_version}/{self.kind}"

    @property
    def root(self):
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    def collection(self, namespace):
        inside = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{self.root}{inside}/{self.plural}"


@functools.cache
def package(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


@functools.cache
def type_facts(reference):
    name, _, short = reference.rpartition(".")
    return next(facts for facts in package(name)["types"] if facts["name"] == short)


@functools.cache
def fields(reference):
    """The fields that the JSON object of a type has."""
    found = []
    for facts in type_facts(reference).get("fields", ()):
        if facts.get("inline"):
            number = facts.get("number")
            for field in fields(facts["type"]) if facts["json"] == "" and facts["type"] != "meta.v1.TypeMeta" else ():
                outer = (number,) if number else ()
                found.append(Field(**{**field.__dict__, "inlined": outer + field.inlined}))
        elif facts.get("json") or (form(reference) and facts.get("number")):
            # Types with a form of their own have no names in JSON.
            found.append(
                Field(facts.get("json") or facts["name"], facts["type"], reference, facts.get("number", 0), bool(facts.get("repeated")),
                      bool(facts.get("map")), bool(facts.get("pointer")), bool(facts.get("optional")),
                      facts.get("zeroJson", "omit"), tuple(facts.get("enum", ())), ()))
    return tuple(found)


def field(reference, name):
    return next((found for found in fields(reference) if found.json == name), None)


def form(reference):
    return type_facts(reference).get("jsonForm")


@functools.cache
def resources():
    """The built-in resources that kube-apiserver serves unless it is told otherwise: those of stable versions."""
    found = []
    for facts in json.loads((FOLDER / "resources.json").read_text())["resources"]:
        if not facts.get("served") or not re.fullmatch(r"v\d+", facts["version"]):
            continue
        found.append(
            Resource(facts.get("group", ""), facts["version"], facts["kind"], facts["plural"], facts["type"],
                     bool(facts.get("namespaced")), tuple(facts["verbs"]),
                     {sub["name"]: sub for sub in facts.get("subresources", ())}, tuple(facts.get("fieldSelectors", ()))))
    return tuple(found)


@functools.cache
def resource(key):
    return next((found for found in resources() if found.key == key), None)


def walk(reference, steps):
    """The field at the end of steps (names, and indexes or keys of lists and maps) below a type, or None."""
    found, inside = None, False
    for step in steps:
        if inside:  # an element of a list, a value of a map
            inside = False
            continue
        if not reference or "." not in reference:
            return None
        found = field(reference, str(step))
        if found is None:
            return None
        inside = found.repeated or found.map
        reference = found.type
    return found
