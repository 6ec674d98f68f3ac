// SPDX-License-Identifier: Apache-2.0
//
// Converts the LabelSelector of API objects (spec.selector and the like: matchLabels,
// matchExpressions) to and from labels::Selector. Works on JSON and on the generated struct.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>
#include <kube/names/labels.hpp>

namespace kube::labels {

/// One of matchExpressions, its operator as on the wire: In, NotIn, Exists, DoesNotExist.
struct SelectorExpression {
  std::string key{};
  std::string operator_{};
  std::vector<std::string> values{};
  bool operator==(const SelectorExpression&) const = default;
};

/// Returns the selector that requires all labels and all expressions; without any it matches
/// everything.
/// @par Errors   InvalidArgument for an unknown operator, naming it, and as
///   Selector::from_requirements().
Result<Selector> from_label_selector(const Set& match_labels,
                                     const std::vector<SelectorExpression>& match_expressions);

/// The same for a LabelSelector as JSON; null matches nothing.
/// @par Errors   InvalidArgument also for members of a wrong type; names the field and the expected
///   type.
Result<Selector> from_label_selector(const json::Value& selector);
template <AnyText T>
Result<Selector> from_label_selector(const T& text) = delete;  // Use parse(), or json::parse() it.

/// The same for the generated LabelSelector.
/// @par Errors   As the first.
template <class T>
requires requires(const T& t) {
  t.match_labels;
  t.match_expressions;
}
Result<Selector> from_label_selector(const T& selector) {
  std::vector<SelectorExpression> expressions;
  for (const auto& expression : selector.match_expressions) {
    expressions.push_back({expression.key, expression.operator_, expression.values});
  }
  return from_label_selector(selector.match_labels, expressions);
}

/// Returns the set of labels that a selector requires, if a set can express it: matchLabels and In
/// with a single value. Null gives an empty set.
/// @par Errors   InvalidArgument, naming the operator that a set can't express.
Result<Set> label_selector_as_set(const json::Value& selector);
template <AnyText T>
Result<Set> label_selector_as_set(const T& text) = delete;  // Use parse_to_label_selector() first.

/// Returns the LabelSelector, as JSON, for a selector's text: equality in matchLabels, sets and
/// existence in matchExpressions.
/// @par Errors   InvalidArgument for text that parse() rejects, and for !=, > and <, which a
///   LabelSelector can't express.
Result<json::Value> parse_to_label_selector(std::string_view text);

/// Returns a selector's text for display: "<none>" when it is empty, "<error>" when it is invalid.
std::string format_label_selector(const json::Value& selector);
template <AnyText T>
std::string format_label_selector(const T& text) = delete;  // Use parse_to_label_selector() first.

}  // namespace kube::labels
