// SPDX-License-Identifier: Apache-2.0
#include <kube/names/labels.hpp>

#include <algorithm>
#include <charconv>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/names/field_error.hpp>
#include <kube/names/go_text.hpp>
#include <kube/names/validation.hpp>

#include "label_requirement.hpp"

namespace kube::labels {

namespace {

using meta::FieldError;
using meta::FieldErrors;
using meta::FieldPath;

std::optional<FieldError> check_key(const std::string& key, const FieldPath& path) {
  const meta::Problems problems = meta::validate_qualified_name(key);
  if (problems.empty()) return std::nullopt;
  return FieldError::invalid(path, key, join(problems, "; "));
}

std::optional<FieldError> check_value(const std::string& key, const std::string& value,
                                      const FieldPath& path) {
  const meta::Problems problems = meta::validate_label_value(value);
  if (problems.empty()) return std::nullopt;
  return FieldError::invalid(path.key(key), value, join(problems, "; "));
}

json::Value as_json(const std::vector<std::string>& values) {
  return json::Array(values.begin(), values.end());
}

void sort_by_key(std::vector<Requirement>& requirements) {
  std::stable_sort(requirements.begin(), requirements.end(),
                   [](const Requirement& a, const Requirement& b) { return a.key < b.key; });
}

}  // namespace

FieldErrors detail::check_requirement(const Requirement& requirement) {
  FieldErrors errors;
  if (auto error = check_key(requirement.key, FieldPath("key")))
    errors.push_back(*std::move(error));
  const FieldPath path("values");
  const auto complain = [&](const char* detail) {
    errors.push_back(FieldError::invalid(path, as_json(requirement.values), detail));
  };
  switch (requirement.operator_) {
    case Operator::In:
    case Operator::NotIn:
      if (requirement.values.empty())
        complain("for 'in', 'notin' operators, values set can't be empty");
      break;
    case Operator::Equals:
    case Operator::DoubleEquals:
    case Operator::NotEquals:
      if (requirement.values.size() != 1)
        complain("exact-match compatibility requires one single value");
      break;
    case Operator::Exists:
    case Operator::DoesNotExist:
      if (!requirement.values.empty())
        complain("values set must be empty for exists and does not exist");
      break;
    case Operator::GreaterThan:
    case Operator::LessThan:
      if (requirement.values.size() != 1)
        complain("for 'Gt', 'Lt' operators, exactly one value is required");
      for (std::size_t i = 0; i < requirement.values.size(); ++i) {
        if (parse_integer(requirement.values[i])) continue;
        errors.push_back(
            FieldError::invalid(path.index(i), requirement.values[i],
                                "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
      break;
    default:
      errors.push_back(
          FieldError::not_supported(FieldPath("operator"), static_cast<int>(requirement.operator_),
                                    {"in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"}));
  }
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    if (auto error = check_value(requirement.key, requirement.values[i], path.index(i))) {
      errors.push_back(*std::move(error));
    }
  }
  return errors;
}

std::string to_string(const Set& labels) {
  std::string out;
  for (const auto& [key, value] : labels) {
    if (!out.empty()) out += ',';
    out += key;
    out += '=';
    out += value;
  }
  return out;
}

std::string format(const Set& labels) {
  return labels.empty() ? "<none>" : to_string(labels);
}

bool conflicts(const Set& a, const Set& b) {
  return std::any_of(a.begin(), a.end(), [&b](const auto& label) {
    const auto other = b.find(label.first);
    return other != b.end() && other->second != label.second;
  });
}

Set merge(const Set& a, const Set& b) {
  Set out = b;
  out.insert(a.begin(), a.end());
  return out;
}

Result<Set> parse_set(std::string_view list) {
  Set out;
  if (list.empty()) return out;
  for (const std::string_view label : go::split(list, ',')) {
    const std::vector<std::string_view> parts = go::split(label, '=');
    if (parts.size() != 2) {
      return Error(ErrorCode::InvalidArgument,
                   "invalid selector: " + go::quote(label) + ", expected key=value");
    }
    std::string key(ascii::trim_space(parts[0]));
    std::string value(ascii::trim_space(parts[1]));
    if (auto error = check_key(key, FieldPath())) return meta::to_error({*std::move(error)});
    if (auto error = check_value(key, value, FieldPath()))
      return meta::to_error({*std::move(error)});
    out.insert_or_assign(std::move(key), std::move(value));
  }
  return out;
}

std::optional<std::int64_t> parse_integer(std::string_view digits) {
  if (digits.starts_with('+') && digits.size() > 1 && digits[1] != '-') digits.remove_prefix(1);
  std::int64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

std::string_view to_string(Operator op) {
  switch (op) {
    case Operator::In:
      return "in";
    case Operator::NotIn:
      return "notin";
    case Operator::Equals:
      return "=";
    case Operator::NotEquals:
      return "!=";
    case Operator::DoubleEquals:
      return "==";
    case Operator::Exists:
      return "exists";
    case Operator::DoesNotExist:
      return "!";
    case Operator::GreaterThan:
      return "gt";
    case Operator::LessThan:
      return "lt";
  }
  return "";
}

bool Requirement::matches(std::optional<std::string_view> value) const {
  const auto listed = [&] {
    return std::find(values.begin(), values.end(), *value) != values.end();
  };
  switch (operator_) {
    case Operator::In:
    case Operator::Equals:
    case Operator::DoubleEquals:
      return value && listed();
    case Operator::NotIn:
    case Operator::NotEquals:
      return !value || !listed();
    case Operator::Exists:
      return value.has_value();
    case Operator::DoesNotExist:
      return !value.has_value();
    case Operator::GreaterThan:
    case Operator::LessThan:
      break;
    default:
      return false;
  }
  if (!value || values.size() != 1) return false;
  const std::optional<std::int64_t> left = parse_integer(*value);
  const std::optional<std::int64_t> right = parse_integer(values.front());
  if (!left || !right) return false;
  return operator_ == Operator::GreaterThan ? *left > *right : *left < *right;
}

std::string Requirement::to_string() const {
  switch (operator_) {
    case Operator::Exists:
      return key;
    case Operator::DoesNotExist:
      return '!' + key;
    default:
      break;
  }
  std::vector<std::string> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::string list = join(sorted, ",");
  switch (operator_) {
    case Operator::In:
      return key + " in (" + list + ')';
    case Operator::NotIn:
      return key + " notin (" + list + ')';
    case Operator::GreaterThan:
      return key + '>' + list;
    case Operator::LessThan:
      return key + '<' + list;
    default:
      return key + std::string(labels::to_string(operator_)) + list;
  }
}

Result<Selector> Selector::from_requirements(std::vector<Requirement> requirements) {
  return Selector().add(std::move(requirements));
}

Selector Selector::nothing() {
  Selector selector;
  selector.nothing_ = true;
  return selector;
}

Selector Selector::from_set(const Set& set) {
  Selector selector;
  for (const auto& [key, value] : set) {
    selector.requirements_.push_back({key, Operator::Equals, {value}});
  }
  return selector;
}

Result<Selector> Selector::validated_from_set(const Set& set) {
  return from_requirements(from_set(set).requirements_);
}

Result<Selector> Selector::add(std::vector<Requirement> requirements) const {
  for (const Requirement& requirement : requirements) {
    if (const FieldErrors errors = detail::check_requirement(requirement); !errors.empty())
      return meta::to_error(errors);
  }
  Selector selector = *this;
  if (nothing_) return selector;
  selector.requirements_.insert(selector.requirements_.end(),
                                std::make_move_iterator(requirements.begin()),
                                std::make_move_iterator(requirements.end()));
  sort_by_key(selector.requirements_);
  return selector;
}

bool Selector::matches(const Set& labels) const {
  return !nothing_ &&
         std::all_of(requirements_.begin(), requirements_.end(), [&labels](const Requirement& r) {
           const auto label = labels.find(r.key);
           return r.matches(label == labels.end() ? std::nullopt
                                                  : std::optional<std::string_view>(label->second));
         });
}

bool Selector::matches(const Lookup& labels) const {
  return !nothing_ &&
         std::all_of(requirements_.begin(), requirements_.end(),
                     [&labels](const Requirement& r) { return r.matches(labels(r.key)); });
}

std::optional<std::string> Selector::required_value(std::string_view key) const {
  const auto first = std::find_if(requirements_.begin(), requirements_.end(),
                                  [key](const Requirement& r) { return r.key == key; });
  if (first == requirements_.end() || first->values.size() != 1) return std::nullopt;
  switch (first->operator_) {
    case Operator::In:
    case Operator::Equals:
    case Operator::DoubleEquals:
      return first->values.front();
    default:
      return std::nullopt;
  }
}

std::string Selector::to_string() const {
  std::string out;
  for (const Requirement& requirement : requirements_) {
    if (!out.empty()) out += ',';
    out += requirement.to_string();
  }
  return out;
}

}  // namespace kube::labels
