// SPDX-License-Identifier: Apache-2.0
//
// Field selectors: "metadata.name=x,status.phase!=Running". Which fields a resource supports is the
// server's affair; here is the syntax.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>

namespace kube::fields {

struct Requirement {
  std::string field;
  bool equals = true;  ///< false: !=
  std::string value{};
  bool operator==(const Requirement&) const = default;
};

/// The value of a field; an absent field counts as "".
using Lookup = std::function<std::string(std::string_view field)>;

/// A conjunction; an empty one matches everything.
class Selector {
 public:
  Selector() = default;
  explicit Selector(std::vector<Requirement> requirements) : requirements_(std::move(requirements)) {}

  bool matches(const Lookup& fields) const;
  bool empty() const { return requirements_.empty(); }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  /// The value that the field must have, if some requirement says so.
  std::optional<std::string> required_value(std::string_view field) const;
  std::string to_string() const;
  bool operator==(const Selector&) const = default;

 private:
  std::vector<Requirement> requirements_;
};

Result<Selector> parse(std::string_view text);
/// Escapes backslash, comma and equals sign.
std::string escape_value(std::string_view value);

}  // namespace kube::fields
