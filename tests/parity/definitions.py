# SPDX-License-Identifier: Apache-2.0
"""The cases of custom resources: definitions that are right and wrong, and resources of schemas with one construct each."""

import dataclasses
import re

import bodies
import forms
import schema
import verbs
from cases import JSON_PATCH, MERGE_PATCH, TABLE, YAML, Case, Request, Suite, unrecorded

GROUP = "parity.example.com"
DEFINITION = schema.resource("apiextensions.k8s.io/v1/CustomResourceDefinition")


def facts():
    return bodies.facts("definitions")


def definition(plural, spec_schema=None, **version):
    """A definition of a resource with a field spec.a of a schema."""
    body = bodies.minimal(DEFINITION, "", f"{plural}.{GROUP}")
    body["metadata"] = {"name": f"{plural}.{GROUP}"}
    names = {"plural": plural, "singular": plural, "kind": plural.capitalize(), "listKind": plural.capitalize() + "List"}
    inside = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": spec_schema or {"type": "string"}}}}}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": inside}, **version}]
    return {**body, "spec": {**body["spec"], "names": names, "versions": versions}}


def with_schema(body, value):
    return bodies.replaced(body, ("spec", "versions", 0, "schema", "openAPIV3Schema"), value)


def definitions():
    """Dry runs of creates."""
    path = DEFINITION.collection("")

    def create(name, body):
        return Case((Request(f"create {name}", "POST", path, "dryRun=All", body, against="sent"),), DEFINITION)

    suite = Suite("parity.example.com/definitions")
    base = definition("tries")
    suite.cases.append(create("minimal", base))
    for name, value in facts()["schemas"].items():
        suite.cases.append(create(f"schema {name}", with_schema(base, value)))
    for name, value in facts()["fields"].items():
        suite.cases.append(create(f"field {name}", definition("tries", value)))
    for name, (steps, value) in facts()["definition"].items():
        suite.cases.append(create(f"definition {name}", bodies.replaced(base, steps, value)))
    for name, path_text in facts()["columns"].items():
        suite.cases.append(create(f"column {name}", definition("tries", additionalPrinterColumns=[column(name, path_text)])))
    for kind in facts()["column types"]:
        suite.cases.append(create(f"column of type {kind or 'none'}",
                                  definition("tries", additionalPrinterColumns=[column("C", ".spec.a", kind)])))
    for kind in facts()["column formats"]:
        made = {**column("C", ".spec.a"), "format": kind, "description": "d", "priority": 1}
        suite.cases.append(create(f"column of format {kind}", definition("tries", additionalPrinterColumns=[made])))
    two = [{**base["spec"]["versions"][0], "name": name} for name in ("v1", "v2")]
    suite.cases.append(create("two storage versions", bodies.replaced(base, ("spec", "versions"), two)))
    suite.cases.append(create("two equal versions", bodies.replaced(base, ("spec", "versions"), [two[0], {**two[0], "storage": False}])))
    suite.check()
    return suite


def column(name, path, kind="string"):
    return {"name": name, "type": kind, "jsonPath": path}


class Custom:
    """Requests on resources of one definition, which is made for them."""

    def __init__(self, plural, body, namespace="default"):
        self.plural, self.body = plural, body
        self.kind = body["spec"]["names"]["kind"]
        self.path = f"/apis/{GROUP}/v1/namespaces/{namespace}/{plural}"
        self.definition = f"{DEFINITION.collection('')}/{plural}.{GROUP}"

    def object(self, **members):
        return {"apiVersion": f"{GROUP}/v1", "kind": self.kind, "metadata": {"name": "x"}, **members}

    def case(self, *requests):
        return Case((
            *self.remove(),
            unrecorded(Request("make", "POST", DEFINITION.collection(""), body=self.body)),
            unrecorded(Request("wait", "GET", self.definition), until=verbs.SETTLED["CustomResourceDefinition"]),
            unrecorded(Request("wait", "GET", self.path), until=f'"kind":"{self.kind}List"'),
            *requests, *self.remove()))

    def remove(self):
        """The definition goes when its resources are gone, whatever finalizers they have."""
        drop = {"metadata": {"finalizers": None}}
        return (unrecorded(Request("remove", "PATCH", self.path + "/x", body=drop, content_type=MERGE_PATCH)),
                unrecorded(Request("remove", "DELETE", self.definition)),
                unrecorded(Request("remove", "GET", self.definition), until="NotFound"))

    def create(self, name, body, query="dryRun=All", **more):
        return Request(f"create {name}", "POST", self.path, query, body, against="sent", **more)


