# SPDX-License-Identifier: Apache-2.0
"""Sends the requests of cases to a server, over connections that are kept."""

import base64
import http.client
import json
import re
import ssl
import sys
import time
import urllib.parse
from dataclasses import dataclass

import bodies
import cases
import outcome
import tokens

LIMIT = 600  # seconds, which only a broken server needs


@dataclass
class Answer:
    code: int
    type: str
    warnings: list
    body: bytes


class Server:
    """Where a kubeconfig of `./dev cluster` or of `kubecpp apiserver` leads."""

    def __init__(self, kubeconfig):
        text = open(kubeconfig, encoding="utf-8").read()

        def value(name):
            found = re.search(rf"^[ -]*{name}: *\"?([^\"\n]+)", text, re.MULTILINE)
            return found and found.group(1).strip()

        address = urllib.parse.urlsplit(value("server"))
        self.host, self.port, self.context = address.hostname, address.port, None
        if address.scheme == "https":
            authority = base64.b64decode(value("certificate-authority-data")).decode()
            self.context = ssl.create_default_context(cadata=authority)
        self.headers = {"Authorization": "Bearer " + value("token")} if value("token") else {}
        self.connection = None

    def connect(self):
        if self.context:
            return http.client.HTTPSConnection(self.host, self.port, timeout=LIMIT, context=self.context)
        return http.client.HTTPConnection(self.host, self.port, timeout=LIMIT)

    def clone(self):
        copy = object.__new__(Server)
        copy.__dict__.update(self.__dict__, connection=None)
        return copy

    def send(self, method, target, body, headers, events=0):
        """The answer; of a watch, its first events."""
        if events:
            return self.watch(target, headers, events)
        for attempt in (1, 2):
            self.connection = self.connection or self.connect()
            try:
                self.connection.request(method, target, body=body, headers={**self.headers, **headers})
                response = self.connection.getresponse()
                return answer_of(response, response.read())
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # A connection that the server has closed meanwhile.
                self.connection.close()
                self.connection = None
                if attempt == 2:
                    raise
        return None

    def watch(self, target, headers, events):
        connection = self.connect()
        try:
            connection.request("GET", target, headers={**self.headers, **headers})
            response = connection.getresponse()
            if response.status != 200:
                return answer_of(response, response.read())
            return answer_of(response, b"".join(response.readline() for _ in range(events)))
        finally:
            connection.close()


def answer_of(response, body):
    kind = (response.getheader("Content-Type") or "").split(";")[0]
    return Answer(response.status, kind, response.headers.get_all("Warning") or [], body)


class Runner:
    """Runs cases on a server, one at a time."""

    def __init__(self, server, started):
        self.server = server
        self.started = started

    def run(self, case):
        """Pairs of a recorded request and the lines of its answer."""
        versioned = case.resource is None or case.resource.key not in cases.WRITTEN_BESIDE
        seen = outcome.Seen(tokens.Tokens(self.started, versioned), case.resource)
        found = []
        for request in case.requests:
            answer, sent = self.send(request, seen)
            if request.until:
                deadline = time.monotonic() + LIMIT
                while request.until not in answer.body.decode(errors="replace") and time.monotonic() < deadline:
                    time.sleep(0.02)
                    answer, sent = self.send(request, seen)
                if request.until not in answer.body.decode(errors="replace"):
                    print(f"parity: {request.method} {request.path} does not come to {request.until}: {answer.body[:500]}", file=sys.stderr)
            seen.bytes = answer.body
            if request.recorded:
                found.append((request, outcome.lines(request, answer, sent, seen)))
            elif answer.code < 300 and answer.type == cases.JSON:
                note(value_of(answer.body), seen)
        return found

    def send(self, request, seen):
        query, value, body = filled(request.query, seen), None, None
        if request.echo:
            body = seen.bytes
        elif request.edits is not None:
            value = seen.last or {}
            for steps, new in request.edits:
                seen.tokens.note_sent(new)
                value = bodies.removed(value, steps) if new is cases.GONE else bodies.replaced(value, steps, new)
            body = filled(outcome.compact(value), seen).encode()
            value = json.loads(body)
        elif isinstance(request.body, str):
            body = filled(request.body, seen).encode()
            value = value_of(body)
        elif request.body is not None:
            seen.tokens.note_sent(request.body)
            body = filled(outcome.compact(request.body), seen).encode()
            value = json.loads(body)
        headers = {"Accept": request.accept}
        if body is not None:
            headers["Content-Type"] = request.content_type
        target = request.path + ("?" + query if query else "")
        return self.server.send(request.method, target, body, headers, request.events), value


def value_of(body):
    try:
        return json.loads(body)
    except ValueError:
        return None


def note(value, seen):
    if isinstance(value, dict) and value.get("metadata", {}).get("name") and value.get("kind") != "Status":
        seen.note(value)


def filled(text, seen):
    if "${" not in text:
        return text
    metadata = (seen.last or {}).get("metadata", {})
    for name in ("resourceVersion", "uid"):
        text = text.replace("${" + name + "}", metadata.get(name, ""))
    return text.replace("${first}", seen.first_version)
