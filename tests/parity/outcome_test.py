#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How answers become lines, lines a file, and two answers a cause."""

import json
import tempfile
import time
import unittest
from pathlib import Path

import compare
import outcome
import protobuf
import recording
import schema
import tokens
from cases import Request
from client import Answer

UID = "6f1ec0de-1111-4abc-8def-0123456789ab"
OTHER = "7f1ec0de-1111-4abc-8def-0123456789ab"
NOW = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def lines(body, sent=None, code=200, seen=None, **request):
    seen = seen or outcome.Seen(tokens.Tokens(time.time()))
    answer = Answer(code, "application/json", [], json.dumps(body).encode())
    made = Request("get", "GET", "/x", **{"against": "sent" if sent is not None else "known", **request})
    return outcome.lines(made, answer, sent, seen)


class Tokens(unittest.TestCase):
    def test_equal_values_have_equal_tokens(self):
        made = tokens.Tokens(time.time())
        self.assertEqual(made.value([UID, OTHER, UID]), ["<uid1>", "<uid2>", "<uid1>"])

    def test_times_of_the_run_are_replaced_and_others_stay(self):
        made = tokens.Tokens(time.time())
        self.assertEqual(made.value([NOW, "2024-01-02T03:04:05Z"]), ["<time>", "2024-01-02T03:04:05Z"])

    def test_an_address_that_was_sent_stays(self):
        made = tokens.Tokens(time.time())
        made.note_sent({"spec": {"clusterIP": "10.0.0.5"}})
        self.assertEqual(made.value({"clusterIP": "10.0.0.5", "clusterIPs": ["10.0.0.6"]}),
                         {"clusterIP": "10.0.0.5", "clusterIPs": ["<ip1>"]})

    def test_an_address_of_the_server_is_a_token_in_errors_too(self):
        made = tokens.Tokens(time.time())
        made.note_sent({"spec": {"clusterIP": "10.0.0.5"}})
        made.value({"clusterIP": "10.0.0.6"})
        self.assertEqual(made.text('spec.clusterIPs[0]: Invalid value: "10.0.0.6": no'), 'spec.clusterIPs[0]: Invalid value: "<ip1>": no')
        self.assertEqual(made.text('spec.clusterIPs[0]: Invalid value: "10.0.0.5": no'), 'spec.clusterIPs[0]: Invalid value: "10.0.0.5": no')

    def test_managed_fields_are_left_out(self):
        self.assertEqual(tokens.Tokens(time.time()).value({"metadata": {"managedFields": [{}]}}), {"metadata": {}})

    def test_managed_fields_are_left_out_of_texts(self):
        made = tokens.Tokens(time.time())
        field = r'\"managedFields\":[{\"manager\":\"m\",\"fieldsV1\":{\"f:spec\":{}}}]'
        for text, without in ((r'{\"a\":1,' + field + r',\"b\":2}', r'{\"a\":1,\"b\":2}'), ("{" + field + r',\"b\":2}', r'{\"b\":2}'),
                              (r'{\"a\":1,' + field + "}", r'{\"a\":1}')):
            self.assertEqual(made.text(text), without)

    def test_versions_of_collections_in_texts_are_no_answer(self):
        self.assertEqual(tokens.Tokens(time.time()).text("too old resource version: 31 (35)"),
                         "too old resource version: <rv> (<rv>)")

    def test_versions_of_kinds_that_are_written_beside_are_no_answer(self):
        seen = outcome.Seen(tokens.Tokens(time.time(), versioned=False))
        lines({"kind": "K", "metadata": {"name": "x", "resourceVersion": "5"}}, seen=seen)
        self.assertEqual(lines({"kind": "K", "metadata": {"name": "x", "resourceVersion": "6"}}, seen=seen), ["200"])


class Lines(unittest.TestCase):
    def test_an_object_is_its_difference_from_what_was_sent(self):
        got = {"kind": "K", "metadata": {"name": "x", "uid": UID}, "spec": {"a": 1, "c/d": {"e": []}}}
        sent = {"kind": "K", "metadata": {"name": "x"}, "spec": {"a": 1, "b": None}}
        self.assertEqual(lines(got, sent), ["200", '/metadata/uid: "<uid1>"', "/spec/b gone", "/spec/c~1d/e: []"])

    def test_numbers_and_booleans_differ(self):
        self.assertEqual(list(outcome.difference({"a": 1}, {"a": True})), ["/a: true"])

    def test_a_message_that_repeats_its_causes_is_left_out(self):
        status = {"kind": "Status", "reason": "Invalid", "message": 'K.g "x" is invalid: a.b: Required value',
                  "details": {"name": "x", "group": "g", "kind": "K", "causes": [
                      {"reason": "FieldValueRequired", "field": "a.b", "message": "Required value"}]}}
        self.assertEqual(lines(status, code=422)[-1], "cause FieldValueRequired a.b: Required value")
        status["message"] = "another"
        self.assertEqual(lines(status, code=422)[-1], "message another")

    def test_items_of_a_list_are_compared_with_what_is_known(self):
        seen = outcome.Seen(tokens.Tokens(time.time()))
        item = {"metadata": {"name": "x", "resourceVersion": "5"}}
        lines({"kind": "K", "apiVersion": "v1", **item}, seen=seen)
        listed = {"kind": "KList", "apiVersion": "v1", "metadata": {"resourceVersion": "9"}, "items": [item]}
        self.assertEqual(lines(listed, seen=seen), ["200", "list v1 KList", "item x"])


