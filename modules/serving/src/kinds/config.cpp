// SPDX-License-Identifier: Apache-2.0
//
// ConfigMaps and Secrets.
#include <string>
#include <utility>

#include <kube/json/base64.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

using meta::FieldError;
using meta::FieldErrors;
using meta::FieldPath;

bool is_frozen(const json::Value& object) {
  return object.true_at({"immutable"});
}

FieldErrors validate_frozen(const json::Value& after, const json::Value* before,
                            std::span<const std::string> /*emptied*/) {
  FieldErrors errors;
  if (before == nullptr || !is_frozen(*before)) return errors;
  constexpr std::string_view kText = "field is immutable when `immutable` is set";
  if (!is_frozen(after)) {
    errors.push_back(FieldError::forbidden(FieldPath("immutable"), std::string(kText)));
  }
  for (const std::string_view field : {"data", "binaryData"}) {
    if (same_member(after, *before, {field})) continue;
    errors.push_back(FieldError::forbidden(FieldPath(field), std::string(kText)));
  }
  return errors;
}

// Texts are kept as data.
void encode_strings(json::Value& object, const json::Value* /*before*/,
                    const std::string& /*now*/) {
  json::Object& secret = *object.if_object();
  const json::Value* text = secret.find("stringData");
  if (text == nullptr) return;
  if (text->is_object()) {
    const json::Object strings = *text->if_object();
    json::Object& data = child(secret, "data");
    for (const auto& [key, value] : strings) {
      std::string encoded;
      json::write_base64(value.string_or_empty(), encoded);
      data.set(key, std::move(encoded));
    }
  }
  secret.erase("stringData");
}

json::Value data_count(const CellInput& input) {
  std::size_t count = 0;
  for (const std::string_view member : {"data", "binaryData"}) {
    const json::Value* data = input.object.at_path({member});
    if (data != nullptr && data->is_object()) count += data->if_object()->size();
  }
  return static_cast<std::int64_t>(count);
}

constexpr Cell kConfigMapCells[] = {
    {"Data", data_count},
};
constexpr Cell kSecretCells[] = {
    {"Data", cells::count},
};

constexpr KindRules kConfigRules[] = {
    {.group = "", .resource = "configmaps", .cells = kConfigMapCells, .validate = validate_frozen},
    {.group = "",
     .resource = "secrets",
     .cells = kSecretCells,
     .prepare = encode_strings,
     .validate = validate_frozen},
};

}  // namespace

bool is_confidential(std::string_view kind) {
  return kind == "Secret";
}

Kinds config_kinds() {
  return kConfigRules;
}

}  // namespace kube::serving
