// SPDX-License-Identifier: Apache-2.0
//
// ConfigMaps, Secrets, priorities of pods.
#include <kube/json/base64.hpp>
#include <kube/json/text.hpp>

#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

constexpr std::size_t kMaxDataBytes = 1024 * 1024;
constexpr std::int64_t kMaxUserPriority = 1'000'000'000;

// Returns the bytes of the values.
std::size_t check_data_keys(const Place& object, std::string_view field, bool encoded) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : object.map(field)) {
    report_problems(object, object.path(field).key(key), key, meta::validate_config_map_key(key));
    const std::string_view text = value.string_or_empty();
    bytes += encoded ? text.size() / 4 * 3 - (text.ends_with("==")  ? 2
                                              : text.ends_with('=') ? 1
                                                                    : 0)
                     : text.size();
  }
  return bytes;
}

void check_config_map(const Place& map) {
  std::size_t bytes = check_data_keys(map, "data", false);
  for (const auto& [key, value] : map.map("data")) {
    if (map.map("binaryData").contains(key))
      map.report(FieldError::invalid(map.path("data").key(key), key,
                                     "duplicate of key present in binaryData"));
  }
  bytes += check_data_keys(map, "binaryData", true);
  if (bytes > kMaxDataBytes) map.report(FieldError::too_long(meta::FieldPath(""), kMaxDataBytes));
}

void require_key(const Place& secret, std::string_view key) {
  if (!secret.map("data").contains(key))
    secret.report(FieldError::required(secret.path("data").key(key), {}));
}

// The document of a registry's credentials.
void check_registry_document(const Place& secret, std::string_view key) {
  const json::Value* encoded = secret.map("data").find(key);
  if (encoded == nullptr) return require_key(secret, key);
  const auto bytes = json::read_base64(encoded->string_or_empty());
  const auto wrong = bytes ? json::find_syntax_error(*bytes) : std::nullopt;
  const meta::FieldPath path = secret.path("data").key(key);
  constexpr std::string_view kHidden = "<secret contents redacted>";
  if (wrong) return secret.report(FieldError::invalid(path, kHidden, wrong->message));
  const auto document = bytes ? json::parse(*bytes) : Result<json::Value>(json::Value{});
  if (document && !document->is_object() && !document->is_null()) {
    secret.report(FieldError::invalid(path, kHidden,
                                      "json: cannot unmarshal " +
                                          std::string(document->type_name()) +
                                          " into Go value of type map[string]interface {}"));
  }
}

void check_secret_type(const Place& secret) {
  constexpr std::string_view kAccount = "kubernetes.io/service-account.name";
  const std::string_view type = secret.text("type");
  if (type == "kubernetes.io/service-account-token") {
    if (secret.value().string_at({"metadata", "annotations", kAccount}).empty())
      secret.report(
          FieldError::required(secret.path("metadata").child("annotations").key(kAccount), {}));
  } else if (type == "kubernetes.io/dockercfg") {
    check_registry_document(secret, ".dockercfg");
  } else if (type == "kubernetes.io/dockerconfigjson") {
    check_registry_document(secret, ".dockerconfigjson");
  } else if (type == "kubernetes.io/basic-auth") {
    const json::Object& data = secret.map("data");
    if (data.contains("username") || data.contains("password")) return;
    require_key(secret, "username");
    require_key(secret, "password");
  } else if (type == "kubernetes.io/ssh-auth") {
    const json::Value* key = secret.map("data").find("ssh-privatekey");
    if (key == nullptr || key->string_or_empty().empty())
      secret.report(FieldError::required(secret.path("data").key("ssh-privatekey"), {}));
  } else if (type == "kubernetes.io/tls") {
    require_key(secret, "tls.crt");
    require_key(secret, "tls.key");
  }
}

void check_secret(const Place& secret) {
  if (check_data_keys(secret, "data", true) > kMaxDataBytes)
    secret.report(FieldError::too_long(secret.path("data"), kMaxDataBytes));
  check_secret_type(secret);
}

struct SystemPriority {
  std::string_view name;
  std::int64_t value;
};

constexpr SystemPriority kSystemPriorities[] = {{"system-node-critical", 2'000'001'000},
                                                {"system-cluster-critical", 2'000'000'000}};

std::string system_priority_problem(const Place& priority, std::string_view name) {
  for (const SystemPriority& known : kSystemPriorities) {
    if (known.name != name) continue;
    if (priority.number("value").value_or(0) != known.value)
      return "value of " + std::string(name) + " PriorityClass must be " +
             std::to_string(known.value);
    if (priority.is_true("globalDefault"))
      return "globalDefault of " + std::string(name) + " PriorityClass must be false";
    return {};
  }
  return std::string(name) + " is not a known system priority class";
}

// An update can't change what is checked here.
void check_priority(const Place& priority) {
  if (priority.walk().before != nullptr) return;
  const std::string_view name = priority.value().string_at({"metadata", "name"});
  if (name.starts_with("system-")) {
    const std::string problem = system_priority_problem(priority, name);
    if (!problem.empty())
      priority.report(FieldError::forbidden(
          priority.path("metadata").child("name"),
          "priority class names with 'system-' prefix are reserved for system use only. error: " +
              problem));
  } else if (priority.number("value").value_or(0) > kMaxUserPriority) {
    priority.forbidden("value", "maximum allowed value of a user defined priority is 1000000000");
  }
}

// An update can't change it, and says nothing else of it.
void check_new_preemption_policy(const Place& priority) {
  if (priority.walk().before == nullptr) check_preemption_policy(priority);
}

constexpr Rule kConfigMapRules[] = {rules::call(check_config_map)};
constexpr Rule kSecretRules[] = {rules::call(check_secret)};
constexpr Rule kPriorityRules[] = {rules::call(check_priority),
                                   rules::call(check_new_preemption_policy)};

constexpr TypeRules kConfigTypes[] = {
    {"core.v1.ConfigMap", kConfigMapRules},
    {"core.v1.Secret", kSecretRules},
    {"scheduling.v1.PriorityClass", kPriorityRules},
};

}  // namespace

std::span<const TypeRules> config_types() {
  return kConfigTypes;
}

}  // namespace kube::apiserver
