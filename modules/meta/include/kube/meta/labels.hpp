// SPDX-License-Identifier: Apache-2.0
//
// Label selectors: "app=web,tier in (a,b),!legacy" (reference: clients-and-config.md ch. 27).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>

namespace kube::labels {

using Set = std::map<std::string, std::string, std::less<>>;

enum class Operator { In, NotIn, Equals, NotEquals, DoubleEquals, Exists, DoesNotExist, GreaterThan, LessThan };

struct Requirement {
  std::string key;
  Operator operator_;
  std::vector<std::string> values{};
  bool operator==(const Requirement&) const = default;
};

/// Looks a label up; nullopt when absent. Lets a selector run on undecoded bytes.
using Lookup = std::function<std::optional<std::string_view>(std::string_view key)>;

/// A conjunction of requirements; an empty one matches everything. A value; immutable once made.
class Selector {
 public:
  Selector() = default;
  /// Checks keys, values and operators; InvalidArgument names the requirement.
  static Result<Selector> from_requirements(std::vector<Requirement> requirements);
  /// The selector that matches nothing, which has no text form.
  static Selector nothing();
  static Selector from_set(const Set& set);

  bool matches(const Set& labels) const;
  bool matches(const Lookup& labels) const;
  bool empty() const { return requirements_.empty() && !nothing_; }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  /// The text that a server accepts and that parses back to this selector, sorted by key.
  std::string to_string() const;
  bool operator==(const Selector&) const = default;

 private:
  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

/// InvalidArgument names the offending part and what was expected.
Result<Selector> parse(std::string_view text);

}  // namespace kube::labels
