# SPDX-License-Identifier: Apache-2.0
"""The cases of what one kind alone has (bindings, evictions, approvals, tokens), and of what takes several steps:
generations, strategic patches of templates, namespaces that end."""

import bodies
import schema
from cases import GONE, MERGE_PATCH, STRATEGIC_PATCH, Case, Request, Suite, unrecorded
from verbs import Verbs

NAMESPACE = "parity-sequences"


def verbs(key):
    return Verbs(schema.resource(key), NAMESPACE)


def make_namespace():
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    return unrecorded(Request("make", "POST", "/api/v1/namespaces", body=body))


def with_namespace(case):
    return Case((make_namespace(), *case.requests), case.resource)


def pods():
    pod = verbs("v1/Pod")
    path, container = pod.path, ("spec", "containers", 0)
    target = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "x"}, "target": {"kind": "Node", "name": "n"}}
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "x"}}
    yield pod.case(
        pod.put("update of image", (container + ("image",), "j"), query="dryRun=All"),
        pod.put("update of command", (container + ("command",), ["a"]), query="dryRun=All"),
        pod.put("update of a container more", (("spec", "containers", 1), {"name": "d", "image": "i"}), query="dryRun=All"),
        pod.put("update of tolerations", (("spec", "tolerations"), [{"key": "k", "operator": "Exists"}]), query="dryRun=All"),
        pod.put("update of resize", (container + ("resources",), {"requests": {"cpu": "1"}}), query="dryRun=All", below="/resize"),
        pod.put("update of ephemeral containers", (("spec", "ephemeralContainers"), [{"name": "e", "image": "i"}]),
                query="dryRun=All", below="/ephemeralcontainers"),
        Request("create binding to another name", "POST", path + "/binding", body={**target, "metadata": {"name": "y"}}),
        Request("create binding without a target", "POST", path + "/binding", body={**target, "target": {}}),
        Request("create binding", "POST", path + "/binding", body=target),
        Request("create binding again", "POST", path + "/binding", body=target),
        pod.get("get bound"),
        Request("delete bound", "DELETE", path), pod.get("get deleted"),
        Request("delete bound again", "DELETE", path, "gracePeriodSeconds=5"),
        Request("delete bound at last", "DELETE", path, "gracePeriodSeconds=0"), pod.get("get gone"))
    yield pod.case(
        Request("create eviction of another name", "POST", path + "/eviction", body={**eviction, "metadata": {"name": "y"}}),
        Request("create eviction dry", "POST", path + "/eviction", "dryRun=All", eviction),
        Request("create eviction", "POST", path + "/eviction", body=eviction),
        Request("create eviction again", "POST", path + "/eviction", body=eviction))
    yield pod.case(pod.put("status phase", (("status", "phase"), "Running"), below="/status"),
                   pod.put("status back", (("status", "phase"), "Pending"), (("status", "podIP"), "1.2.3.4"), below="/status"))


