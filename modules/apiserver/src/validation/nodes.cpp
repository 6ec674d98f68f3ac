// SPDX-License-Identifier: Apache-2.0
//
// Nodes and their statuses.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/json/text.hpp>
#include <kube/names/go_text.hpp>

#include "validation/addresses.hpp"
#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

void check_taint_list(const Place& spec, const FieldPath& path) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  const auto check = [&](const Place& taint) {
    taint.apply();
    if (seen.emplace(taint.text("effect"), taint.text("key")).second) return;
    FieldError error = FieldError::duplicate(taint.path(), taint.shown_whole());
    error.detail = "taints must be unique by key and effect pair";
    taint.report(std::move(error));
  };
  spec.each("taints", check, &path);
}

// Reads the document in an annotation; reports, at a path, that it is none.
json::Value read_annotation(const Place& spec, std::string_view key, const FieldPath& path) {
  const std::string_view text = spec.root().value().string_at({"metadata", "annotations", key});
  if (text.empty()) return {};
  if (const auto error = json::find_syntax_error(text)) {
    spec.report(FieldError::invalid(path, key, error->message));
    return {};
  }
  return json::parse(text).value_or(json::Value{});
}

// Before nodes had a field for taints, they were in an annotation.
void check_old_taints(const Place& spec, const FieldPath& annotations) {
  constexpr std::string_view kKey = "scheduler.alpha.kubernetes.io/taints";
  json::Value taints = read_annotation(spec, kKey, annotations);
  if (!taints.is_array()) return;
  const json::Value old(json::Object{{"taints", std::move(taints)}});
  check_taint_list(Place(spec.walk(), spec.type(), old), annotations.child(kKey));
}

void check_avoided_pods(const Place& spec, const FieldPath& annotations) {
  constexpr std::string_view kKey = "scheduler.alpha.kubernetes.io/preferAvoidPods";
  const json::Value avoided = read_annotation(spec, kKey, annotations.child("AvoidPods"));
  const json::Array& entries = avoided.array_at({"preferAvoidPods"});
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const FieldPath path = annotations.child(kKey).index(i).child("PodSignature");
    const json::Value* controller = entries[i].at_path({"podSignature", "podController"});
    if (controller == nullptr || controller->is_null()) {
      spec.report(FieldError::required(path, {}));
    } else if (!controller->true_at({"controller"})) {
      spec.report(FieldError::invalid(path.child("PodController").child("Controller"), false,
                                      "must point to a controller"));
    }
  }
}

// The server reports taints at the metadata.
void check_taints(const Place& spec) {
  const FieldPath metadata("metadata");
  check_old_taints(spec, metadata.child("annotations"));
  check_avoided_pods(spec, metadata.child("annotations"));
  check_taint_list(spec, metadata.child("taints"));
}

void check_pod_ranges(const Place& spec) {
  const json::Array& ranges = spec.list("podCIDRs");
  std::string unread;
  std::size_t v4 = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::string_view range = ranges[i].string_or_empty();
    report_problems(spec, spec.path("podCIDRs", i), range, cidr_problems(range));
    const auto block = parse_cidr(range);
    if (!block && unread.empty())
      unread = "invalid CIDR[" + std::to_string(i) +
               "]: <nil> (invalid CIDR address: " + std::string(range) + ")";
    v4 += block && block->address.is_v4 ? 1 : 0;
  }
  if (ranges.size() < 2) return;
  if (!unread.empty())
    spec.report(FieldError::internal(
        spec.path("podCIDRs"),
        "invalid PodCIDRs. failed to check with dual stack with error:" + unread));
  if (!unread.empty() || ranges.size() > 2 || v4 != 1)
    spec.invalid("podCIDRs", "may specify no more than one CIDR for each IP family");
}

void check_node_amounts(const Place& status) {
  for (const std::string_view field : {"capacity", "allocatable"}) {
    for (const auto& [name, amount] : status.map(field))
      check_amount(status, status.path(field).child(name), name, amount);
  }
}

bool is_feature_name(std::string_view name) {
  bool first = true;
  for (const std::string_view part : go::split(name, '/')) {
    if (part.empty() || !std::ranges::all_of(part, ascii::is_alnum)) return false;
    if (first && !ascii::is_upper(part.front())) return false;
    first = false;
  }
  return true;
}

// Equal names are found beside each other alone: the list is sorted.
void check_declared_features(const Place& status) {
  constexpr std::string_view kField = "declaredFeatures";
  const json::Array& features = status.list(kField);
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::string_view name = features[i].string_or_empty();
    if (!is_feature_name(name))
      status.report(FieldError::invalid(
          status.path(kField, i), name,
          "invalid feature name " + go::quote(name) +
              ": must start with an UpperCamelCase segment, with subsequent segments separated by "
              "'/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric "
              "characters and slashes"));
    if (i + 1 == features.size()) break;
    const std::string_view next = features[i + 1].string_or_empty();
    if (name == next) {
      status.report(FieldError::duplicate(status.path(kField, i + 1), next));
    } else if (name > next) {
      status.report(FieldError::invalid(status.path(kField, i + 1), next,
                                        "list must be sorted alphabetically"));
    }
  }
}

void check_node_addresses(const Place& status) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  status.each("addresses", [&](const Place& address) {
    if (!seen.emplace(address.text("type"), address.text("address")).second)
      address.report(FieldError::duplicate(address.path(), address.shown_whole()));
  });
}

constexpr Rule kNodeSpecTypeRules[] = {rules::call("taints", check_taints),
                                       rules::call(check_pod_ranges), rules::skip("configSource")};
constexpr Rule kNodeStatusRules[] = {rules::call(check_node_amounts),
                                     rules::call(check_declared_features),
                                     rules::call(check_node_addresses)};

constexpr TypeRules kNodeTypes[] = {
    {"core.v1.NodeSpec", kNodeSpecTypeRules},
    {"core.v1.NodeStatus", kNodeStatusRules},
};

}  // namespace

std::span<const TypeRules> node_types() {
  return kNodeTypes;
}

}  // namespace kube::apiserver
