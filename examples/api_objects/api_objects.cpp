// SPDX-License-Identifier: Apache-2.0
//
// API objects without a server: typed, Unstructured and as text, their quantities, labels,
// conditions and owners, and patches between them. client-go's users know these as the packages of
// apimachinery.
#include <chrono>
#include <iostream>
#include <string>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/codec/converter.hpp>
#include <kube/codec/kind_of.hpp>
#include <kube/codec/nested.hpp>
#include <kube/codec/unknown_fields.hpp>
#include <kube/codec/yaml.hpp>
#include <kube/meta/aggregate.hpp>
#include <kube/meta/conditions.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/options.hpp>
#include <kube/meta/owner_references.hpp>
#include <kube/meta/status.hpp>
#include <kube/names/fields.hpp>
#include <kube/names/int_or_string.hpp>
#include <kube/names/label_selector.hpp>
#include <kube/names/quantity.hpp>
#include <kube/patch/patch.hpp>

using kube::Result;
using kube::Unstructured;
using kube::apps::v1::Deployment;
using kube::core::v1::Pod;
using kube::meta::Quantity;

namespace {

// resource.Quantity: exact sums, the canonical text.
Result<void> quantities() {
  auto cpu = Quantity::parse("250m");
  if (!cpu) return cpu.error();
  const Quantity total = *cpu + Quantity::of_milli(1750);
  std::cout << "quantity: 250m + 1750m = " << total.to_string()
            << ", 1.5Gi = " << Quantity::must_parse("1.5Gi").value() << " bytes\n";
  const auto surge = kube::meta::scaled_value(kube::meta::IntOrString("25%"), 10, true);
  if (!surge) return surge.error();
  std::cout << "25% of 10, rounded up: " << *surge << "\n";
  return {};
}

// labels and fields: text to selectors and back.
Result<void> selectors() {
  auto selector = kube::labels::parse("app=web,tier in (front,back),!canary");
  if (!selector) return selector.error();
  std::cout << "selector: " << selector->to_string() << " matches app=web,tier=front: "
            << selector->matches({{"app", "web"}, {"tier", "front"}}) << "\n";
  auto as_object = kube::labels::parse_to_label_selector("app=web,tier=front");
  if (!as_object) return as_object.error();
  std::cout << "as a LabelSelector: " << kube::json::dump(*as_object) << " or "
            << kube::labels::format_label_selector(*as_object) << "\n";
  const auto pods_of_node = kube::fields::Selector::all_of(
      {kube::fields::Selector::one_term_equal("spec.nodeName", "n1"),
       kube::fields::Selector::one_term_not_equal("status.phase", "Failed")});
  std::cout << "field selector: " << pods_of_node.to_string() << "\n";
  return {};
}

// Unstructured: any kind, its fields by path; typed values are converted in both directions.
Result<void> untyped_objects() {
  Unstructured widget;
  widget.set_api_version("example.com/v1");
  widget.set_kind("Widget");
  widget.set_name("left");
  widget.set_namespace("default");
  widget.set_label("app", "web");
  if (auto set = kube::set_nested_field(widget.content, 3, {"spec", "replicas"}); !set) return set;
  const auto replicas = kube::nested_int64(widget.content, {"spec", "replicas"});
  if (!replicas) return replicas.error();
  std::cout << widget.kind() << " " << widget.key().to_string() << " has " << replicas->value_or(0)
            << " replicas\n";

  Pod pod;
  pod.metadata.name = "web-0";
  pod.spec.containers.emplace_back().name = "main";
  Unstructured untyped = kube::meta::to_unstructured(pod);
  untyped.set_annotation("example.com/note", "changed untyped");
  auto typed = kube::meta::from_unstructured<Pod>(untyped);
  if (!typed) return typed.error();
  std::cout << "back as a Pod: " << typed->metadata.annotations.at("example.com/note") << "\n";
  return {};
}

// YAML, and fields that a type does not have: they survive a change of the fields that it has.
Result<void> texts() {
  auto pod = kube::meta::from_yaml<Pod>("apiVersion: v1\nkind: Pod\nmetadata: {name: web-0}\n");
  if (!pod) return pod.error();
  std::cout << kube::meta::to_yaml(*pod);
  auto newer = kube::meta::from_json_with_unknown<Pod>(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0"},"spec":{"containers":[],"fieldOf2030":1}})");
  if (!newer) return newer.error();
  newer->value.metadata.labels["app"] = "web";
  std::cout << kube::meta::to_json(*newer) << "\n";
  auto kind = kube::meta::kind_of(R"({"kind":"Widget","apiVersion":"example.com/v1"})");
  if (!kind) return kind.error();
  std::cout << "kind of bytes: " << kind->to_string() << "\n";
  return {};
}

// Conditions and owners, as controllers write them.
Result<void> status_of_controllers() {
  std::vector<kube::meta::Condition> conditions;
  const kube::meta::Time now = std::chrono::system_clock::now();
  kube::set_status_condition(conditions, {.type = "Ready", .status = "False", .reason = "Starting"},
                             now);
  const bool changed = kube::set_status_condition(
      conditions, {.type = "Ready", .status = "True", .reason = "Started"}, now);
  std::cout << "condition changed: " << changed
            << ", ready: " << kube::is_status_condition_true(conditions, "Ready") << "\n";

  Deployment owner;
  owner.metadata.name = "web";
  owner.metadata.uid = "6b1c";
  Pod pod;
  pod.metadata.owner_references.push_back(kube::new_controller_ref(owner));
  const auto controller = kube::get_controller_of(pod);
  std::cout << "controlled by a " << (controller ? controller->kind : "-") << ": "
            << kube::is_controlled_by(pod, owner.metadata.uid) << "\n";
  return {};
}

// The patches that kubectl apply makes, and how a server applies one.
Result<void> patches() {
  auto original = kube::json::parse(R"({"spec":{"containers":[{"name":"main","image":"app:1"}]}})");
  auto modified = kube::json::parse(R"({"spec":{"containers":[{"name":"main","image":"app:2"}]}})");
  if (!original) return original.error();
  if (!modified) return modified.error();
  auto patch = kube::meta::create_two_way_merge_patch(*original, *modified, Pod::descriptor());
  if (!patch) return patch.error();
  std::cout << "strategic patch: " << kube::json::dump(*patch) << "\n";
  auto patched = kube::meta::apply_strategic_merge_patch(*original, *patch, Pod::descriptor());
  if (!patched) return patched.error();
  std::cout << "merge patch: "
            << kube::json::dump(kube::meta::create_merge_patch(*original, *modified))
            << ", the same result: " << (*patched == *modified) << "\n";
  return {};
}

// Options of lists and watches: of one object, and of a watch that streams what a list returns.
Result<void> options() {
  const kube::ListOptions one = kube::single_object_options("web-0", "41");
  std::cout << "list of one object: " << one.field_selector << " at " << one.resource_version;
  const auto watch = kube::watch_list_options(one);
  std::cout << ", as a watch: " << (watch ? watch->resource_version_match : "-") << "\n";
  return {};
}

// Errors as a server would send them, and several as one.
Result<void> errors() {
  const kube::Error missing = kube::meta::not_found_error({"", "pods"}, "web-0");
  std::cout << missing.message() << ": " << kube::is_not_found(missing) << "\n";
  const auto all =
      kube::aggregate({missing, kube::meta::timeout_error("no answer", std::chrono::seconds(1))});
  std::cout << all->message() << "\n";
  return {};
}

}  // namespace

int main() {
  std::cout << std::boolalpha;
  for (const auto part : {quantities, selectors, untyped_objects, texts, status_of_controllers,
                          patches, options, errors}) {
    if (auto done = part(); !done) return std::cerr << done.error().to_string() << "\n", 1;
  }
}
