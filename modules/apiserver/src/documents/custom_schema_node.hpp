// SPDX-License-Identifier: Apache-2.0
//
// A node of a custom resource's schema, as the server works with it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "documents/custom_schema.hpp"

namespace kube::apiserver {

/// One level of a schema, read once.
struct CustomSchema::Node {
  std::string type{};
  bool nullable = false;
  bool preserve_unknown = false;
  bool int_or_string = false;
  bool embedded_resource = false;
  bool embeds = false;  ///< There is an embedded resource here or below.
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> properties{};
  std::map<std::string_view, const Node*> by_name{};  ///< The properties.
  std::unique_ptr<Node> additional{};
  bool additional_allowed = false;  ///< additionalProperties: true
  std::unique_ptr<Node> items{};
  std::optional<json::Value> default_{};
  std::size_t default_bytes = 0;  ///< Of the default as JSON.
  std::size_t filled_bytes = 0;   ///< The same with all defaults inside of it filled in.
  std::size_t absent_bytes = 0;   ///< Of all defaults that are filled into an empty object.

  static std::unique_ptr<Node> read(const json::Value& value);

  const Node* find(std::string_view name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
  }
};

}  // namespace kube::apiserver
