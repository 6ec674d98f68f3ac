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
/// The same for display: "<none>" when empty.
std::string format(const Set& labels);
/// Whether a key has different values in `a` and `b`.
bool conflicts(const Set& a, const Set& b);
/// Returns the labels of both; for a key in both, the value of `b`.
Set merge(const Set& a, const Set& b);
/// Reads "x=a, y=b", the form that a selector and a set share, and checks keys and values.
/// @par Errors   InvalidArgument for a label without exactly one "=", and for a key or value that
///   is not valid; quotes it.
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

/// Reads a value as GreaterThan and LessThan compare it: a signed 64-bit decimal, as Go's ParseInt
/// reads it; nullopt for other text.
std::optional<std::int64_t> parse_integer(std::string_view digits);

/// "in", "notin", "=", "!=", "==", "exists", "!", "gt", "lt"; "" for a value outside the
/// enumeration.
std::string_view to_string(Operator op);

/// One condition on a label, unchecked: Selector::from_requirements() checks it. A
/// default-constructed requirement matches nothing.
///
/// @par Thread safety   A value.
struct Requirement {
  std::string key;
  Operator operator_;
  std::vector<std::string> values{};

  /// Equals, DoubleEquals, In: the label exists and has one of the values. NotEquals, NotIn: it is
  /// absent or has another value. GreaterThan, LessThan: both sides are 64-bit decimals and
  /// compare.
  bool matches(std::optional<std::string_view> value) const;
  /// "x in (a,b)", values sorted.
  std::string to_string() const;
  bool operator==(const Requirement&) const = default;
};

/// Returns a label's value; nullopt when it is absent. Lets a selector run on undecoded bytes.
using Lookup = std::function<std::optional<std::string_view>(std::string_view key)>;

/// A conjunction of requirements; an empty one matches everything. Immutable.
///
/// @par Thread safety   A value.
class Selector {
 public:
  Selector() = default;
  /// Checks keys, values and operators, and sorts the requirements by key; values keep their order.
  /// @par Errors   InvalidArgument, naming every field that is wrong, as
  ///   `values[0][app]: Invalid value: "a b": ...`.
  static Result<Selector> from_requirements(std::vector<Requirement> requirements);
  /// The selector that matches nothing, which has no text form.
  static Selector nothing();
  /// Requires equality with each label, unchecked: for labels that come from an object.
  static Selector from_set(const Set& set);
  /// The same with keys and values checked.
  /// @par Errors   As from_requirements().
  static Result<Selector> validated_from_set(const Set& set);

  /// Returns this selector with more requirements, which are checked; nothing() remains nothing().
  /// @par Errors   As from_requirements().
  Result<Selector> add(std::vector<Requirement> requirements) const;

  bool matches(const Set& labels) const;
  bool matches(const Lookup& labels) const;
  bool empty() const { return requirements_.empty() && !nothing_; }
  /// False for nothing(), which no requirements can express.
  bool selectable() const { return !nothing_; }
  /// Sorted by key.
  const std::vector<Requirement>& requirements() const& { return requirements_; }
  std::vector<Requirement> requirements() const&& { return requirements_; }
  /// Returns the value that the first requirement on the label sets; nullopt if it sets none.
  std::optional<std::string> required_value(std::string_view key) const;
  /// Returns the text that a server accepts and that parses back to this selector, sorted by key;
  /// "" both for the empty selector and for nothing().
  std::string to_string() const;
  bool operator==(const Selector&) const = default;

 private:
  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

/// Reads a selector as a server does: deduplicates and sorts the values of in and notin, sorts the
/// requirements by key.
/// @par Errors   InvalidArgument in apimachinery's words, such as
///   "found '==', expected: ',' or 'end of string'".
/// @par Cost   One pass.
Result<Selector> parse(std::string_view text);

}  // namespace kube::labels