def constructs():
    """Each construct of a schema with each value that is worth a try."""
    suite = Suite("parity.example.com/constructs")
    for number, (name, value) in enumerate(facts()["fields"].items()):
        custom = Custom(f"construct{number}", definition(f"construct{number}", value))
        requests = [custom.create(f"{name}={forms.short(tried)}", custom.object(spec={"a": tried}))
                    for tried in facts()["values"] if worth(value, tried)]
        requests.append(custom.create(f"{name} absent", custom.object(spec={})))
        requests.append(custom.create(f"{name} without spec", custom.object()))
        suite.cases.append(custom.case(*requests))
    number_duplicates(suite)
    suite.check()
    return suite


def worth(value, tried):
    """Values of the schema's type and a few of others."""
    kinds = {"string": str, "integer": (int, float), "number": (int, float), "boolean": bool, "array": list, "object": dict}
    kind = kinds.get(value.get("type"))
    return kind is None or isinstance(tried, kind) or tried in (None, "a", 1, [], {})


def number_duplicates(suite):
    """Values with the same label, such as long ones, are numbered."""
    seen = {}
    for index, case in enumerate(suite.cases):
        requests = []
        for request in case.requests:
            if request.recorded:
                seen[request.name] = seen.get(request.name, 0) + 1
                if seen[request.name] > 1:
                    request = dataclasses.replace(request, name=f"{request.name} {seen[request.name]}")
            requests.append(request)
        suite.cases[index] = Case(tuple(requests), case.resource)


COLUMNS_SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}
COLUMNS_OBJECT = {
    "spec": {"a": "text", "i": 7, "n": 1.5, "b": True, "z": None, "m": {"k": "v"}, "l": ["p", "q"], "date": "2024-01-02T03:04:05Z",
             "o": [{"k": "a", "v": 1, "n": 1}, {"k": "b", "v": "w", "n": 2}]},
    "status": {"conditions": [{"type": "Ready", "status": "True"}]},
}


def columns():
    """Tables of a resource with one column each."""
    suite = Suite("parity.example.com/columns")
    tried = [(f"column {name}", column(name, path)) for name, path in facts()["columns"].items()]
    tried += [(f"column {path} as {kind}", column("C", path, kind)) for kind in facts()["column types"][1:5]
              for path in (".spec.a", ".spec.i", ".spec.n", ".spec.b", ".spec.m", ".spec.l", ".spec.date", ".spec.none")]
    for number, (name, made) in enumerate(tried):
        plural = f"column{number}"
        custom = Custom(plural, with_schema(definition(plural, additionalPrinterColumns=[made]), COLUMNS_SCHEMA))
        if not right(made["jsonPath"]):
            continue
        body = custom.object(**COLUMNS_OBJECT)
        body["metadata"]["annotations"] = {"x.y": "note"}
        suite.cases.append(custom.case(unrecorded(Request("make", "POST", custom.path, body=body)),
                                       Request(f"get {name}", "GET", custom.path + "/x", accept=TABLE)))
    suite.check()
    return suite


def right(path):
    """Paths that a definition may have; the others are tried without a resource."""
    return re.match(r"^\.", path) and not re.search(r"\[0$", path)


