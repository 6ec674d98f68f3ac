// SPDX-License-Identifier: Apache-2.0
#include "node.hpp"

namespace kube::schema {

using json::Array;
using json::Object;
using json::Value;

Node::Node(const Value& value, std::string path, Problem& problem)
    : value_(&value), object_(value.if_object()), path_(std::move(path)), problem_(&problem) {
  if (object_ == nullptr) fail("expected an object, found " + std::string(value.type_name()));
}

void Node::fail_for(std::string_view key, const std::vector<std::string>& problems) const {
  if (!problems.empty()) fail(key, "Invalid value: \"" + text(key) + "\": " + problems.back());
}

const Value* Node::find(std::string_view key) const {
  const Value* value = object_ == nullptr ? nullptr : object_->find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void Node::wrong(std::string_view key, std::string_view expected, const Value& found) const {
  fail(key, "expected " + std::string(expected) + ", found " + std::string(found.type_name()));
}

std::string Node::text(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return {};
  if (!value->is_string()) wrong(key, "a string", *value);
  return std::string(value->string_or_empty());
}

std::string Node::required_text(std::string_view key) const {
  std::string found = text(key);
  if (found.empty()) fail(key, "Required value: expected a string");
  return found;
}

bool Node::flag(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return false;
  if (!value->is_bool()) wrong(key, "a boolean", *value);
  return value->is_bool() && *value->if_bool();
}

std::int64_t Node::number(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return 0;
  if (!value->is_int()) wrong(key, "an integer", *value);
  return value->is_int() ? *value->if_int() : 0;
}

const Array& Node::list(std::string_view key) const {
  static const Array none;
  const Value* value = find(key);
  if (value == nullptr) return none;
  if (value->is_array()) return *value->if_array();
  wrong(key, "an array", *value);
  return none;
}

const Object& Node::object(std::string_view key) const {
  static const Object none;
  const Value* value = find(key);
  if (value == nullptr) return none;
  if (value->is_object()) return *value->if_object();
  wrong(key, "an object", *value);
  return none;
}

std::vector<std::string> Node::texts(std::string_view key) const {
  std::vector<std::string> out;
  for (const Value& value : list(key)) {
    if (!value.is_string()) wrong(key, "an array of strings only", value);
    out.emplace_back(value.string_or_empty());
  }
  return out;
}

std::optional<Node> Node::child(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  return Node(*value, path_of(key), *problem_);
}

void Node::each_element(std::string_view key, const std::function<void(const Node&)>& visit) const {
  std::size_t index = 0;
  for (const Value& value : list(key)) {
    if (problem_->has_enough()) return;
    visit(Node(value, path_of(key) + "[" + std::to_string(index++) + "]", *problem_));
  }
}

std::vector<Node> Node::children(std::string_view key) const {
  std::vector<Node> out;
  each_element(key, [&](const Node& child) { out.push_back(child); });
  return out;
}

std::optional<Node> Node::member(std::string_view key, std::string_view name) const {
  const Value* value = object(key).find(name);
  if (value == nullptr) return std::nullopt;
  return Node(*value, path_of(key) + "[" + std::string(name) + "]", *problem_);
}

void Node::each_member(
    std::string_view key,
    const std::function<void(const std::string& name, const Node&)>& visit) const {
  for (const auto& [name, value] : object(key)) {
    if (problem_->has_enough()) return;
    visit(name, Node(value, path_of(key) + "[" + name + "]", *problem_));
  }
}

std::vector<std::pair<std::string, Node>> Node::members(std::string_view key) const {
  std::vector<std::pair<std::string, Node>> out;
  each_member(key,
              [&](const std::string& name, const Node& child) { out.emplace_back(name, child); });
  return out;
}

}  // namespace kube::schema
