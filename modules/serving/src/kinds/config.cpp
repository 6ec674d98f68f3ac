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
    {.group = "", .resource = "configmaps", .cells = kConfigMapCells},
    {.group = "", .resource = "secrets", .cells = kSecretCells, .prepare = encode_strings},
};

}  // namespace

bool is_confidential(std::string_view kind) {
  return kind == "Secret";
}

Kinds config_kinds() {
  return kConfigRules;
}

}  // namespace kube::serving
