# SPDX-License-Identifier: Apache-2.0
"""Rules that speak of several fields, or of what was stored before: the walk over the types, which changes one field, does not
break them. rules/ has what does, by kind: a label, and what is merged into the minimal object for a create; or a list that begins
with that and goes on with merge patches, {"patch": …}, and those of the status, {"status": …}.

`uncovered` tells which texts of the server's validation and warnings no recorded answer has.
"""

import functools
import json
import re

import bodies
import schema
from cases import MERGE_PATCH, Case, Request
from verbs import Verbs

CHECKS = ("modules/apiserver/src/validation", "modules/apiserver/src/warnings")
LITERAL = re.compile(r'R"\((?P<raw>.*?)\)"|"(?P<text>(?:[^"\\\n]|\\.)*)"')


@functools.cache
def table():
    found = {}
    for path in sorted((bodies.HERE / "rules").glob("*.json")):
        for kind, rules in json.loads(path.read_text()).items():
            of_kind = found.setdefault(kind, {})
            if twice := of_kind.keys() & rules.keys():
                raise ValueError(f"{path.name}: {kind} has '{min(twice)}' in another file, too")
            of_kind.update(rules)
    return found


def merged(value, patch):
    """As a merge patch does."""
    if not isinstance(patch, dict):
        return patch
    found = dict(value) if isinstance(value, dict) else {}
    for name, inner in patch.items():
        if inner is None:
            found.pop(name, None)
        else:
            found[name] = merged(found.get(name), inner)
    return found


def cases(resource, namespace):
    verbs = Verbs(resource, namespace)
    for label, steps in table().get(resource.key, {}).items():
        create, *changes = bodies.with_texts(steps, namespace) if isinstance(steps, list) else [bodies.with_texts(steps, namespace)]
        body = merged(bodies.minimal(resource, namespace), create)
        query = "" if changes else "dryRun=All"
        sent = Request(f"create rule: {label}", "POST", verbs.collection, query, body, against="sent")
        if not changes:
            yield Case((sent,), resource)
            continue
        patches = [verbs.patch(f"patch rule: {label}, {number + 1}", MERGE_PATCH, step.get("patch", step),
                               below="/status" if "status" in step else "")
                   for number, step in enumerate(changes)]
        yield Case((*verbs.remove(), sent, *patches, *verbs.remove()), resource)


def uncovered():
    """Pairs of a file and a text."""
    recorded = "\n".join(path.read_text() for path in sorted((bodies.HERE / "recordings").glob("*.txt"))).replace('\\"', '"')
    for folder in CHECKS:
        for path in sorted((schema.ROOT / folder).glob("*.cpp")):
            source = re.sub(r"(^|\s)//.*$", "", path.read_text().replace("'\"'", ""), flags=re.MULTILINE)
            for found in LITERAL.finditer(re.sub(r'"\s*\n\s*"', "", source)):
                text = (found["raw"] or found["text"].replace('\\"', '"').replace("\\\\", "\\")).strip()
                if " " in text and text not in recorded:
                    yield path.name, text
