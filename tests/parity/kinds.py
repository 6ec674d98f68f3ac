# SPDX-License-Identifier: Apache-2.0
"""The cases of the built-in kinds."""

import collections
import json

import bodies
import changes as drawn
import rules
import schema
import verbs
from cases import Case, Request, Suite


MOST = 2000  # requests of a file that need not be parted


def namespace_of(resource):
    return f"parity-{resource.plural}" + (f"-{resource.version}" if resource.version != "v1" else "")


def create_cases(resource, namespace, seen, everywhere):
    """Dry runs, which leave nothing behind: the answer is what would be stored."""
    walk = bodies.Walk(resource, namespace, seen, everywhere)
    found = {"minimal": walk.base, **dict(bodies.rich(resource, namespace)), **walk.cases(resource.type)}
    if resource.key == "v1/ConfigMap":
        found.update(bodies.metadata(resource, namespace))
    sent = set()
    for name, body in found.items():
        text = json.dumps(body)
        if text in sent:
            continue
        sent.add(text)
        request = Request(f"create {name}", "POST", resource.collection(namespace), "dryRun=All", body, against="sent")
        yield Case((request,), resource)


def suites():
    """One a kind, in the order of the table of minimal objects."""
    seen, seen_in_status = collections.defaultdict(set), collections.defaultdict(set)
    everywhere, begun = set(), set()
    for key in bodies.kinds():
        resource = schema.resource(key)
        namespace = namespace_of(resource)
        suite = Suite(key)
        if {"create", "delete"} <= set(resource.verbs):
            suite.sweep = list(verbs.Verbs(resource, namespace).remove())
        if "create" in resource.verbs:
            suite.cases += create_cases(resource, namespace, seen[resource.api_version], everywhere)
        first = resource.api_version not in begun
        found = verbs.cases(resource, namespace, first, seen_in_status[resource.api_version])
        if found:
            begun.add(resource.api_version)
        suite.cases += [case for case in found if case.requests]
        suite.cases += rules.cases(resource, namespace)
        suite.cases += drawn.cases(resource, namespace)
        yield from parts(suite)


def changes(seed, times):
    """Changes alone, of another seed than that of the recordings."""
    for key in bodies.kinds():
        resource = schema.resource(key)
        namespace = namespace_of(resource)
        suite = Suite(key, list(drawn.cases(resource, namespace, seed, times)))
        if suite.cases:
            suite.sweep = list(verbs.Verbs(resource, namespace).remove())
            suite.check()
            yield suite


def parts(suite):
    """The suite, or three of a kind that would have too long a file: dry runs of volumes and of rules have one of their own."""
    apart = {"create spec.volumes": [], "create rule:": [], "": []}
    for case in suite.cases:
        apart[next(begin for begin in apart if case.requests[0].name.startswith(begin))].append(case)
    volumes, of_rules, rest = apart.values()
    found = [suite]
    if len(suite.recorded()) > MOST and volumes:
        found = [Suite(suite.key, rest, suite.sweep), Suite(suite.key + " volumes", [*suite.cases[:1], *volumes]),
                 Suite(suite.key + " rules", of_rules)]
    for part in found:
        part.check()
        yield part
