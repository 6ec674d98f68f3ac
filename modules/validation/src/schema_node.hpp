// SPDX-License-Identifier: Apache-2.0
//
// A compiled schema, which SchemaValidator and StructuralSchema share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/json/value.hpp>
#include <kube/validation/schema_validator.hpp>

#include "schema_format.hpp"
#include "schema_pattern.hpp"

namespace kube::meta {

/// One level of a schema, compiled.
struct SchemaValidator::Node {
  std::vector<std::string> types{};
  std::string type_text{};  ///< "integer,string"
  std::string format{};
  FormatCheck check_format = nullptr;
  bool nullable = false;
  bool embedded_resource = false;
  bool embeds = false;  ///< An embedded resource is here or below.
  bool preserve_unknown = false;
  bool additional_allowed = false;  ///< additionalProperties: true
  std::optional<json::Value> default_value{};
  std::size_t default_bytes = 0;  ///< Size of the default as JSON.
  std::size_t filled_bytes = 0;   ///< The same with all nested defaults filled in.
  std::size_t absent_bytes = 0;   ///< Size of all defaults that are filled into an empty object.
  std::vector<std::pair<std::string, const Node*>> properties{};
  std::vector<std::size_t> by_name{};  ///< Indexes of the properties by name, if there are many.
  const Node* additional = nullptr;
  const Node* items = nullptr;
  std::vector<std::string> required{};
  json::Array allowed{};  ///< enum
  // If there are many: those that are not numbers, and those that are, both sorted.
  std::vector<std::string> allowed_texts{};
  std::vector<std::pair<double, json::Value>> allowed_numbers{};
  std::optional<json::Value> minimum{};
  std::optional<json::Value> maximum{};
  std::optional<json::Value> multiple_of{};
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<std::int64_t> min_length{};
  std::optional<std::int64_t> max_length{};
  std::optional<std::int64_t> min_items{};
  std::optional<std::int64_t> max_items{};
  std::optional<std::int64_t> min_properties{};
  std::optional<std::int64_t> max_properties{};
  bool unique_items = false;
  std::optional<Pattern> pattern{};
  std::string pattern_text{};
  std::vector<const Node*> all_of{};
  std::vector<const Node*> any_of{};
  std::vector<const Node*> one_of{};
  const Node* not_ = nullptr;
  std::string list_type{};
  std::vector<std::string> list_map_keys{};

  /// Prepares find() and allows(), and measures defaults, when the properties, items, allowed
  /// values and the default are complete.
  void finish();
  bool allows(const json::Value& value) const;
  const Node* find(std::string_view name) const;
  bool has_type(std::string_view type) const {
    return std::ranges::find(types, type) != types.end();
  }
};

struct SchemaValidator::Impl {
  std::vector<std::unique_ptr<Node>> nodes{};
  const Node* root = nullptr;
  std::vector<std::string> unchecked{};
  FieldErrors refused_patterns{};
};

namespace detail {

using SchemaNode = SchemaValidator::Node;

inline std::optional<double> number_of(const json::Value& value) {
  if (const std::int64_t* integer = value.if_int()) return static_cast<double>(*integer);
  if (const std::uint64_t* integer = value.if_uint()) return static_cast<double>(*integer);
  if (const double* number = value.if_double()) return *number;
  return std::nullopt;
}

}  // namespace detail
}  // namespace kube::meta
