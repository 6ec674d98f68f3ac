// SPDX-License-Identifier: Apache-2.0
//
// labels::Selector::matches() checks each requirement and value for each object. With a selector as
// long as a request's head may be (1 MiB), that is two to twenty thousand times the work of
// LabelTerms; with the usual short selectors both cost the same.
#include <kube/names/label_terms.hpp>

#include <algorithm>

namespace kube::labels {
namespace {

const std::string_view* find(const SortedLabels& labels, std::string_view key) {
  const auto at = std::ranges::lower_bound(labels, key, {}, &SortedLabels::value_type::first);
  return at == labels.end() || at->first != key ? nullptr : &at->second;
}

}  // namespace

void LabelTerms::Term::take(const Requirement& requirement) {
  const std::vector<std::string>& values = requirement.values;
  const auto bound = [&] {
    return values.size() == 1 ? parse_integer(values.front()) : std::nullopt;
  };
  switch (requirement.operator_) {
    case Operator::In:
    case Operator::Equals:
    case Operator::DoubleEquals: {
      required = true;
      std::set<std::string, std::less<>> both(values.begin(), values.end());
      if (allowed) std::erase_if(both, [&](const std::string& v) { return !allowed->contains(v); });
      allowed = std::move(both);
      return;
    }
    case Operator::NotIn:
    case Operator::NotEquals:
      denied.insert(values.begin(), values.end());
      return;
    case Operator::Exists:
      required = true;
      return;
    case Operator::DoesNotExist:
      forbidden = true;
      return;
    case Operator::GreaterThan:
      required = true;
      if (!bound()) allowed.emplace();
      above = std::max(above.value_or(std::numeric_limits<std::int64_t>::min()),
                       bound().value_or(std::numeric_limits<std::int64_t>::max()));
      return;
    case Operator::LessThan:
      required = true;
      if (!bound()) allowed.emplace();
      below = std::min(below.value_or(std::numeric_limits<std::int64_t>::max()),
                       bound().value_or(std::numeric_limits<std::int64_t>::min()));
      return;
  }
}

bool LabelTerms::Term::accepts(std::string_view value) const {
  if (forbidden || (allowed && !allowed->contains(value)) || denied.contains(value)) return false;
  if (!above && !below) return true;
  const auto number = parse_integer(value);
  return number && (!above || *number > *above) && (!below || *number < *below);
}

LabelTerms::LabelTerms(const Selector& selector) : nothing_(!selector.selectable()) {
  std::optional<Term> term;
  const auto finish = [&] {
    if (term) (term->required ? present_ : absent_).push_back(*std::move(term));
  };
  for (const Requirement& requirement : selector.requirements()) {
    if (!term || term->key != requirement.key) {
      finish();
      term.emplace().key = requirement.key;
    }
    term->take(requirement);
  }
  finish();
}

bool LabelTerms::matches(const SortedLabels& labels) const {
  if (nothing_ || present_.size() > labels.size()) return false;
  for (const Term& term : present_) {
    const std::string_view* value = find(labels, term.key);
    if (value == nullptr || !term.accepts(*value)) return false;
  }
  if (absent_.size() <= labels.size()) {
    return std::ranges::all_of(absent_, [&](const Term& term) {
      const std::string_view* value = find(labels, term.key);
      return value == nullptr || term.accepts(*value);
    });
  }
  return std::ranges::all_of(labels, [&](const auto& label) {
    const auto term = std::ranges::lower_bound(absent_, label.first, {}, &Term::key);
    return term == absent_.end() || term->key != label.first || term->accepts(label.second);
  });
}

}  // namespace kube::labels
