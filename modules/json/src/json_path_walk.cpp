// SPDX-License-Identifier: Apache-2.0
#include "json_path_walk.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace kube::json::path {
namespace {

Error wrong(std::string text) {
  return {ErrorCode::InvalidArgument, std::move(text)};
}

std::optional<std::int64_t> integer_of(const Value& value) {
  const std::int64_t* found = value.if_int();
  return found == nullptr ? std::nullopt : std::optional(*found);
}

long double number_of(const Value& value) {
  if (const auto* integer = value.if_int()) return static_cast<long double>(*integer);
  if (const auto* large = value.if_uint()) return static_cast<long double>(*large);
  return static_cast<long double>(*value.if_double());
}

// Numbers are compared as numbers, texts by their bytes, booleans for equality only.
Result<bool> compare(const Value& left, Operator op, const Value& right) {
  std::partial_ordering order = std::partial_ordering::unordered;
  if (left.is_number() && right.is_number()) {
    const auto a = integer_of(left);
    const auto b = integer_of(right);
    order = a && b ? std::partial_ordering(*a <=> *b) : number_of(left) <=> number_of(right);
  } else if (left.is_string() && right.is_string()) {
    order = left.if_string()->compare(*right.if_string()) <=> 0;
  } else if (left.is_bool() && right.is_bool()) {
    if (op != Operator::Equal && op != Operator::NotEqual)
      return wrong("invalid type for comparison: booleans have no order");
    order = *left.if_bool() == *right.if_bool() ? std::partial_ordering::equivalent
                                                : std::partial_ordering::less;
  } else {
    const std::string found =
        ": found " + std::string(left.type_name()) + " and " + std::string(right.type_name());
    return wrong((left.type_name() == right.type_name() ? "invalid type for comparison"
                                                        : "incompatible types for comparison") +
                 found);
  }
  switch (op) {
    case Operator::Equal:
      return std::is_eq(order);
    case Operator::NotEqual:
      return std::is_neq(order);
    case Operator::Less:
      return std::is_lt(order);
    case Operator::LessEqual:
      return std::is_lteq(order);
    case Operator::Greater:
      return std::is_gt(order);
    case Operator::GreaterEqual:
      return std::is_gteq(order);
    case Operator::Exists:
      break;
  }
  return true;
}

}  // namespace

Result<Found> Walk::follow(const Nodes& nodes, Found in, std::size_t first) {
  // Most paths begin with members of one object.
  while (in.size() == 1 && first < nodes.size() && nodes[first].kind == Node::Kind::Field) {
    const Object* object = in.front()->if_object();
    const Value* found = object == nullptr ? nullptr : object->find(nodes[first].name);
    if (found == nullptr) break;
    in.front() = found;
    ++first;
  }
  Found out;
  for (; first < nodes.size(); ++first) {
    out.clear();
    if (auto done = step(nodes[first], in, out); !done) return done.error();
    std::swap(in, out);
  }
  return in;
}

Result<void> Walk::step(const Node& node, const Found& in, Found& out) {
  switch (node.kind) {
    case Node::Kind::Field:
      return field(node, in, out);
    case Node::Kind::Literal:
      // A text is printed once, whatever was found before it.
      out.assign(node.literal.is_string() ? 1 : in.size(), &node.literal);
      return {};
    case Node::Kind::Slice:
      return slice(node, in, out);
    case Node::Kind::All:
      for (const Value* value : in) {
        if (auto done = members(*value, out); !done) return done;
      }
      return {};
    case Node::Kind::Recursive:
      for (const Value* value : in) {
        if (auto done = descend(*value, out); !done) return done;
      }
      return {};
    case Node::Kind::Union:
      for (const Nodes& list : node.lists) {
        auto found = follow(list, in, 0);
        if (!found) return found.error();
        for (const Value* value : *found) {
          const auto more = look(*value, out);
          if (!more || !*more) return more ? Result<void>() : more.error();
        }
      }
      return {};
    case Node::Kind::Filter:
      return filter(node, in, out);
  }
  return {};
}

// Returns false when no more values are to be looked at.
Result<bool> Walk::look(const Value& value, Found& out) {
  if (left_ == 0) {
    if (mode_ == Mode::Bounded) return false;
    return wrong("the JSON path leads to too many values");
  }
  --left_;
  out.push_back(&value);
  return true;
}

