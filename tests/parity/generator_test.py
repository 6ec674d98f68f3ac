#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the generator makes: the same each time, each type once, and bodies that are what their names say."""

import functools
import unittest

import bodies
import changes
import forms
import kinds
import schema


@functools.cache
def suites():
    return tuple(kinds.suites())


def creates(key):
    suite = next(suite for suite in suites() if suite.key == key)
    return {request.name: request.body for case in suite.cases for request in case.requests if request.verb == "create"}


class Generator(unittest.TestCase):
    def test_makes_the_same_requests_each_time(self):
        def hashes(made):
            return [(suite.key, request.name, request.hash()) for suite in made for request in suite.recorded()]

        self.assertEqual(hashes(suites()), hashes(kinds.suites()))

    def test_has_a_minimal_object_of_each_kind_that_is_served(self):
        self.assertEqual(set(bodies.kinds()), {resource.key for resource in schema.resources()})

    def test_tables_name_types_and_fields_that_exist(self):
        for name in bodies.facts("structs")["types"]:
            schema.type_facts(name)
        for table in ("fields", "with"):
            for name in bodies.facts("structs")[table]:
                reference, _, field = name.rpartition(".")
                self.assertIsNotNone(schema.field(reference, field), name)
        for reference, members in bodies.facts("structs")["unions"].items():
            for member in members:
                self.assertIsNotNone(schema.field(reference, member), f"{reference}.{member}")

    def test_a_struct_that_is_optional_is_there_and_empty(self):
        body = creates("apps/v1/Deployment")["create spec.strategy={}"]
        self.assertEqual(body["spec"]["strategy"], {})
        self.assertIn("template", body["spec"])

    def test_a_member_of_a_union_replaces_the_one_that_is_there(self):
        body = creates("v1/Pod volumes")["create spec.volumes[0].secret={\"secretName\":\"s\"}"]
        self.assertEqual(body["spec"]["volumes"], [{"name": "v", "secret": {"secretName": "s"}}])

    def test_what_a_field_needs_stands_beside_it(self):
        body = creates("v1/Pod")["create spec.containers[0].volumeMounts[0].readOnly=true"]
        self.assertEqual([volume["name"] for volume in body["spec"]["volumes"]], ["v"])

    def test_a_required_field_is_missing(self):
        body = creates("v1/Pod")["create spec.containers[0].name missing"]
        self.assertEqual(body["spec"]["containers"], [{"image": "i"}])

    def test_a_type_has_its_cases_once_in_a_group_version(self):
        names = [name for key in ("apps/v1/Deployment", "apps/v1/StatefulSet", "apps/v1/DaemonSet") for name in creates(key)]
        self.assertEqual(1, sum(name.endswith("template.spec.hostNetwork=true") for name in names))

    def test_each_value_of_an_enumeration_and_a_wrong_one_are_sent(self):
        field = schema.field("core.v1.Container", "imagePullPolicy")
        labels = [label for label, _ in forms.of(field, "Always", few=True)]
        self.assertEqual(labels, ['"Always"', '"Never"', '"IfNotPresent"', '"Wrong"'])

    def test_a_seed_draws_the_same_changes_each_time_and_another_one_others(self):
        def drawn(seed):
            return [(request.name, request.hash()) for case in changes.cases(schema.resource("v1/Service"), "n", seed) for request in case.requests]

        self.assertEqual(drawn("1"), drawn("1"))
        self.assertNotEqual(drawn("1"), drawn("2"))

    def test_a_drawn_pair_has_both_changes(self):
        base = {"spec": {"a": 1, "b": [{"c": 1}, {"d": 1}], "e": 1}}
        body = {"spec": {"a": 2, "b": [{"c": 1}, {"d": 1}], "e": 1}}
        for steps, value in changes.difference(base, {"spec": {"a": 1, "b": [{"c": 1}, {"d": 3}]}}):
            body = changes.put(body, steps, value)
        self.assertEqual(body, {"spec": {"a": 2, "b": [{"c": 1}, {"d": 3}]}})

    def test_a_merge_patch_makes_one_body_of_the_other(self):
        self.assertEqual(changes.merge_patch({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 1, "c": 4}}), {"d": None, "a": {"c": 4}})


if __name__ == "__main__":
    unittest.main()
