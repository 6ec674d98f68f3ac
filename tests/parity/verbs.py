# SPDX-License-Identifier: Apache-2.0
"""The verbs on an object of each kind. Each case makes the object, does what it is about, and removes the object again."""

import json
import re

import bodies
import forms
import schema
from cases import (GONE, JSON_PATCH, MERGE_PATCH, PARTIAL, PARTIAL_LIST, PROTOBUF, STRATEGIC_PATCH, TABLE, WRITTEN_BESIDE, YAML,
                   Case, Request, unrecorded)

# Kinds whose objects change for a moment after a create.
UNSETTLED = (*WRITTEN_BESIDE, "apiextensions.k8s.io/v1/CustomResourceDefinition")
# What an object says when controllers inside kube-apiserver are through with it.
SETTLED = {"CustomResourceDefinition": '"type":"Established","status":"True"', "APIService": '"type":"Available"',
           "FlowSchema": '"type":"Dangling"'}
LABEL = "labelSelector=parity%3Dx"


class Verbs:
    """Requests on one object of a kind."""

    def __init__(self, resource, namespace):
        self.resource = resource
        self.body = bodies.minimal(resource, namespace)
        self.body["metadata"] = {**self.body["metadata"], "labels": {"parity": "x"}}
        self.name = self.body["metadata"]["name"]
        self.collection = resource.collection(namespace)
        self.path = f"{self.collection}/{self.name}"

    def case(self, *requests):
        """The requests on an object that is there, and is not after them."""
        return Case((*self.remove(), *self.make(), *requests, *self.remove()), self.resource)

    def make(self):
        yield unrecorded(Request("make", "POST", self.collection, body=self.body))
        if self.resource.kind in SETTLED:
            yield unrecorded(Request("wait", "GET", self.path), until=SETTLED[self.resource.kind])

    def remove(self):
        """Whatever finalizers it has."""
        drop = {"metadata": {"finalizers": None}}
        requests = [Request("remove", "DELETE", self.path, "gracePeriodSeconds=0"),
                    Request("remove", "PATCH", self.path, body=drop, content_type=MERGE_PATCH)]
        if self.resource.kind == "Namespace":
            bare = {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": self.name}, "spec": {}}
            requests.append(Request("remove", "PUT", self.path + "/finalize", body=bare))
        found = [unrecorded(request) for request in requests]
        return *found, unrecorded(Request("remove", "GET", self.path), until="NotFound")

    def get(self, name, accept="application/json", query=""):
        return Request(name, "GET", self.path, query, accept=accept)

    def put(self, name, *edits, query="", below="", against="sent"):
        return Request(name, "PUT", self.path + below, query, edits=edits, against=against)

    def patch(self, name, kind, body, query="", below=""):
        return Request(name, "PATCH", self.path + below, query, body, content_type=kind)

    # --- What is done ------------------------------------------------------------------------------------------------

    def read(self):
        settled = self.resource.key not in UNSETTLED
        yield self.case(
            Request("create again", "POST", self.collection, body=self.body),
            self.get("get"),
            *(() if not settled else (self.get("get yaml", YAML), self.get("get table", TABLE), self.get("get protobuf", PROTOBUF))),
            self.get("get partial", PARTIAL),
            self.get("get cbor", "application/cbor"),
            Request("get absent", "GET", self.collection + "/absent"))
        yield Case((*self.remove(), Request("create stored", "POST", self.collection, body=self.body, against="sent"),
                    *self.remove()), self.resource)

    def bodies(self):
        """Bodies of a create that are wrong as a whole, and what becomes of fields that the kind does not have."""
        text = json.dumps(self.body)
        unknown = text[:-1] + ', "unknownField": 1}'
        nested = json.dumps({**self.body, "metadata": {**self.body["metadata"], "unknownField": {"a": 1}}})
        double = text[:-1] + ', "kind": ' + json.dumps(self.resource.kind) + "}"
        for label, body in (("unknown", unknown), ("unknown in metadata", nested), ("double", double)):
            for mode in ("", "Strict", "Warn", "Ignore"):
                query = "dryRun=All" + (f"&fieldValidation={mode}" if mode else "")
                yield self.create(f"create {label} {mode or 'by default'}", body, query)
        yield self.create("create with a wrong fieldValidation", text, "dryRun=All&fieldValidation=Wrong")
        yield self.create("create with a wrong dryRun", text, "dryRun=Some")
        yield self.create("create of yaml", text, content_type=YAML)
        yield self.create("create of text", text, content_type="text/plain")
        for label, body in (("nothing", ""), ("half of it", text[:len(text) // 2]), ("a list", "[]"), ("null", "null"), ("a number", "1"),
                            ("two", text + text)):
            yield self.create(f"create of {label}", body)
        for label, change in (("another kind", {"kind": "Other"}), ("no kind", {"kind": ""}), ("another version", {"apiVersion": "example.com/v9"}),
                              ("no version", {"apiVersion": ""}), ("no metadata", {"metadata": None})):
            yield self.create(f"create of {label}", json.dumps({**self.body, **change}))

    def create(self, name, body, query="dryRun=All", content_type="application/json"):
        return Case((Request(name, "POST", self.collection, query, body, content_type=content_type, against="sent"),), self.resource)

    def update(self):
        label, other = (("metadata", "labels", "new"), "y"), (("metadata", "labels", "new"), "z")
        version = ("metadata", "resourceVersion")
        yield self.case(
            self.put("update of nothing"),
            self.put("update of a label", label),
            self.put("update of an old version", other, (version, "${first}")),
            self.put("update of a wrong version", other, (version, "x")),
            self.put("update without a version", other, (version, GONE)),
            self.put("update of another uid", other, (("metadata", "uid"), "u")),
            self.put("update of another name", (("metadata", "name"), "other")),
            self.put("update of another namespace", (("metadata", "namespace"), "other")),
            self.put("update dry", (("metadata", "labels", "new"), "dry"), query="dryRun=All"),
            self.put("update of an unknown field", (("unknownField",), 1), query="fieldValidation=Strict"),
            self.put("update of an unknown field by default", (("unknownField",), 1)),
            self.put("update of labels that are wrong", (("metadata", "labels"), {"a b": "c"})),
            self.put("update of the time of creation", (("metadata", "creationTimestamp"), "2024-01-02T03:04:05Z")),
            self.put("update of the generation", (("metadata", "generation"), 7)),
            self.put("update of finalizers", (("metadata", "finalizers"), ["example.com/f"])),
            Request("update of absent", "PUT", self.collection + "/absent", edits=((("metadata", "name"), "absent"), (version, GONE)),
                    against="sent"),
            self.get("get after updates"))
        yield self.case(self.get("get protobuf before", PROTOBUF) if self.resource.key not in UNSETTLED else self.get("get before"),
                        Request("update echo", "PUT", self.path, echo=True, content_type=PROTOBUF, accept="application/json"))

    def fields(self):
        """Each field that an object may have at the first two levels, changed; and what the minimal object has, taken out."""
        requests = []
        for steps, field in self.near(self.resource.type, ()):
            value = changed(bodies.at(self.body, steps), bodies.plausible(field))
            requests.append(self.put(f"update {bodies.place(steps)}={forms.short(value)}", (steps, value), query="dryRun=All"))
            if bodies.at(self.body, steps) is not None:
                requests.append(self.put(f"update {bodies.place(steps)} gone", (steps, GONE), query="dryRun=All"))
        yield self.case(*requests)

    def near(self, reference, outer):
        for field in schema.fields(reference):
            if outer or field.json not in bodies.SKIPPED:
                yield outer + (field.json,), field
                if not outer and field.struct and not field.repeated and not field.map:
                    yield from self.near(field.type, (field.json,))

    def patches(self):
        labels, notes = "/metadata/labels/new", "/metadata/annotations"
        for name, patch in {
            "add": [{"op": "add", "path": labels, "value": "y"}],
            "test": [{"op": "test", "path": "/metadata/name", "value": "other"}],
            "remove absent": [{"op": "remove", "path": labels}],
            "replace absent": [{"op": "replace", "path": labels, "value": "y"}],
            "replace absent member": [{"op": "replace", "path": "/metadata/generateName", "value": "g-"}],
            "add below absent": [{"op": "add", "path": notes + "/a", "value": "b"}],
            "copy": [{"op": "copy", "from": "/metadata/name", "path": labels}],
            "copy absent": [{"op": "copy", "from": notes, "path": labels}],
            "move": [{"op": "move", "from": "/metadata/labels/parity", "path": labels}],
            "unknown op": [{"op": "put", "path": labels, "value": "y"}],
            "no path": [{"op": "add", "value": "y"}],
            "no slash": [{"op": "add", "path": "metadata", "value": "y"}],
            "object": {"op": "add"},
            "name": [{"op": "replace", "path": "/metadata/name", "value": "other"}],
            "wrong type": [{"op": "replace", "path": "/metadata/labels", "value": "y"}],
            "unknown field": [{"op": "add", "path": "/unknownField", "value": 1}],
        }.items():
            yield self.patch(f"patch json {name}", JSON_PATCH, patch, "dryRun=All")
        for name, patch in {
            "add": {"metadata": {"annotations": {"a": "b"}}},
            "null": {"metadata": {"labels": None}},
            "empty": {},
            "name": {"metadata": {"name": "other"}},
            "uid": {"metadata": {"uid": "u"}},
            "old version": {"metadata": {"resourceVersion": "1"}},
            "wrong type": {"metadata": {"labels": "y"}},
            "unknown field": {"unknownField": 1},
            "kind": {"kind": "Other"},
            "list": [],
            "half": '{"metadata":',
        }.items():
            yield self.patch(f"patch merge {name}", MERGE_PATCH, patch, "dryRun=All")
            yield self.patch(f"patch strategic {name}", STRATEGIC_PATCH, patch, "dryRun=All")
        for name, patch in {
            "delete": {"metadata": {"labels": {"$patch": "delete"}}},
            "replace": {"metadata": {"labels": {"$patch": "replace", "a": "b"}}},
            "wrong directive": {"metadata": {"labels": {"$patch": "put"}}},
            "retain": {"metadata": {"$retainKeys": ["name", "labels"], "labels": {"a": "b"}}},
            "delete from list": {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/f"]}},
            "owner": {"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}]}},
            "owner without its key": {"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o"}]}},
        }.items():
            yield self.patch(f"patch strategic {name}", STRATEGIC_PATCH, patch, "dryRun=All")
        yield self.patch("patch of json", "application/json", {}, "dryRun=All")
        yield self.patch("patch strict", MERGE_PATCH, {"unknownField": 1}, "dryRun=All&fieldValidation=Strict")
        yield self.patch("patch apply", "application/apply-patch+yaml", self.body, "fieldManager=m&dryRun=All")
        yield Request("patch of absent", "PATCH", self.collection + "/absent", body={}, content_type=MERGE_PATCH)
        yield self.patch("patch of nothing", MERGE_PATCH, {})
        yield self.patch("patch of a label", MERGE_PATCH, {"metadata": {"labels": {"new": "y"}}})

    def status(self, seen):
        found = schema.field(self.resource.type, "status")
        walk = bodies.Walk(self.resource, "", seen, set(), few=True)
        walk.base = {"status": {}}
        walk.visit(found.type, ("status",), walk.base, ())
        requests = [self.put(f"status {name}", (("status",), body.get("status")), query="dryRun=All", below="/status")
                    for name, body in walk.found.items()]
        conditions = schema.field(found.type, "conditions")
        value = {"conditions": [{"type": "Ready", "status": "True"}]} if conditions else {}
        yield self.case(
            Request("status get", "GET", self.path + "/status"),
            self.put("status update", (("status",), value), (("metadata", "labels", "new"), "y"), below="/status"),
            self.put("status update elsewhere", (("status",), {}), (("metadata", "annotations"), {"a": "b"})),
            self.patch("status patch", MERGE_PATCH, {"status": value, "spec": None}, below="/status"),
            self.get("get after status"),
            *requests)

    def scale(self):
        replicas = ("spec", "replicas")
        yield self.case(
            Request("scale get", "GET", self.path + "/scale"),
            self.put("scale update", (replicas, 3), below="/scale"),
            self.put("scale update negative", (replicas, -1), below="/scale"),
            self.put("scale update of an old version", (replicas, 4), (("metadata", "resourceVersion"), "1"), below="/scale"),
            self.put("scale update dry", (replicas, 5), below="/scale", query="dryRun=All"),
            self.patch("scale patch", MERGE_PATCH, {"spec": {"replicas": 2}}, below="/scale"),
            self.patch("scale patch json", JSON_PATCH, [{"op": "replace", "path": "/spec/replicas", "value": 0}], below="/scale"),
            self.patch("scale patch wrong", MERGE_PATCH, {"spec": {"replicas": "x"}}, below="/scale"),
            Request("scale get table", "GET", self.path + "/scale", accept=TABLE),
            self.get("get after scale"))

    def lists(self):
        def listed(name, query="", accept="application/json"):
            return Request(name, "GET", self.collection, LABEL + ("&" + query if query else ""), accept=accept)

        selectors = []
        for selector in self.resource.selectors:
            selectors += [listed(f"list {selector}=x", f"fieldSelector={selector}%3Dx"),
                          listed(f"list {selector}!=x", f"fieldSelector={selector}!%3Dx")]
        settled = self.resource.key not in UNSETTLED
        yield self.case(
            listed("list"), listed("list partial", accept=PARTIAL_LIST),
            *((listed("list table", accept=TABLE), listed("list table without objects", "includeObject=None", TABLE),
               listed("list table with objects", "includeObject=Object", TABLE)) if settled else ()),
            listed("list of an unknown field", "fieldSelector=spec.none%3Dx"),
            listed("list of no field", "fieldSelector=x"),
            listed("list of limit 1", "limit=1"), listed("list of a negative limit", "limit=-1"), listed("list of limit x", "limit=x"),
            listed("list of a wrong version", "resourceVersion=x"),
            listed("list of version 0 exactly", "resourceVersion=0&resourceVersionMatch=Exact"),
            listed("list of a match alone", "resourceVersionMatch=Exact"),
            listed("list of a wrong continue", "continue=x"),
            Request("list of other labels", "GET", self.collection, "labelSelector=parity+in+(y,z)"),
            Request("list of a wrong selector", "GET", self.collection, "labelSelector=a%3D%3D%3Db"),
            *selectors)

    def watches(self):
        def watch(name, query, events, accept="application/json"):
            return Request(name, "GET", self.collection, "watch=true&timeoutSeconds=60&" + query, accept=accept, events=events)

        note = self.patch("change", MERGE_PATCH, {"metadata": {"annotations": {"a": "b"}}})
        unlabel = self.patch("change", MERGE_PATCH, {"metadata": {"labels": None}})
        field = "fieldSelector=metadata.name%3D" + self.name
        settled = self.resource.key not in UNSETTLED
        yield self.case(
            *(() if not settled else (
                unrecorded(note), unrecorded(unlabel),
                watch("watch", f"resourceVersion=${{first}}&{field}", 2),
                watch("watch by label", f"resourceVersion=${{first}}&{LABEL}", 2),
                watch("watch table", f"resourceVersion=${{first}}&{field}", 1, TABLE),
                watch("watch from any version", f"resourceVersion=0&{field}", 1))),
            watch("watch of a wrong version", "resourceVersion=x", 1),
            watch("watch of an unknown field", "fieldSelector=spec.none%3Dx", 1),
            watch("watch with initial events alone", "sendInitialEvents=true", 1))

    def deletes(self):
        def delete(name, query="", body=None):
            return Request(name, "DELETE", self.path, query, body)

        def after(*requests):
            # A namespace goes when a controller is through with it, which is at no certain moment.
            return () if self.resource.kind == "Namespace" else requests

        options = {"kind": "DeleteOptions", "apiVersion": "v1"}
        yield self.case(
            delete("delete of another uid", body={**options, "preconditions": {"uid": "u"}}),
            delete("delete of another version", body={**options, "preconditions": {"resourceVersion": "1"}}),
            delete("delete by a wrong policy", "propagationPolicy=Wrong"),
            delete("delete by two policies", "propagationPolicy=Orphan&orphanDependents=true"),
            delete("delete with an unknown option", body={**options, "unknownField": 1}),
            delete("delete by another kind", body={"kind": "Other", "apiVersion": "v1"}),
            delete("delete negative", "gracePeriodSeconds=-1&dryRun=All"),
            delete("delete dry", "dryRun=All"),
            self.get("get after delete dry"),
            delete("delete"),
            *after(delete("delete again")))
        for policy in ("Background", "Foreground", "Orphan"):
            yield self.case(delete(f"delete {policy}", f"propagationPolicy={policy}"), *after(self.get(f"get after delete {policy}")))
        final = self.patch("hold", MERGE_PATCH, {"metadata": {"finalizers": ["example.com/f"]}})
        yield self.case(unrecorded(final), delete("delete with a finalizer"), *after(
                        delete("delete with a finalizer again"),
                        self.put("update of finalizers while deleted", (("metadata", "finalizers"), ["example.com/f", "example.com/g"])),
                        self.put("update of a label while deleted", (("metadata", "labels", "new"), "y")),
                        self.patch("patch of the last finalizer", MERGE_PATCH, {"metadata": {"finalizers": None}}),
                        self.get("get after the last finalizer")))
        if "deletecollection" in self.resource.verbs:
            yield self.case(Request("delete collection dry", "DELETE", self.collection, LABEL + "&dryRun=All"),
                            Request("delete collection of a wrong selector", "DELETE", self.collection, "labelSelector=a%3D%3D%3Db"),
                            Request("delete collection", "DELETE", self.collection, LABEL))


def changed(present, value):
    """A value that differs from what is there."""
    if present != value:
        return value
    if isinstance(value, str):
        return value + "2"
    return not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else type(value)()


# What kinds have that are not the first of their group-version; what is the same for all kinds is not asked of each.
USUAL = re.compile(
    r"create (unknown|double) (Strict|Warn|by default)|create of (yaml|another kind|no version|null)"
    r"|patch (json (add|test|remove absent|replace absent member|copy absent|unknown field)"
    r"|(merge|strategic) (add|null|name|wrong type|unknown field)|strategic (delete|owner.*)|strict|apply|of.*)")


def cases(resource, namespace, first, seen):
    """The cases of the verbs that a kind has: all of them of the first kind of a group-version."""
    if not {"create", "get", "delete"} <= set(resource.verbs):
        return ()
    verbs = Verbs(resource, namespace)
    settled = resource.key not in UNSETTLED
    found = [*verbs.read(), *verbs.bodies(), *verbs.lists(), *verbs.watches()]
    if settled:
        found += [*verbs.update(), *verbs.deletes()]
    if settled or resource.kind == "CustomResourceDefinition":
        found += verbs.fields()
    found.append(verbs.case(*verbs.patches()) if settled else verbs.case(*(p for p in verbs.patches() if "dryRun" in p.query)))
    if "status" in resource.subresources and settled:
        found += verbs.status(seen)
    if "scale" in resource.subresources:
        found += verbs.scale()
    return [case if first else usual(case) for case in found]


def usual(case):
    kept = [request for request in case.requests
            if request.verb not in ("create", "patch") or not request.recorded or not request.query or USUAL.fullmatch(request.name)]
    return Case(tuple(kept), case.resource)
