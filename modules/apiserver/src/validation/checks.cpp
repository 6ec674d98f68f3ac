// SPDX-License-Identifier: Apache-2.0
#include "validation/checks.hpp"

#include <charconv>

#include <kube/names/int_or_string.hpp>
#include <kube/validation/object_meta_validation.hpp>

#include "validation/formats.hpp"

namespace kube::apiserver {

using meta::FieldError;

void report_all(const Place& place, meta::FieldErrors errors) {
  for (FieldError& error : errors) place.report(std::move(error));
}

void check_labels(const Place& place, std::string_view field) {
  if (const json::Value* labels = place.find(field))
    report_all(place, meta::validate_labels(*labels, place.path(field)));
}

void check_label_key(const Place& place, std::string_view field) {
  place.problems(field, meta::validate_qualified_name(place.text(field)));
}

void check_name(const Place& place, std::string_view field,
                meta::Problems (*format)(std::string_view)) {
  if (place.is_empty(field)) {
    place.required(field);
  } else {
    place.problems(field, format(place.text(field)));
  }
}

void check_port(const Place& place, std::string_view field) {
  const json::Value* port = place.find(field);
  if (port != nullptr && port->is_string()) {
    place.problems(field, meta::validate_port_name(*port->if_string()));
    return;
  }
  const std::int64_t number = place.number(field).value_or(0);
  for (const std::string& problem : formats::port_number(number))
    place.invalid(field, number, problem);
}

void check_count_or_percent(const Place& place, std::string_view field) {
  const json::Value* value = place.find(field);
  if (value == nullptr) return;
  if (const std::string* text = value->if_string()) {
    place.problems(field, formats::percent(*text));
  } else if (place.number(field).value_or(0) < 0) {
    place.invalid(field, "must be greater than or equal to 0");
  }
}

namespace {

std::optional<std::int64_t> percent_of(const Place& place, std::string_view field) {
  const std::string_view text = place.text(field);
  if (text.empty() || !formats::percent(text).empty()) return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size() - 1, number);
  return number;
}

}  // namespace

void check_at_most_all(const Place& place, std::string_view field) {
  if (percent_of(place, field).value_or(0) > 100)
    place.invalid(field, "must not be greater than 100%");
}

std::int64_t count_or_percent(const Place& place, std::string_view field) {
  if (const auto number = place.number(field)) return *number;
  return percent_of(place, field)
      .value_or(meta::IntOrString(std::string(place.text(field))).int_value());
}

labels::Set labels_of(const json::Value& object) {
  labels::Set out;
  const json::Value* labels = object.at_path({"metadata", "labels"});
  if (labels == nullptr || !labels->is_object()) return out;
  for (const auto& [key, value] : *labels->if_object())
    out.emplace(key, std::string(value.string_or_empty()));
  return out;
}

bool check_template_labels(const Place& spec, bool empty_fits_all) {
  const json::Value none;
  const json::Value* given = spec.find("selector");
  const auto selector = labels::from_label_selector(given == nullptr ? none : *given);
  if (!selector) return false;
  if (empty_fits_all && selector->empty()) return true;
  const json::Value* pod = spec.find("template");
  const labels::Set found = pod == nullptr ? labels::Set{} : labels_of(*pod);
  if (selector->matches(found)) return true;
  const json::Value* shown = spec.value().at_path({"template", "metadata", "labels"});
  spec.report(FieldError::invalid(
      spec.path("template").child("metadata").child("labels"),
      shown == nullptr ? json::Value{} : json::sorted_members(meta::shown_value(*shown)),
      "`selector` does not match template `labels`"));
  return true;
}

meta::Problems finalizer_problems(std::string_view name) {
  if (name.find('/') != std::string_view::npos || name == "kubernetes" || name == "orphan" ||
      name == "foregroundDeletion")
    return {};
  return {"name is neither a standard finalizer name nor is it fully qualified"};
}

void check_token_seconds(const Place& place, std::string_view field) {
  constexpr std::int64_t kMin = 600;
  constexpr std::int64_t kMax = std::int64_t{1} << 32;
  const auto seconds = place.number(field);
  if (!seconds) return;
  if (*seconds < kMin) place.invalid(field, "may not specify a duration less than 10 minutes");
  if (*seconds > kMax) place.invalid(field, "may not specify a duration larger than 2^32 seconds");
}

}  // namespace kube::apiserver
