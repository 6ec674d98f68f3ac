// SPDX-License-Identifier: Apache-2.0
#include "validation/own_form.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <kube/base/ascii.hpp>

namespace kube::apiserver {
namespace {

/// A field whose name in Go is another word.
struct OwnName {
  std::string_view json;
  std::string_view go;
  std::string_view type{};  ///< The beginning of the type's name.
};

constexpr OwnName kOwnNames[] = {{"awsElasticBlockStore", "AWSElasticBlockStore"},
                                 {"cel", "CEL"},
                                 {"cephfs", "CephFS"},
                                 {"chapAuthDiscovery", "DiscoveryCHAPAuth"},
                                 {"chapAuthSession", "SessionCHAPAuth"},
                                 {"cidrs", "CIDRs"},
                                 {"csi", "CSI"},
                                 {"diskURI", "DataDiskURI"},
                                 {"dnsConfig", "DNSConfig"},
                                 {"dnsPolicy", "DNSPolicy"},
                                 {"endpoints", "EndpointsName", "core.v1.Glusterfs"},
                                 {"fc", "FC"},
                                 {"fsGroup", "FSGroup"},
                                 {"fsGroupChangePolicy", "FSGroupChangePolicy"},
                                 {"fsType", "FSType"},
                                 {"gcePersistentDisk", "GCEPersistentDisk"},
                                 {"gmsaCredentialSpec", "GMSACredentialSpec"},
                                 {"gmsaCredentialSpecName", "GMSACredentialSpecName"},
                                 {"grpc", "GRPC"},
                                 {"httpGet", "HTTPGet"},
                                 {"httpHeaders", "HTTPHeaders"},
                                 {"image", "RBDImage", "core.v1.RBD"},
                                 {"ip", "IP"},
                                 {"iqn", "IQN"},
                                 {"iscsi", "ISCSI"},
                                 {"iscsiInterface", "ISCSIInterface"},
                                 {"monitors", "CephMonitors", "core.v1.RBD"},
                                 {"nfs", "NFS"},
                                 {"os", "OS", "core.v1.PodSpec"},
                                 {"pdName", "PDName"},
                                 {"pool", "RBDPool", "core.v1.RBD"},
                                 {"rbd", "RBD"},
                                 {"serviceAccount", "DeprecatedServiceAccount", "core.v1.PodSpec"},
                                 {"sslEnabled", "SSLEnabled"},
                                 {"storageos", "StorageOS"},
                                 {"tcpSocket", "TCPSocket"},
                                 {"tty", "TTY"},
                                 {"uid", "UID"},
                                 {"user", "RadosUser", "core.v1.RBD"},
                                 {"wwids", "WWIDs"}};

/// Fields that the server's own type has, and the version does not, before another field.
struct OwnFields {
  std::string_view type;
  std::string_view next;
  std::array<std::string_view, 2> names;
};

constexpr OwnFields kOwnFields[] = {{"certificates.v1.PodCertificateRequestSpec",
                                     "stubPKCS10Request",
                                     {"PKIXPublicKey", "ProofOfPossession"}}};

void show_own_fields(std::string_view type, std::string_view next, json::Object& out) {
  for (const OwnFields& own : kOwnFields) {
    if (own.type != type || own.next != next) continue;
    for (const std::string_view name : own.names) out.set(name, nullptr);
  }
}

/// Types whose fields are counts or percentages, and 0 in the server when they are not there.
constexpr std::string_view kCountTypes[] = {"apps.v1.RollingUpdateDeployment",
                                            "apps.v1.RollingUpdateDaemonSet"};

// The members of metadata are those of the object that has it, in the order of their type.
void show_metadata(const meta::FieldDescriptor& field, const json::Value* metadata,
                   json::Object& out) {
  if (metadata == nullptr || !metadata->is_object()) return;
  const json::Value ordered = ordered_value(field, *metadata);
  for (const auto& [name, member] : *ordered.if_object()) {
    if (!member.is_null()) out.set(name, member);
  }
}

// Returns the value of a field that is not there.
json::Value own_absent(const meta::FieldDescriptor& field, bool message, const Emptied& emptied) {
  if (emptied.is_here()) {
    if (field.cardinality == meta::Cardinality::Plain) return "";  // bytes
    return field.cardinality == meta::Cardinality::Map ? json::Value(json::Object{})
                                                       : json::Value(json::Array{});
  }
  if (field.cardinality != meta::Cardinality::Plain) return nullptr;
  if (message) return own_form(*field.message, nullptr, emptied);
  if (field.kind == meta::ValueKind::String) return "";
  if (field.kind == meta::ValueKind::Bool) return false;
  return field.kind == meta::ValueKind::Int32 || field.kind == meta::ValueKind::Int64
             ? json::Value(0)
             : json::Value{};
}

}  // namespace

json::Value ordered_value(const meta::FieldDescriptor& field, const json::Value& value) {
  if (field.kind != meta::ValueKind::Message || field.message->json_form != meta::JsonForm::Object)
    return json::sorted_members(value);
  if (const json::Array* list = value.if_array()) {
    json::Array out;
    for (const json::Value& each : *list) out.push_back(ordered_value(field, each));
    return out;
  }
  if (field.cardinality == meta::Cardinality::Map || !value.is_object()) return value;
  json::Object out;
  for (const meta::FieldDescriptor* inner : field.message->keys.fields) {
    if (const json::Value* member = value.at_path({inner->json}))
      out.append(std::string(inner->json), ordered_value(*inner, *member));
  }
  return out;
}

// "seLinuxOptions" is "SELinuxOptions" in Go, "apiGroup" "APIGroup"; others differ in their first
// letter.
std::string own_name(std::string_view type, std::string_view json) {
  for (const OwnName& own : kOwnNames)
    if (own.json == json && type.starts_with(own.type)) return std::string(own.go);
  if (json.starts_with("api")) return "API" + std::string(json.substr(3));
  if (json.starts_with("seLinux")) return "SE" + std::string(json.substr(2));
  std::string out(json);
  out[0] = ascii::to_upper(json.substr(0, 1))[0];
  return out;
}

bool Emptied::is_here() const {
  return !paths.empty() && std::ranges::find(paths, at) != paths.end();
}

Emptied Emptied::child(std::string_view name) const {
  if (paths.empty()) return {};
  return {paths, at.empty() ? std::string(name) : at + "." + std::string(name)};
}

Emptied Emptied::index(std::size_t place) const {
  if (paths.empty()) return {};
  return {paths, at + "[" + std::to_string(place) + "]"};
}

json::Value own_field(const meta::FieldDescriptor& field, const json::Value* value,
                      const Emptied& emptied) {
  const bool message =
      field.kind == meta::ValueKind::Message && field.message->json_form == meta::JsonForm::Object;
  if (value == nullptr || value->is_null()) return own_absent(field, message, emptied);
  // Types of apimachinery have names for JSON.
  if (!message || field.message->name.starts_with("meta.")) return ordered_value(field, *value);
  const json::Array* list = value->if_array();
  if (list == nullptr) return own_form(*field.message, value, emptied);
  json::Array out;
  for (std::size_t i = 0; i < list->size(); ++i)
    out.push_back(own_form(*field.message, &(*list)[i], emptied.index(i)));
  return out;
}

json::Value own_form(const meta::TypeDescriptor& type, const json::Value* value,
                     const Emptied& emptied) {
  json::Object out;
  for (const meta::FieldDescriptor* field : type.keys.fields) {
    const json::Value* member = value == nullptr ? nullptr : value->at_path({field->json});
    if (field->message != nullptr && field->message->name == "meta.v1.ObjectMeta") {
      show_metadata(*field, member, out);
      continue;
    }
    show_own_fields(type.name, field->json, out);
    const bool is_absent = member == nullptr || member->is_null();
    out.set(own_name(type.name, field->json),
            is_absent && std::ranges::find(kCountTypes, type.name) != std::end(kCountTypes)
                ? json::Value(0)
                : own_field(*field, member, emptied.child(field->json)));
  }
  return out;
}

}  // namespace kube::apiserver