def deployments():
    """Strategic patches of a template, and what counts as a generation."""
    made = verbs("apps/v1/Deployment")
    container = {"name": "c", "image": "j"}

    def template(**members):
        return {"spec": {"template": {"spec": members}}}

    yield made.case(*(
        made.patch(f"patch {name}", STRATEGIC_PATCH, patch, "dryRun=All") for name, patch in {
            "container by name": template(containers=[container]),
            "container more": template(containers=[{"name": "d", "image": "i"}]),
            "container without its name": template(containers=[{"image": "i"}]),
            "container deleted": template(containers=[{"name": "c", "$patch": "delete"}]),
            "containers replaced": template(containers=[{"$patch": "replace"}, {"name": "d", "image": "i"}]),
            "container order": template(**{"$setElementOrder/containers": [{"name": "d"}, {"name": "c"}], "containers": [{"name": "d", "image": "i"}]}),
            "port": template(containers=[{"name": "c", "ports": [{"containerPort": 80}]}]),
            "environment": template(containers=[{"name": "c", "env": [{"name": "A", "value": "a"}]}]),
            "volume": template(volumes=[{"name": "v", "emptyDir": {}}]),
            "volume of another kind": template(volumes=[{"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "/"}}]),
            "strategy": {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}},
            "strategy without retaining": {"spec": {"strategy": {"type": "Recreate"}}},
            "tolerations": template(tolerations=[{"key": "k", "operator": "Exists"}]),
            "selector": {"spec": {"selector": {"matchLabels": {"c": "d"}}}},
        }.items()))
    yield made.case(
        made.patch("patch labels", MERGE_PATCH, {"metadata": {"labels": {"c": "d"}}}),
        made.patch("patch replicas", MERGE_PATCH, {"spec": {"replicas": 2}}),
        made.patch("patch replicas again", MERGE_PATCH, {"spec": {"replicas": 2}}),
        made.patch("patch replicas gone", MERGE_PATCH, {"spec": {"replicas": None}}),
        made.put("status update", (("status",), {"observedGeneration": 2}), below="/status"),
        made.patch("patch template", MERGE_PATCH, template(terminationGracePeriodSeconds=5)),
        made.get("get after patches"))


def services():
    service = verbs("v1/Service")
    spec = "spec"
    yield service.case(
        service.get("get service"),
        service.put("update to NodePort", ((spec, "type"), "NodePort")),
        service.put("update to LoadBalancer", ((spec, "type"), "LoadBalancer")),
        service.put("update to ClusterIP", ((spec, "type"), "ClusterIP")),
        service.put("update of clusterIP", ((spec, "clusterIP"), "10.0.0.88"), ((spec, "clusterIPs"), GONE)),
        service.put("update to ExternalName", ((spec, "type"), "ExternalName"), ((spec, "externalName"), "e.example.com"),
                    ((spec, "clusterIP"), GONE), ((spec, "clusterIPs"), GONE)),
        service.get("get service of ExternalName"))
    for name, members in {
        "headless": {"clusterIP": "None", "selector": {"a": "b"}}, "headless without a selector": {"clusterIP": "None"},
        "NodePort": {"type": "NodePort"}, "LoadBalancer": {"type": "LoadBalancer"},
        "ExternalName": {"type": "ExternalName", "externalName": "e.example.com", "ports": []},
        "two ports without names": {"ports": [{"port": 80}, {"port": 81}]}, "dual": {"ipFamilyPolicy": "PreferDualStack"},
        "dual required": {"ipFamilyPolicy": "RequireDualStack"}, "affinity": {"sessionAffinity": "ClientIP"},
        "local": {"type": "LoadBalancer", "externalTrafficPolicy": "Local"},
        "two protocols": {"ports": [{"name": "a", "port": 53}, {"name": "b", "port": 53, "protocol": "UDP"}]},
    }.items():
        body = {**service.body, "spec": {**service.body["spec"], **members}}
        yield Case((*service.remove(), Request(f"create service {name}", "POST", service.collection, body=body, against="sent"),
                    service.get(f"get table of service {name}", "application/json;as=Table;v=v1;g=meta.k8s.io"), *service.remove()),
                   service.resource)


def requests_for_certificates():
    made = verbs("certificates.k8s.io/v1/CertificateSigningRequest")
    condition = {"type": "Approved", "status": "True", "reason": "r", "message": "m"}
    denied = {"type": "Denied", "status": "True", "reason": "r"}
    where = ("status", "conditions")
    yield made.case(
        Request("get approval", "GET", made.path + "/approval"),
        made.put("update of approval unknown", (where, [{"type": "Approved", "status": "Unknown"}]), below="/approval"),
        made.put("update of approval", (where, [condition]), below="/approval"),
        made.put("update of approval away", (where, []), below="/approval"),
        made.put("update of denial too", (where, [condition, denied]), below="/approval"),
        made.put("status certificate", (("status", "certificate"), bodies.facts("minimal")["texts"]["$certificate"]), below="/status"),
        made.put("status certificate wrong", (("status", "certificate"), "YWJj"), below="/status"),
        made.get("get request approved"))


def tokens():
    account = verbs("v1/ServiceAccount")
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"}
    for name, spec in {"": {}, " of a time": {"expirationSeconds": 3600}, " too short": {"expirationSeconds": 5},
                       " of audiences": {"audiences": ["a"]}, " of an absent pod": {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "p"}},
                       " of an unknown kind": {"boundObjectRef": {"apiVersion": "v1", "kind": "Other", "name": "p"}}}.items():
        yield account.case(Request(f"create token{name}", "POST", account.path + "/token", body={**request, "spec": spec}, against="sent"))


def namespaces():
    """One that ends while something is in it."""
    name = "parity-ends"
    path, inside = f"/api/v1/namespaces/{name}", f"/api/v1/namespaces/{name}/configmaps"
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    held = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "finalizers": ["example.com/f"]}}
    other = {**held, "metadata": {"name": "y"}}
    drop = {"metadata": {"finalizers": None}}
    bare = {**body, "spec": {}}
    yield Case((
        Request("create namespace", "POST", "/api/v1/namespaces", body=body, against="sent"),
        Request("create namespace again", "POST", "/api/v1/namespaces", body=body),
        Request("create held", "POST", inside, body=held, against="sent"),
        Request("create in an absent namespace", "POST", "/api/v1/namespaces/absent/configmaps", body=other),
        Request("delete namespace", "DELETE", path),
        Request("create in a namespace that ends", "POST", inside, body=other),
        Request("update in a namespace that ends", "PATCH", inside + "/x", body={"data": {"a": "b"}}, content_type=MERGE_PATCH),
        unrecorded(Request("drop", "PATCH", inside + "/x", body=drop, content_type=MERGE_PATCH)),
        unrecorded(Request("drop", "DELETE", inside + "/x")),
        unrecorded(Request("drop", "PUT", path + "/finalize", body=bare)),
        unrecorded(Request("drop", "GET", path), until="NotFound")))
    for other_name in ("default", "kube-system", "kube-public"):
        yield Case((Request(f"delete namespace {other_name}", "DELETE", f"/api/v1/namespaces/{other_name}", "dryRun=All"),))


