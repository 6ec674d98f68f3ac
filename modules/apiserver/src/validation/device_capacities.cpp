// SPDX-License-Identifier: Apache-2.0
//
// What a request may take of a capacity that several share: values, or steps in a range.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "validation/checks.hpp"
#include "validation/devices.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

std::optional<meta::Quantity> policy_amount(const Place& place, std::string_view field) {
  const json::Value* value = place.find(field);
  return value == nullptr ? std::nullopt : quantity_of(*value);
}

bool check_option_count(const Place& policy) {
  constexpr std::size_t kMaxOptions = 10;
  const std::size_t count = policy.list("validValues").size();
  if (count > kMaxOptions)
    policy.report(FieldError::too_many(policy.path("validValues"), count, kMaxOptions));
  return count <= kMaxOptions;
}

// Two amounts are the same when they are, rounded up.
void check_options(const Place& policy, const std::vector<meta::Quantity>& amounts,
                   const meta::Quantity& most) {
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    if (amounts[i] > most)
      policy.report(
          FieldError::invalid(policy.path("validValues", i), amounts[i].to_string(),
                              "option is larger than capacity value: " + most.to_string()));
  }
  std::set<std::int64_t> known;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    if (!known.insert(amounts[i].value()).second)
      policy.report(
          FieldError::duplicate(policy.path("validValues", i), std::to_string(amounts[i].value())));
  }
}

void check_valid_values(const Place& policy, const meta::Quantity& most) {
  const json::Array& values = policy.list("validValues");
  const auto standard = policy_amount(policy, "default");
  if (!standard) return policy.required("default", "required when validValues is defined");
  std::vector<meta::Quantity> amounts;
  for (const json::Value& value : values)
    amounts.push_back(quantity_of(value).value_or(meta::Quantity()));
  for (std::size_t i = 1; i < amounts.size(); ++i) {
    if (amounts[i] < amounts[i - 1])
      policy.report(FieldError::invalid(policy.path("validValues", i), amounts[i].to_string(),
                                        "values must be sorted in ascending order"));
  }
  const bool few = check_option_count(policy);
  if (few) check_options(policy, amounts, most);
  if (!few || std::ranges::find(amounts, *standard) == amounts.end())
    policy.invalid("validValues", standard->to_string(),
                   "default value is not valid according to the requestPolicy");
}

void report_amount(const Place& range, std::string_view field, const meta::Quantity& amount,
                   std::string_view text, const meta::Quantity& limit) {
  range.report(FieldError::invalid(range.path(field), amount.to_string(),
                                   std::string(text) + ": " + limit.to_string()));
}

// Steps are counted in numbers of 64 bits.
bool are_whole_numbers(const Place& range, const meta::Quantity& standard) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const std::size_t known = range.walk().errors.size();
  const auto check = [&](std::string_view field, const meta::Quantity& amount) {
    if (amount.sign() < 0)
      range.invalid(field, amount.to_string(), "must be greater than or equal to 0");
    if (amount > meta::Quantity::of(kMax))
      range.invalid(field, amount.to_string(), "must not be larger than " + std::to_string(kMax));
  };
  check("default", standard);
  for (const std::string_view field : {"min", "max", "step"})
    if (const auto amount = policy_amount(range, field)) check(field, *amount);
  return range.walk().errors.size() == known;
}

void check_step(const Place& range, const meta::Quantity& standard, const meta::Quantity& least,
                const meta::Quantity& most) {
  const auto step = policy_amount(range, "step");
  if (!step) return;
  if (step->sign() <= 0)
    return range.invalid("step", step->to_string(), "must be greater than zero");
  const meta::Quantity added = least + *step;
  if (added > most)
    range.invalid(
        "step", step->to_string(),
        "one step " + added.to_string() + " is larger than capacity value: " + most.to_string());
  if (!are_whole_numbers(range, standard)) return;
  const auto check = [&](const meta::Quantity& amount) {
    if ((amount.value() - least.value()) % step->value() != 0)
      range.invalid("step", amount.to_string(),
                    "value is not a multiple of a given step (" + step->to_string() + ") from (" +
                        least.to_string() + ")");
  };
  check(standard);
  if (const auto highest = policy_amount(range, "max")) check(*highest);
}

void check_valid_range(const Place& policy, const meta::Quantity& most) {
  const auto standard = policy_amount(policy, "default");
  if (!standard) return policy.required("default", "required when validRange is defined");
  policy.each("validRange", [&](const Place& range) {
    const auto least = policy_amount(range, "min");
    if (!least) return range.required("min", "required when validRange is defined");
    if (*least > most)
      report_amount(range, "min", *least, "min is larger than capacity value", most);
    if (*standard < *least)
      report_amount(range, "default", *standard, "default is less than min", *least);
    if (const auto highest = policy_amount(range, "max")) {
      if (*least > *highest)
        report_amount(range, "max", *least, "min is larger than max", *highest);
      if (*highest > most)
        report_amount(range, "max", *highest, "max is larger than capacity value", most);
      if (*standard > *highest)
        report_amount(range, "default", *standard, "default is more than max", *highest);
    }
    check_step(range, *standard, *least, most);
  });
}

}  // namespace

void check_device_capacity(const Place& device, const Place& capacity) {
  const auto most = policy_amount(capacity, "value");
  if (!capacity.has("requestPolicy")) return;
  if (!device.is_true("allowMultipleAllocations"))
    return capacity.forbidden("requestPolicy", "allowMultipleAllocations must be true");
  capacity.each("requestPolicy", [&](const Place& policy) {
    const bool values = !policy.is_empty("validValues");
    const bool range = policy.has("validRange");
    if (values && range) {
      policy.report(FieldError::forbidden(
          policy.path(),
          R"(exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time)"));
    } else if (values) {
      check_valid_values(policy, most.value_or(meta::Quantity()));
    } else if (range) {
      check_valid_range(policy, most.value_or(meta::Quantity()));
    }
  });
}

}  // namespace kube::apiserver
