// SPDX-License-Identifier: Apache-2.0
//
// Label selectors: "app=web,tier in (a,b),!legacy"
// (docs/reference/clients-and-config.md ch. 27).
//
// The wire struct LabelSelector (matchLabels, matchExpressions) is in label_selector.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>

namespace kube::labels {

using Set = std::map<std::string, std::string, std::less<>>;

/// "a=b,app=foo", sorted by key.
std::string to_string(const Set& labels);
/// The same for people: "<none>" when empty.
std::string format(const Set& labels);
/// True when a key of both has different values.
bool conflicts(const Set& a, const Set& b);
/// All of both; the second wins.
Set merge(const Set& a, const Set& b);
/// Reads "x=a, y=b", the one form that both a selector and a set can have: exactly one "=" a label,
/// keys and values checked. InvalidArgument otherwise.
Result<Set> parse_set(std::string_view list);

enum class Operator {
  In,
  NotIn,
  Equals,
  NotEquals,
  DoubleEquals,
  Exists,
  DoesNotExist,
  GreaterThan,
  LessThan
};

/// A value as GreaterThan and LessThan compare it: a signed 64-bit decimal and nothing else, as
/// Go's ParseInt reads it.
std::optional<std::int64_t> parse_integer(std::string_view digits);

/// "in", "notin", "=", "!=", "==", "exists", "!", "gt", "lt"; "" for a value outside the
/// enumeration.
std::string_view to_string(Operator op);

/// One condition. A value without a meaning of its own until Selector::from_requirements has
/// checked it; a default-made one matches nothing.
struct Requirement {
  std::string key;
  Operator operator_;
  std::vector<std::string> values{};

  /// Equals, DoubleEquals, In: the key is there with one of the values. NotEquals, NotIn: the key
  /// is absent or has none of them. GreaterThan, LessThan: both sides are 64-bit decimals and
  /// compare.
  bool matches(std::optional<std::string_view> value) const;
  /// "x in (a,b)", values sorted.
  std::string to_string() const;
  bool operator==(const Requirement&) const = default;
};

/// Looks a label up; nullopt when absent. Lets a selector run on undecoded bytes.
using Lookup = std::function<std::optional<std::string_view>(std::string_view key)>;

/// A conjunction of requirements; an empty one matches everything. A value; immutable once made.
class Selector {
 public:
  Selector() = default;
  /// Checks keys, values and operators; InvalidArgument names every field that is wrong, as
  /// `values[0][app]: Invalid value: "a b": ...`. Keeps the values' order, sorts by key.
  static Result<Selector> from_requirements(std::vector<Requirement> requirements);
  /// The selector that matches nothing, which has no text form.
  static Selector nothing();
  /// Equality with each label, unchecked: for labels that come from an object.
  static Selector from_set(const Set& set);
  /// The same with keys and values checked.
  static Result<Selector> validated_from_set(const Set& set);

  /// This selector and more requirements, checked as in from_requirements; nothing() stays so.
  Result<Selector> add(std::vector<Requirement> requirements) const;

  bool matches(const Set& labels) const;
  bool matches(const Lookup& labels) const;
  bool empty() const { return requirements_.empty() && !nothing_; }
  /// False for nothing(): no requirements can express it.
  bool selectable() const { return !nothing_; }
  /// Sorted by key.
  const std::vector<Requirement>& requirements() const& { return requirements_; }
  std::vector<Requirement> requirements() const&& { return requirements_; }
  /// The value that the label must have, if its first requirement says so.
  std::optional<std::string> required_value(std::string_view key) const;
  /// The text that a server accepts and that parses back to this selector, sorted by key. "" both
  /// for everything and for nothing().
  std::string to_string() const;
  bool operator==(const Selector&) const = default;

 private:
  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

/// Reads a selector as a server does: values of in and notin deduplicated and sorted, requirements
/// sorted by key. InvalidArgument in apimachinery's words, such as
/// "found '==', expected: ',' or 'end of string'". Cost: one pass.
Result<Selector> parse(std::string_view text);

}  // namespace kube::labels
