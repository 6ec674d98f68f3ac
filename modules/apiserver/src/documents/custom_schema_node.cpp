// SPDX-License-Identifier: Apache-2.0
#include "documents/custom_schema_node.hpp"

#include <algorithm>
#include <limits>

#include "documents/metadata.hpp"

namespace kube::apiserver {
namespace {

using Node = CustomSchema::Node;

std::size_t sum(std::size_t a, std::size_t b) {
  return a + std::min(b, std::numeric_limits<std::size_t>::max() - a);
}

// Bytes of a value once the defaults below are filled in, roughly. The nodes below are complete.
std::size_t filled_bytes(const Node& node, const json::Value& value) {
  if (const json::Array* items = value.if_array(); items != nullptr && node.items) {
    std::size_t bytes = 2;
    for (const json::Value& item : *items) bytes = sum(bytes, filled_bytes(*node.items, item) + 1);
    return bytes;
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return json::dump(value).size();
  std::size_t bytes = 2;
  std::size_t present = 0;  // defaults that are not needed
  for (const auto& [name, member] : *object) {
    const Node* property = node.find(name);
    const Node* schema = property != nullptr ? property : node.additional.get();
    if (property != nullptr && property->default_)
      present = sum(present, sum(property->filled_bytes, name.size() + 4));
    bytes =
        sum(bytes, schema == nullptr ? json::dump(member).size() : filled_bytes(*schema, member));
    bytes = sum(bytes, name.size() + 4);
  }
  return sum(bytes, node.absent_bytes - std::min(present, node.absent_bytes));
}

void count_defaults(Node& node) {
  for (const auto& [name, child] : node.properties) {
    if (child->default_)
      node.absent_bytes = sum(node.absent_bytes, sum(child->filled_bytes, name.size() + 4));
  }
  if (!node.default_) return;
  node.default_bytes = json::dump(*node.default_).size();
  node.filled_bytes = filled_bytes(node, *node.default_);
}

}  // namespace

std::unique_ptr<Node> Node::read(const json::Value& value) {
  auto node = std::make_unique<Node>();
  if (!value.is_object()) {
    node->preserve_unknown = true;
    return node;
  }
  const json::Object& schema = *value.if_object();
  node->type = value.string_at({"type"});
  node->nullable = bool_at(value, {"nullable"});
  node->preserve_unknown = bool_at(value, {"x-kubernetes-preserve-unknown-fields"});
  node->int_or_string = bool_at(value, {"x-kubernetes-int-or-string"});
  node->embedded_resource = bool_at(value, {"x-kubernetes-embedded-resource"});
  if (const json::Value* properties = schema.find("properties");
      properties != nullptr && properties->is_object()) {
    for (const auto& [name, child] : *properties->if_object()) {
      node->properties.emplace_back(name, read(child));
    }
    for (const auto& [name, child] : node->properties) node->by_name.emplace(name, child.get());
  }
  if (const json::Value* additional = schema.find("additionalProperties")) {
    if (additional->is_object()) {
      node->additional = read(*additional);
    } else {
      node->additional_allowed = bool_at(value, {"additionalProperties"});
    }
  }
  if (const json::Value* items = schema.find("items")) node->items = read(*items);
  if (const json::Value* otherwise = schema.find("default")) node->default_ = *otherwise;
  node->embeds =
      node->embedded_resource || (node->additional && node->additional->embeds) ||
      (node->items && node->items->embeds) ||
      std::ranges::any_of(node->properties, [](const auto& each) { return each.second->embeds; });
  count_defaults(*node);
  return node;
}

}  // namespace kube::apiserver
