// SPDX-License-Identifier: Apache-2.0
//
// Conditions of an object's status: meta.SetStatusCondition and family, for meta::Condition and
// every condition type with the same members (PodCondition, NodeCondition, ...), and for
// Unstructured.
//
//   set_status_condition(widget.status.conditions,
//                        {.type = "Ready", .status = "True", .reason = "Served"}, now);
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/meta/condition.hpp>
#include <kube/names/time.hpp>

namespace kube {

/// A struct with the members that all conditions have.
template <class C>
concept ConditionLike = requires(C c) {
  { c.type } -> std::convertible_to<std::string>;
  { c.status } -> std::convertible_to<std::string>;
  { c.last_transition_time } -> std::convertible_to<meta::Time>;
  { c.reason } -> std::convertible_to<std::string>;
  { c.message } -> std::convertible_to<std::string>;
};

/// Returns the first condition of that type; null if the list has none. Valid until the list
/// changes.
template <ConditionLike C>
const C* find_status_condition(const std::vector<C>& conditions, std::string_view type) {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [type](const C& c) { return c.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}
template <ConditionLike C>
C* find_status_condition(std::vector<C>& conditions, std::string_view type) {
  const C* const found = find_status_condition(std::as_const(conditions), type);
  return found == nullptr ? nullptr : conditions.data() + (found - conditions.data());
}

template <ConditionLike C>
const C* find_status_condition(const std::vector<C>&& conditions,
                               std::string_view type) = delete;  // Give the list a name first.

/// Whether the first condition of that type has that status; false if the list has none.
template <ConditionLike C>
bool is_status_condition_present_and_equal(const std::vector<C>& conditions, std::string_view type,
                                           std::string_view status) {
  const C* found = find_status_condition(conditions, type);
  return found != nullptr && found->status == status;
}
template <ConditionLike C>
bool is_status_condition_true(const std::vector<C>& conditions, std::string_view type) {
  return is_status_condition_present_and_equal(conditions, type, "True");
}
template <ConditionLike C>
bool is_status_condition_false(const std::vector<C>& conditions, std::string_view type) {
  return is_status_condition_present_and_equal(conditions, type, "False");
}

/// Appends the condition, or updates the first of its type; returns whether something changed. The
/// transition time changes only with the status: to the condition's, or to `now` if that is unset.
template <ConditionLike C>
bool set_status_condition(std::vector<C>& conditions, C condition, meta::Time now) {
  C* existing = find_status_condition(conditions, condition.type);
  if (existing == nullptr) {
    if (condition.last_transition_time.is_zero()) condition.last_transition_time = now;
    conditions.push_back(std::move(condition));
    return true;
  }
  C updated = *existing;
  if (updated.status != condition.status) {
    updated.status = condition.status;
    updated.last_transition_time =
        condition.last_transition_time.is_zero() ? now : condition.last_transition_time;
  }
  updated.reason = condition.reason;
  updated.message = condition.message;
  if constexpr (requires { updated.observed_generation; }) {
    updated.observed_generation = condition.observed_generation;
  }
  const bool changed = !(updated == *existing);
  *existing = std::move(updated);
  return changed;
}

/// Removes all conditions of that type; returns whether there was one.
template <ConditionLike C>
bool remove_status_condition(std::vector<C>& conditions, std::string_view type) {
  return std::erase_if(conditions, [type](const C& c) { return c.type == type; }) > 0;
}

/// Returns status.conditions of an object; an empty list when it is absent.
/// @par Errors   Decode for a value that is not a list, and for an invalid condition.
Result<std::vector<meta::Condition>> status_conditions(const Unstructured& object);
/// Replaces status.conditions of an object.
void set_status_conditions(Unstructured& object, const std::vector<meta::Condition>& conditions);

}  // namespace kube
