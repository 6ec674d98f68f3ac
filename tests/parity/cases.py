# SPDX-License-Identifier: Apache-2.0
"""What a case is: requests that go out one after the other, of which the later ones speak of what the earlier ones made."""

import hashlib
import json
from dataclasses import dataclass, field, replace

JSON = "application/json"
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"

# Kinds that controllers inside kube-apiserver write to at a moment of their own: which version an object has is no answer.
WRITTEN_BESIDE = ("apiregistration.k8s.io/v1/APIService", "flowcontrol.apiserver.k8s.io/v1/FlowSchema",
                  "flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration")

GONE = object()  # in an edit: the member is removed


@dataclass(frozen=True)
class Request:
    """One request.

    In query and body, ${resourceVersion}, ${uid} and ${first} stand for what the object has that the case has seen
    last, and for the resourceVersion that it was seen with first.
    """

    name: str  # its verb, then what is special about it; unique among those of its kind
    method: str
    path: str
    query: str = ""
    body: object = None  # a value that is sent as JSON; a string is sent as it is
    edits: tuple = None  # the body is the object seen last with these (steps, value)
    echo: bool = False  # the body is the bytes of the answer before
    content_type: str = JSON
    accept: str = JSON
    against: str = "known"  # what the answer is written as a difference from: known or sent
    recorded: bool = True
    until: str = ""  # not recorded: repeated until the answer has this text
    events: int = 0  # how many events a watch waits for

    @property
    def verb(self):
        return self.name.split(" ", 1)[0]

    def hash(self):
        edits = [[list(steps), "gone" if value is GONE else value] for steps, value in self.edits or ()]
        parts = [self.method, self.path, self.query, self.body, edits, self.echo, self.content_type, self.accept, self.events]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:6]


@dataclass(frozen=True)
class Case:
    """Requests about one object, sent in order. A failure of one does not end the case."""

    requests: tuple
    resource: object = None


@dataclass
class Suite:
    """All cases of a kind: what one file of recordings is about."""

    key: str
    cases: list = field(default_factory=list)
    sweep: list = field(default_factory=list)  # removes what a run that was ended may have left

    @property
    def file(self):
        return self.key.replace("/", ".").replace(" ", ".") + ".txt"

    def recorded(self):
        return [request for case in self.cases for request in case.requests if request.recorded]

    def check(self):
        """Names are unique."""
        seen = set()
        for request in self.recorded():
            if request.name in seen:
                raise ValueError(f"{self.key}: two requests have the name '{request.name}'")
            seen.add(request.name)


def unrecorded(request, until=""):
    return replace(request, recorded=False, until=until)
