# SPDX-License-Identifier: Apache-2.0
"""Changes drawn from a seed: objects with two things changed at once, and objects that change again and again.

The other cases change one thing of the minimal object, each type's once in a group-version. Here any field of any kind may be
drawn, and what an update may not change depends on what is stored by then.
"""

import random

import bodies
import schema
from cases import GONE, MERGE_PATCH, STRATEGIC_PATCH, Case, Request
from verbs import UNSETTLED, Verbs

SEED = "0"  # of what is recorded
PAIRS = 12  # creates of two changes, of each kind
OBJECTS = 5  # of each kind, which change
STEPS = 6  # changes of an object
WAYS = ("update", "update", "merge", "strategic")


class Changes:
    """What is drawn for one kind."""

    def __init__(self, resource, namespace, seed):
        self.resource = resource
        self.verbs = Verbs(resource, namespace)
        self.random = random.Random(f"{seed} {resource.key}")
        self.base = self.verbs.body
        # Odd values are half of what is drawn, so that what is stored changes often.
        self.forms = [self.walked(resource.type, bodies.SKIPPED, few=few) for few in (True, False)]
        # Expressions in CEL are not compiled here, and what is stored for one would differ from there on.
        self.lasting = [[pair for pair in pairs if "xpression=" not in pair[0]] for pairs in self.forms]
        status = "status" in resource.subresources and schema.field(resource.type, "status")
        self.statuses = self.walked(status.type, (), ("status",)) if status else []

    def draw(self, forms=None):
        return self.random.choice(self.random.choice(forms or self.forms))

    def walked(self, reference, skipped, steps=(), few=False):
        """Pairs of a label and a body, for each field that a value of the type may have."""
        walk = bodies.Walk(self.resource, "", set(), set(), few)
        walk.base = bodies.replaced(self.base, steps, {}) if steps else self.base
        walk.visit(reference, steps, walk.base, (), skipped)
        return list(walk.found.items())

    def pairs(self, count):
        for number in range(count):
            (one, body), (other, second) = self.draw(), self.draw()
            for steps, value in difference(self.base, second):
                body = put(body, steps, value)
            yield Case((Request(f"create {number + 1}: {one}, {other}", "POST", self.verbs.collection, "dryRun=All", body, against="sent"),),
                       self.resource)

    def objects(self, count):
        """Each is made as the minimal object or with one change, and then changed in turn by one request or another."""
        for number in range(count):
            label, body = self.draw(self.lasting) if number % 2 else ("minimal", self.base)
            create = Request(f"create object {number + 1}: {label}", "POST", self.verbs.collection, body=body, against="sent")
            steps = [self.step(f"{number + 1}.{step + 1}") for step in range(STEPS)]
            yield Case((*self.verbs.remove(), create, *steps, *self.verbs.remove()), self.resource)

    def step(self, number):
        if self.statuses and self.random.random() < 0.2:
            label, body = self.random.choice(self.statuses)
            return self.verbs.put(f"status {number}: {label}", *difference(self.base, body), below="/status")
        label, body = self.draw(self.lasting)
        way = self.random.choice(WAYS)
        if way == "update":
            return self.verbs.put(f"update {number}: {label}", *difference(self.base, body))
        kind = MERGE_PATCH if way == "merge" else STRATEGIC_PATCH
        return self.verbs.patch(f"patch {way} {number}: {label}", kind, merge_patch(self.base, body))


def cases(resource, namespace, seed=SEED, times=1):
    if not {"create", "get", "delete"} <= set(resource.verbs):
        return
    changes = Changes(resource, namespace, seed)
    yield from changes.pairs(PAIRS * times)
    if {"update", "patch"} <= set(resource.verbs) and resource.key not in UNSETTLED:
        yield from changes.objects(OBJECTS * times)


def difference(before, after, steps=()):
    """The edits that make one value of the other."""
    if before == after:
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        found = [(steps + (name,), GONE) for name in before if name not in after]
        for name, value in after.items():
            found += difference(before[name], value, steps + (name,)) if name in before else [(steps + (name,), value)]
        return found
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [edit for index, pair in enumerate(zip(before, after)) for edit in difference(*pair, steps + (index,))]
    return [(steps, after)]


def put(body, steps, value):
    return bodies.removed(body, steps) if value is GONE else bodies.replaced(body, steps, value)


def merge_patch(before, after):
    """The merge patch that makes one object of the other."""
    patch = {name: None for name in before if name not in after}
    for name, value in after.items():
        if name not in before or before[name] != value:
            both = isinstance(value, dict) and isinstance(before.get(name), dict)
            patch[name] = merge_patch(before[name], value) if both else value
    return patch
