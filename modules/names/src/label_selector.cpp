// SPDX-License-Identifier: Apache-2.0
#include <kube/names/label_selector.hpp>

#include <algorithm>

#include <kube/names/go_text.hpp>

namespace kube::labels {

namespace {

struct Parts {
  Set match_labels;
  std::vector<SelectorExpression> match_expressions;
};

Error wrong_type(const std::string& field, const json::Value& value, std::string_view expected) {
  return Error(ErrorCode::InvalidArgument, field + ": expected " + std::string(expected) +
                                               ", but found " + std::string(value.type_name()));
}

/// Returns a member; null if it is missing or null.
const json::Value* member(const json::Object& object, std::string_view name) {
  const json::Value* value = object.find(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

Result<SelectorExpression> read_expression(const json::Value& value, const std::string& path) {
  const json::Object* object = value.if_object();
  if (object == nullptr) return wrong_type(path, value, "an object");
  SelectorExpression expression;
  for (auto [name, into] :
       {std::pair{"key", &expression.key}, std::pair{"operator", &expression.operator_}}) {
    const json::Value* field = member(*object, name);
    if (field == nullptr) continue;
    if (!field->is_string()) return wrong_type(path + '.' + name, *field, "a string");
    *into = field->string_or_empty();
  }
  if (const json::Value* values = member(*object, "values")) {
    const json::Array* list = values->if_array();
    if (list == nullptr) return wrong_type(path + ".values", *values, "a list of strings");
    for (const json::Value& item : *list) {
      if (!item.is_string()) return wrong_type(path + ".values", item, "a list of strings");
      expression.values.emplace_back(item.string_or_empty());
    }
  }
  return expression;
}

Result<Parts> read(const json::Value& selector) {
  const json::Object* object = selector.if_object();
  if (object == nullptr) return wrong_type("selector", selector, "an object");
  Parts parts;
  if (const json::Value* labels = member(*object, "matchLabels")) {
    const json::Object* members = labels->if_object();
    if (members == nullptr) return wrong_type("matchLabels", *labels, "an object");
    for (const auto& [key, value] : *members) {
      if (!value.is_string()) return wrong_type("matchLabels[" + key + ']', value, "a string");
      parts.match_labels.insert_or_assign(key, std::string(value.string_or_empty()));
    }
  }
  if (const json::Value* expressions = member(*object, "matchExpressions")) {
    const json::Array* list = expressions->if_array();
    if (list == nullptr) return wrong_type("matchExpressions", *expressions, "a list");
    for (std::size_t i = 0; i < list->size(); ++i) {
      Result<SelectorExpression> expression =
          read_expression((*list)[i], "matchExpressions[" + std::to_string(i) + ']');
      if (!expression) return expression.error();
      parts.match_expressions.push_back(*std::move(expression));
    }
  }
  return parts;
}

std::optional<Operator> parse_operator(std::string_view wire) {
  if (wire == "In") return Operator::In;
  if (wire == "NotIn") return Operator::NotIn;
  if (wire == "Exists") return Operator::Exists;
  if (wire == "DoesNotExist") return Operator::DoesNotExist;
  return std::nullopt;
}

Error invalid_operator(std::string_view op, std::string_view what) {
  return Error(ErrorCode::InvalidArgument, go::quote(op) + std::string(what));
}

}  // namespace

Result<Selector> from_label_selector(const Set& match_labels,
                                     const std::vector<SelectorExpression>& match_expressions) {
  std::vector<Requirement> requirements = Selector::from_set(match_labels).requirements();
  for (const SelectorExpression& expression : match_expressions) {
    const std::optional<Operator> op = parse_operator(expression.operator_);
    if (!op)
      return invalid_operator(expression.operator_, " is not a valid label selector operator");
    requirements.push_back({expression.key, *op, expression.values});
  }
  return Selector::from_requirements(std::move(requirements));
}

Result<Selector> from_label_selector(const json::Value& selector) {
  if (selector.is_null()) return Selector::nothing();
  const Result<Parts> parts = read(selector);
  if (!parts) return parts.error();
  return from_label_selector(parts->match_labels, parts->match_expressions);
}

Result<Set> label_selector_as_set(const json::Value& selector) {
  if (selector.is_null()) return Set{};
  Result<Parts> parts = read(selector);
  if (!parts) return parts.error();
  Set set = std::move(parts->match_labels);
  for (SelectorExpression& expression : parts->match_expressions) {
    const std::string& op = expression.operator_;
    if (!parse_operator(op)) return invalid_operator(op, " is not a valid selector operator");
    if (op != "In" || expression.values.size() != 1) {
      return Error(ErrorCode::InvalidArgument,
                   "operator " + go::quote(op) + (op == "In" ? " without a single value" : "") +
                       " cannot be converted into the old label selector format");
    }
    set.insert_or_assign(std::move(expression.key), std::move(expression.values.front()));
  }
  return set;
}

Result<json::Value> parse_to_label_selector(std::string_view text) {
  const Result<Selector> selector = parse(text);
  if (!selector) {
    return Error(ErrorCode::InvalidArgument, "couldn't parse the selector string \"" +
                                                 std::string(text) +
                                                 "\": " + selector.error().message());
  }
  json::Object match_labels;
  json::Array match_expressions;
  for (const Requirement& requirement : selector->requirements()) {
    std::string_view op;
    switch (requirement.operator_) {
      case Operator::Equals:
      case Operator::DoubleEquals:
        match_labels.set(requirement.key, requirement.values.front());
        continue;
      case Operator::In:
        op = "In";
        break;
      case Operator::NotIn:
        op = "NotIn";
        break;
      case Operator::Exists:
        op = "Exists";
        break;
      case Operator::DoesNotExist:
        op = "DoesNotExist";
        break;
      case Operator::GreaterThan:
      case Operator::LessThan:
        return invalid_operator(to_string(requirement.operator_),
                                " isn't supported in label selectors");
      case Operator::NotEquals:
        return invalid_operator(to_string(requirement.operator_),
                                " is not a valid label selector operator");
    }
    std::vector<std::string> sorted = requirement.values;
    std::sort(sorted.begin(), sorted.end());
    json::Object expression{{"key", requirement.key}, {"operator", op}};
    if (!sorted.empty()) expression.append("values", json::Array(sorted.begin(), sorted.end()));
    match_expressions.emplace_back(std::move(expression));
  }
  json::Object out;
  if (!match_labels.empty()) out.append("matchLabels", std::move(match_labels));
  if (!match_expressions.empty()) out.append("matchExpressions", std::move(match_expressions));
  return json::Value(std::move(out));
}

std::string format_label_selector(const json::Value& selector) {
  const Result<Selector> parsed = from_label_selector(selector);
  if (!parsed) return "<error>";
  std::string text = parsed->to_string();
  return text.empty() ? "<none>" : text;
}

}  // namespace kube::labels
