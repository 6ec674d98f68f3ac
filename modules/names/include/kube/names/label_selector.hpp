// SPDX-License-Identifier: Apache-2.0
//
// The LabelSelector of API objects (spec.selector and the like: matchLabels, matchExpressions) to
// and from labels::Selector. Works on JSON and on the generated struct alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
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

/// All labels and all expressions must hold; no conditions match everything. InvalidArgument for an
/// unknown operator and for what Selector::from_requirements rejects.
Result<Selector> from_label_selector(const Set& match_labels,
                                     const std::vector<SelectorExpression>& match_expressions);

/// A LabelSelector as JSON; null matches nothing. InvalidArgument also for members of a wrong type.
Result<Selector> from_label_selector(const json::Value& selector);

/// The generated LabelSelector.
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

/// The set of labels that the selector asks for, where it asks for nothing else: matchLabels and In
/// with a single value. InvalidArgument names the operator that a set can't express. Null gives an
/// empty set.
Result<Set> label_selector_as_set(const json::Value& selector);

/// The LabelSelector, as JSON, of a selector's text: equality in matchLabels, sets and existence in
/// matchExpressions. InvalidArgument for !=, > and <, which it has no word for.
Result<json::Value> parse_to_label_selector(std::string_view text);

/// For people: the selector's text, "<none>" when it has none, "<error>" when it is invalid.
std::string format_label_selector(const json::Value& selector);

}  // namespace kube::labels
