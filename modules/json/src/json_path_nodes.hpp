// SPDX-License-Identifier: Apache-2.0
//
// A JSONPath expression as the parser reads it and the walk follows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kube/json/value.hpp>

namespace kube::json::path {

struct Node;
using Nodes = std::vector<Node>;

enum class Operator : std::uint8_t {
  Exists,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual
};

/// "[begin:end:step]"; "[n]" has begin only.
struct Slice {
  std::optional<std::int64_t> begin{};
  std::optional<std::int64_t> end{};
  std::optional<std::int64_t> step{};
  bool single = false;
};

struct Node {
  enum class Kind : std::uint8_t { Field, Literal, Slice, All, Recursive, Union, Filter };
  Kind kind = Kind::Field;
  std::string name{};          ///< Field.
  Value literal{};             ///< Literal.
  Slice slice{};               ///< Slice.
  Operator op{};               ///< Filter.
  std::vector<Nodes> lists{};  ///< Union: its members. Filter: the left and the right side.
};

}  // namespace kube::json::path