class Protobuf(unittest.TestCase):
    def test_an_object_decodes_to_its_json(self):
        # A ConfigMap with metadata.name x and data a=b: envelope, then fields 1 and 2.
        inner = b"\x0a\x03\x0a\x01x" + b"\x12\x06\x0a\x01a\x12\x01b"
        body = b"k8s\0" + b"\x0a\x0f\x0a\x02v1\x12\x09ConfigMap" + b"\x12" + bytes([len(inner)]) + inner
        value, _ = protobuf.decode(body)
        self.assertEqual(value, {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "x"}, "data": {"a": "b"}})


class Recording(unittest.TestCase):
    def test_what_is_written_is_read(self):
        outcomes = {
            "create minimal": ("111111", ["201", "/a: 1", "/b/10: 1", "/b/9: 2"]),
            "create b": ("222222", ["201", "/a: 1", "/a/c: 3", "/b/9: 2", "/b/10: 1"]),
            "create c": ("333333", ["422", "reason Invalid"]),
        }
        outcomes["create minimal"][1][1:] = outcome.in_order(outcomes["create minimal"][1][1:])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.txt"
            recording.write(path, "v1/K", "v9", outcomes)
            found = recording.read(path)
        self.assertEqual(found.version, "v9")
        self.assertEqual(found.outcomes, outcomes)


class Causes(unittest.TestCase):
    RESOURCE = schema.resource("apps/v1/Deployment")

    def causes(self, real, ours):
        return compare.causes(self.RESOURCE, real, ours)

    def test_a_default_that_is_absent_is_named_by_its_type(self):
        self.assertEqual(self.causes(["201", '/spec/template/spec/dnsPolicy: "ClusterFirst"'], ["201"]),
                         ['absent: core.v1.PodSpec.dnsPolicy: "ClusterFirst"'])

    def test_another_value_is_one_cause(self):
        self.assertEqual(self.causes(["201", "/spec/replicas: 1"], ["201", "/spec/replicas: 2"]),
                         ["value: apps.v1.DeploymentSpec.replicas: real 1, ours 2"])

    def test_what_is_accepted_wrongly_is_named_by_the_text_without_its_value(self):
        real = ["422", "reason Invalid", "cause FieldValueInvalid spec.replicas: Invalid value: -1: must be greater"]
        self.assertEqual(self.causes(real, ["201"]),
                         ["accepted: real 422 apps.v1.DeploymentSpec.replicas: Invalid value: …: must be greater"])

    def test_a_text_that_has_changed_is_two_causes(self):
        real, ours = ["404", "message a"], ["404", "message b"]
        self.assertEqual(self.causes(real, ours), ["absent: a", "added: b"])

    def test_a_version_of_managed_fields_alone_is_the_one_before(self):
        seen = outcome.Seen(tokens.Tokens(0))
        request = Request("update", "PUT", "/", against="known")

        def lines(version, manager, label):
            metadata = {"name": "x", "resourceVersion": version, "managedFields": manager, "labels": {"a": label}}
            return outcome.one(request, {"kind": "Pod", "metadata": metadata}, None, seen)

        self.assertIn('/metadata/resourceVersion: "<rv1>"', lines("10", [1], "b"))
        self.assertEqual(lines("11", [2], "b"), [])
        self.assertIn('/metadata/resourceVersion: "<rv2>"', lines("12", [2], "c"))
        self.assertIn('/metadata/resourceVersion: "<rv3>"', lines("13", [2], "c"), "a write of nothing that a version shows")

    def test_a_version_of_a_time_of_the_server_alone_is_the_one_before(self):
        started = time.time()
        seen = outcome.Seen(tokens.Tokens(started))
        request = Request("status patch", "PATCH", "/", against="known")

        def lines(version, written):
            when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started + written))
            value = {"kind": "K", "metadata": {"name": "x", "resourceVersion": version}, "status": {"conditions": [{"at": when}]}}
            return outcome.one(request, value, None, seen)

        self.assertIn('/metadata/resourceVersion: "<rv1>"', lines("10", 0))
        self.assertEqual(lines("11", 1), [])
        self.assertIn('/metadata/resourceVersion: "<rv2>"', lines("12", -3600), "a time that was sent")


if __name__ == "__main__":
    unittest.main()
