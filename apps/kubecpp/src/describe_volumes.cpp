// SPDX-License-Identifier: Apache-2.0
#include "describe_volumes.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/names/labels.hpp>

namespace kubecpp {
namespace {

namespace json = kube::json;
using json::Value;

// A field of a volume's source: its label, its name, and what to print when it is missing.
struct SourceField {
  std::string_view label;
  std::string_view field;
  std::string_view missing = "";
};

// A kind of source that is printed field by field.
struct SourceKind {
  std::string_view field;
  std::string_view type;
  std::vector<SourceField> fields;
};

const std::vector<SourceKind>& source_kinds() {
  static const std::vector<SourceKind> kinds = {
      {"hostPath",
       "HostPath (bare host directory volume)",
       {{"Path", "path"}, {"HostPathType", "type", "<none>"}}},
      {"emptyDir",
       "EmptyDir (a temporary directory that shares a pod's lifetime)",
       {{"Medium", "medium"}, {"SizeLimit", "sizeLimit", "<unset>"}}},
      {"gitRepo",
       "GitRepo (a volume that is pulled from git when the pod is created)",
       {{"Repository", "repository"}, {"Revision", "revision"}}},
      {"secret",
       "Secret (a volume populated by a Secret)",
       {{"SecretName", "secretName"}, {"Optional", "optional", "false"}}},
      {"configMap",
       "ConfigMap (a volume populated by a ConfigMap)",
       {{"Name", "name"}, {"Optional", "optional", "false"}}},
      {"nfs",
       "NFS (an NFS mount that lasts the lifetime of a pod)",
       {{"Server", "server"}, {"Path", "path"}, {"ReadOnly", "readOnly", "false"}}},
      {"persistentVolumeClaim",
       "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
       {{"ClaimName", "claimName"}, {"ReadOnly", "readOnly", "false"}}},
      {"csi",
       "CSI (a Container Storage Interface (CSI) volume source)",
       {{"Driver", "driver"}, {"FSType", "fsType"}, {"ReadOnly", "readOnly", "false"}}},
      {"image",
       "Image (a container image or OCI artifact)",
       {{"Reference", "reference"}, {"PullPolicy", "pullPolicy"}}}};
  return kinds;
}

std::string field_text(const Value& source, const SourceField& field) {
  const Value* value = source.at_path({field.field});
  return value == nullptr || value->is_null() ? std::string(field.missing) : go_text(*value);
}

void add_attributes(const Value& source, Description& out) {
  const Value* attributes = source.at_path({"volumeAttributes"});
  out.add(2, "VolumeAttributes:\t");
  if (attributes == nullptr || !attributes->is_object() || attributes->if_object()->empty())
    return out.add(0, "<none>\n");
  const Value sorted = json::sorted_members(*attributes);
  bool is_first = true;
  for (const auto& [key, value] : *sorted.if_object()) {
    if (!std::exchange(is_first, false)) out.add(4, "\t");
    out.add(2, key + "=" + go_text(value) + "\n");
  }
}

void add_items(const Value& source, Description& out) {
  out.field(2, "Type", "DownwardAPI (a volume populated by information about the pod)");
  out.add(2, "Items:\n");
  for (const Value& item : source.array_at({"items"})) {
    for (const auto& [reference, field] :
         {std::pair("fieldRef", "fieldPath"), {"resourceFieldRef", "resource"}}) {
      const Value* from = item.at_path({reference});
      if (from == nullptr) continue;
      out.add(3, std::string(from->string_at({field})) + " -> " +
                     std::string(item.string_at({"path"})) + "\n");
    }
  }
}

void add_projected(const Value& source, Description& out) {
  out.field(2, "Type", "Projected (a volume that contains injected data from multiple sources)");
  for (const Value& each : source.array_at({"sources"})) {
    const Value* secret = each.at_path({"secret"});
    const Value* map = each.at_path({"configMap"});
    if (secret != nullptr) {
      out.field(2, "SecretName", secret->string_at({"name"}));
      out.field(2, "Optional", secret->true_at({"optional"}) ? "true" : "false");
    } else if (each.at_path({"downwardAPI"}) != nullptr) {
      out.field(2, "DownwardAPI", "true");
    } else if (map != nullptr) {
      out.field(2, "ConfigMapName", map->string_at({"name"}));
      out.field(2, "Optional", map->true_at({"optional"}) ? "true" : "false");
    } else if (const Value* token = each.at_path({"serviceAccountToken"})) {
      out.field(2, "TokenExpirationSeconds",
                std::to_string(token->int_at({"expirationSeconds"}).value_or(0)));
    }
  }
}

void add_source(const Value& volume, Description& out) {
  for (const SourceKind& kind : source_kinds()) {
    const Value* source = volume.at_path({kind.field});
    if (source == nullptr || !source->is_object()) continue;
    out.field(2, "Type", kind.type);
    for (const SourceField& field : kind.fields)
      out.field(2, field.label, field_text(*source, field));
    if (kind.field == "csi") add_attributes(*source, out);
    return;
  }
  if (const Value* items = volume.at_path({"downwardAPI"})) return add_items(*items, out);
  if (const Value* projected = volume.at_path({"projected"})) return add_projected(*projected, out);
  // The rare ones: the fields of the source, as the generic description prints them.
  for (const auto& [name, source] : *volume.if_object()) {
    if (!source.is_object()) continue;
    out.field(2, "Type", field_label(name));
    for (const auto& [field, value] : *source.if_object())
      out.field(2, field_label(field), go_text(value));
    return;
  }
  out.add(1, "<unknown>\n");
}

kube::labels::Operator operator_of(std::string_view word) {
  using kube::labels::Operator;
  if (word == "NotIn") return Operator::NotIn;
  if (word == "Exists") return Operator::Exists;
  return word == "DoesNotExist" ? Operator::DoesNotExist : Operator::In;
}

}  // namespace

void describe_volumes(const json::Array& volumes, bool in_template, Description& out) {
  const std::string indent = in_template ? "  " : "";
  out.add(0, indent + (volumes.empty() ? "Volumes:\t<none>\n" : "Volumes:\n"));
  for (const Value& volume : volumes) {
    if (!volume.is_object()) continue;
    out.add(1, (in_template ? " " : "") + std::string(volume.string_at({"name"})) + ":\n");
    add_source(volume, out);
  }
}

std::string label_selector_text(const Value& selector) {
  std::vector<kube::labels::Requirement> requirements;
  if (const Value* labels = selector.at_path({"matchLabels"});
      labels != nullptr && labels->is_object()) {
    for (const auto& [key, value] : *labels->if_object())
      requirements.push_back(
          {key, kube::labels::Operator::Equals, {std::string(value.string_or_empty())}});
  }
  for (const Value& each : selector.array_at({"matchExpressions"})) {
    kube::labels::Requirement requirement{std::string(each.string_at({"key"})),
                                          operator_of(each.string_at({"operator"}))};
    for (const Value& value : each.array_at({"values"}))
      requirement.values.emplace_back(value.string_or_empty());
    requirements.push_back(std::move(requirement));
  }
  if (requirements.empty()) return "<none>";
  const auto checked = kube::labels::Selector::from_requirements(std::move(requirements));
  return checked ? checked->to_string() : "<error>";
}

}  // namespace kubecpp
