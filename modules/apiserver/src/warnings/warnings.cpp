// SPDX-License-Identifier: Apache-2.0
#include "warnings/warnings.hpp"

#include <algorithm>
#include <unordered_map>

#include "validation/checks.hpp"
#include "warnings/table.hpp"

namespace kube::apiserver {
namespace {

using RowsByType = std::unordered_map<std::string_view, std::span<const Warning>>;

/// A kind whose objects are walked.
struct WarnedKind {
  std::string_view name;
  bool of_change = false;  ///< An update warns when it changes the spec.
  bool of_old = false;  ///< An update warns of the object before it, as the reference server does.
  bool of_new = false;  ///< An update does not warn.
};

constexpr WarnedKind kWarnedKinds[] = {{.name = "core.v1.Pod", .of_new = true},
                                       {"core.v1.PodTemplate", true},
                                       {"core.v1.ReplicationController", true, true},
                                       {"core.v1.PersistentVolume"},
                                       {"core.v1.PersistentVolumeClaim"},
                                       {"core.v1.Node"},
                                       {"core.v1.Secret"},
                                       {"core.v1.Service"},
                                       {"core.v1.Endpoints"},
                                       {"core.v1.ResourceQuota"},
                                       {"networking.v1.NetworkPolicy"},
                                       {"apiextensions.v1.CustomResourceDefinition"},
                                       {"apps.v1.DaemonSet", true},
                                       {"apps.v1.Deployment", true},
                                       {"apps.v1.ReplicaSet", true},
                                       {"apps.v1.StatefulSet", true},
                                       {"batch.v1.Job", true},
                                       {"batch.v1.CronJob", true},
                                       {"discovery.v1.EndpointSlice"},
                                       {"networking.v1.Ingress"},
                                       {"node.v1.RuntimeClass"},
                                       {"storage.v1.CSIDriver"},
                                       {"storage.v1.CSIStorageCapacity"},
                                       {"storage.v1.StorageClass"}};

const WarnedKind* find_warned(const meta::TypeDescriptor& kind) {
  const auto* found = std::ranges::find(kWarnedKinds, kind.name, &WarnedKind::name);
  return found == std::end(kWarnedKinds) ? nullptr : found;
}

RowsByType index_rows() {
  RowsByType out;
  for (const auto group : {kind_warnings(), pod_warnings(), volume_warnings()})
    for (const TypeWarnings& each : group) out.emplace(each.type, each.rows);
  return out;
}

std::span<const Warning> rows_of(std::string_view type) {
  static const RowsByType by_type = index_rows();
  const auto found = by_type.find(type);
  return found == by_type.end() ? std::span<const Warning>{} : found->second;
}

void collect(const Place& place, Warnings& out) {
  const auto walk = [&](std::string_view field) {
    place.each(field, [&](const Place& below) { collect(below, out); });
  };
  const std::span<const Warning> rows = rows_of(place.type().name);
  for (const Warning& row : rows) {
    if (row.warn != nullptr) {
      row.warn(place, out);
    } else if (row.text.empty()) {
      walk(row.field);
    } else if (place.has(row.field)) {
      out.push_back(warning_at(place.path(row.shown.empty() ? row.field : row.shown), row.text));
    }
  }
  const json::Object* members = place.value().if_object();
  if (members == nullptr) return;
  for (const auto& [name, member] : *members) {
    if (!member.is_object() && !member.is_array()) continue;
    if (name == "metadata" || (place.parent() == nullptr && name == "status")) continue;
    const bool walked = std::ranges::any_of(
        rows, [&name = name](const Warning& row) { return row.field == name && row.text.empty(); });
    if (!walked) walk(name);
  }
}

}  // namespace

std::string warning_at(const meta::FieldPath& path, std::string_view text) {
  return path.to_string().append(": ").append(text);
}

void warn_of_fraction(const meta::FieldPath& path, const json::Value* amount, Warnings& out) {
  const auto quantity = amount == nullptr ? std::nullopt : quantity_of(*amount);
  if (quantity && quantity->milli_value() % 1000 != 0)
    out.push_back(warning_at(path, "fractional byte value \"" + quantity->to_string() +
                                       "\" is invalid, must be an integer"));
}

void warn_of_fraction(const Place& place, std::string_view field, std::string_view resource,
                      Warnings& out) {
  warn_of_fraction(place.path(field).key(resource), place.map(field).find(resource), out);
}

std::vector<std::string> sent_warnings(const meta::TypeDescriptor& kind,
                                       const json::Value& object) {
  Warnings out;
  if (kind.name != "core.v1.Pod") return out;
  Walk walk;
  warn_of_app_armor(Place(walk, kind, object), out);
  return out;
}

std::vector<std::string> status_warnings(const meta::TypeDescriptor& kind,
                                         const json::Value& object) {
  Warnings out;
  Walk walk;
  warn_of_status_addresses(Place(walk, kind, object), out);
  return out;
}

std::vector<std::string> object_warnings(const meta::TypeDescriptor& kind,
                                         const json::Value& object, const json::Value* before) {
  Warnings out;
  const WarnedKind* warned = find_warned(kind);
  if (warned == nullptr) return out;
  const auto generation = [](const json::Value& of) {
    return of.int_at({"metadata", "generation"});
  };
  if (warned->of_new && before != nullptr) return out;
  if (warned->of_change && before != nullptr && generation(object) == generation(*before))
    return out;
  Walk walk;
  walk.before = before;
  collect(Place(walk, kind, warned->of_old && before != nullptr ? *before : object), out);
  return out;
}

}  // namespace kube::apiserver