def resources():
    """The verbs on custom resources."""
    suite = Suite("parity.example.com/resources")
    replicas = {"type": "object", "properties": {"replicas": {"type": "integer", "default": 1}, "a": {"type": "string"}}}
    inside = {"type": "object", "properties": {"spec": replicas, "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}}}}
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    whole = Custom("wholes", with_schema(definition("wholes", subresources={"status": {}, "scale": scale}), inside))
    body = whole.object(spec={"a": "b", "none": 1}, status={"replicas": 9}, none={"a": 1})
    path, replicas_path = whole.path + "/x", ("spec", "replicas")
    suite.cases.append(whole.case(
        whole.create("stored", body, ""), whole.create("again", body, ""),
        *(whole.create(f"unknown {mode}", body, f"dryRun=All&fieldValidation={mode}") for mode in ("Strict", "Warn", "Ignore")),
        whole.create("without a kind", {**body, "kind": ""}), whole.create("of another kind", {**body, "kind": "Other"}),
        whole.create("of another version", {**body, "apiVersion": f"{GROUP}/v2"}),
        whole.create("with a wrong name", {**body, "metadata": {"name": "A"}}),
        whole.create("with a generated name", {**body, "metadata": {"generateName": "g-"}}),
        Request("get", "GET", path), Request("get yaml", "GET", path, accept=YAML), Request("get table", "GET", path, accept=TABLE),
        Request("get protobuf", "GET", path, accept="application/vnd.kubernetes.protobuf"),
        Request("list", "GET", whole.path), Request("list by name", "GET", whole.path, "fieldSelector=metadata.name%3Dx"),
        Request("list by an unknown field", "GET", whole.path, "fieldSelector=spec.a%3Db"),
        Request("update of spec", "PUT", path, edits=((("spec", "a"), "c"),), against="sent"),
        Request("update of metadata", "PUT", path, edits=((("metadata", "labels"), {"a": "b"}),), against="sent"),
        Request("update of status elsewhere", "PUT", path, edits=((("status",), {"replicas": 3}),), against="sent"),
        Request("update of an old version", "PUT", path, edits=((("metadata", "resourceVersion"), "${first}"),), against="sent"),
        Request("update without a version", "PUT", path, edits=((("metadata", "resourceVersion"), ""),), against="sent"),
        Request("status update", "PUT", path + "/status", edits=((("status",), {"replicas": 2, "none": 1}), (("spec", "a"), "d")), against="sent"),
        Request("status patch", "PATCH", path + "/status", body={"status": {"replicas": 4}, "spec": {"a": "e"}}, content_type=MERGE_PATCH),
        Request("patch merge", "PATCH", path, body={"spec": {"a": None, "none": 1}}, content_type=MERGE_PATCH),
        Request("patch merge wrong", "PATCH", path, body={"spec": {"a": 1}}, content_type=MERGE_PATCH),
        Request("patch json", "PATCH", path, body=[{"op": "add", "path": "/spec/a", "value": "f"}], content_type=JSON_PATCH),
        Request("patch strategic", "PATCH", path, body={"spec": {"a": "g"}}, content_type="application/strategic-merge-patch+json"),
        Request("get before scale", "GET", path),
        Request("scale get", "GET", path + "/scale"),
        Request("scale update", "PUT", path + "/scale", edits=((replicas_path, 3),), against="sent"),
        Request("scale patch", "PATCH", path + "/scale", body={"spec": {"replicas": 5}}, content_type=MERGE_PATCH),
        Request("scale update negative", "PUT", path + "/scale", edits=((replicas_path, -1),), against="sent"),
        Request("get after scale", "GET", path),
        Request("watch", "GET", whole.path, "watch=true&timeoutSeconds=60&resourceVersion=${first}", events=2),
        Request("delete dry", "DELETE", path, "dryRun=All"), Request("delete foreground", "DELETE", path, "propagationPolicy=Foreground"),
        Request("get after delete", "GET", path), Request("get absent", "GET", whole.path + "/absent")))
    suite.check()
    return suite


def suites():
    return [definitions(), constructs(), columns(), resources()]