Result<void> Walk::field(const Node& node, const Found& in, Found& out) {
  for (const Value* value : in) {
    const Object* object = value->if_object();
    const Value* found = object == nullptr ? nullptr : object->find(node.name);
    if (found != nullptr) out.push_back(found);
  }
  if (out.empty() && !in.empty() && mode_ == Mode::Strict)
    return wrong(node.name + " is not found");
  return {};
}

Result<void> Walk::slice(const Node& node, const Found& in, Found& out) {
  for (const Value* value : in) {
    if (value->is_null()) continue;
    const Array* items = value->if_array();
    if (items == nullptr) return wrong(std::string(value->type_name()) + " is not array or slice");
    const auto size = static_cast<std::int64_t>(items->size());
    const Slice& wanted = node.slice;
    std::int64_t begin = wanted.begin.value_or(0);
    std::int64_t end = wanted.end.value_or(size);
    if (begin < 0) begin += size;
    if (end < 0) end += size;
    if (begin == end && !wanted.single) continue;
    const auto outside = [&](std::int64_t at) {
      return wrong("array index out of bounds: index " + std::to_string(at) + ", length " +
                   std::to_string(size));
    };
    if (begin < 0 || begin >= size) return outside(begin);
    if (wanted.single) end = begin + 1;
    if (end < 0 || end > size) return outside(end - 1);
    if (begin > end)
      return wrong("starting index " + std::to_string(begin) + " is greater than ending index " +
                   std::to_string(end));
    const std::int64_t step = wanted.step.value_or(1);
    if (step <= 0) return wrong("step must be > 0");
    for (std::int64_t i = begin; i < end; i += std::min(step, end - i)) {
      const auto more = look((*items)[static_cast<std::size_t>(i)], out);
      if (!more || !*more) return more ? Result<void>() : more.error();
    }
  }
  return {};
}

Result<void> Walk::members(const Value& value, Found& out) {
  const auto add = [&](const Value& each) { return look(each, out); };
  if (const Object* object = value.if_object()) {
    for (const auto& [name, member] : *object) {
      const auto more = add(member);
      if (!more || !*more) return more ? Result<void>() : more.error();
    }
  }
  if (const Array* items = value.if_array()) {
    for (const Value& item : *items) {
      const auto more = add(item);
      if (!more || !*more) return more ? Result<void>() : more.error();
    }
  }
  return {};
}

// Finds the values that have parts, a value before its parts; texts have, too, as in kubectl.
Result<void> Walk::descend(const Value& value, Found& out) {
  const Object* object = value.if_object();
  const Array* items = value.if_array();
  const bool has_parts = (object != nullptr && !object->empty()) ||
                         (items != nullptr && !items->empty()) || !value.string_or_empty().empty();
  if (!has_parts) return {};
  if (const auto more = look(value, out); !more || !*more)
    return more ? Result<void>() : more.error();
  if (object != nullptr) {
    for (const auto& [name, member] : *object) {
      if (auto done = descend(member, out); !done) return done;
    }
  }
  if (items != nullptr) {
    for (const Value& item : *items) {
      if (auto done = descend(item, out); !done) return done;
    }
  }
  return {};
}

Result<void> Walk::filter(const Node& node, const Found& in, Found& out) {
  for (const Value* value : in) {
    if (value->is_null()) continue;
    const Array* items = value->if_array();
    if (items == nullptr)
      return wrong(std::string(value->type_name()) +
                   " is not array or slice and cannot be filtered");
    for (const Value& item : *items) {
      if (left_ == 0 && mode_ == Mode::Bounded) return {};
      if (left_ == 0) return wrong("the JSON path leads to too many values");
      --left_;
      const auto passed = passes(node, item);
      if (!passed) return passed.error();
      if (*passed) out.push_back(&item);
    }
  }
  return {};
}

Result<bool> Walk::passes(const Node& node, const Value& value) {
  const auto left = follow(node.lists[0], {&value}, 0);
  if (node.op == Operator::Exists) return left && !left->empty();
  if (!left) return left.error();
  if (left->empty()) return false;
  if (left->size() > 1) return wrong("can only compare one element at a time");
  const auto right = follow(node.lists[1], {&value}, 0);
  if (!right) return right.error();
  if (right->empty()) return false;
  if (right->size() > 1) return wrong("can only compare one element at a time");
  return compare(*left->front(), node.op, *right->front());
}

}  // namespace kube::json::path