def paths():
    """Paths that lead nowhere, and methods that are not there."""
    for method, path in (
        ("GET", "/none"), ("GET", "/api"), ("GET", "/api/v2"), ("GET", "/apis/none.example.com"), ("GET", "/apis/apps/v2"), ("GET", "/apis/apps"),
        ("GET", "/apis/apps/v1/nones"), ("GET", "/api/v1/nones"), ("GET", "/api/v1/namespaces/default/nones/x"), ("PUT", "/api/v1/namespaces"),
        ("PATCH", "/api/v1/namespaces"), ("POST", "/api/v1/namespaces/default"), ("POST", "/api/v1/pods"), ("DELETE", "/api/v1/pods"),
        ("GET", "/api/v1/namespaces/default/pods/x/none"), ("GET", "/api/v1/namespaces/default/configmaps/x/status"), ("OPTIONS", "/api/v1/pods"),
        ("GET", "/api/v1/namespaces/default/pods/"), ("GET", "/api/v1/namespaces/absent/pods"), ("GET", "/api/v1/namespaces/absent"),
        ("GET", "/healthz"), ("GET", "/livez"), ("GET", "/readyz"), ("GET", "/api/v1/namespaces/default/pods/a%2Fb"),
        ("GET", "/apis/apps/v1/namespaces/default/deployments/x/scale"), ("GET", "/api/v1/watch/namespaces/absent/none"),
    ):
        yield Case((Request(f"{'get' if method == 'GET' else 'other'} {method} {path}", method, path),))


def suites():
    found = Suite("sequences")
    for part in (pods, deployments, services, requests_for_certificates, tokens, namespaces):
        found.cases += map(with_namespace, part())
    found.cases += paths()
    found.check()
    return [found]
