// SPDX-License-Identifier: Apache-2.0
#include "structural_extensions.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/schema/documents.hpp>

namespace kube::schema {
namespace {

using json::Value;
using meta::FieldError;
using meta::FieldPath;

Value texts_value(const std::vector<std::string>& texts) {
  return json::Array(texts.begin(), texts.end());
}

void check_map_keys(const Node& node, const Node& items, const std::vector<std::string>& keys) {
  const std::vector<std::string> texts = items.texts("required");
  const std::set<std::string_view> required(texts.begin(), texts.end());
  const FieldPath keys_path = path_of(node, "x-kubernetes-list-map-keys");
  const Value shown = meta::shown_value(texts_value(keys));
  std::set<std::string_view> seen;
  for (const std::string& key : keys) {
    if (node.problem().has_enough()) return;
    const FieldPath path = path_of(items, "properties").key(key);
    const auto wrong_keys = [&](std::string why) {
      node.problem().set(FieldError::invalid(keys_path, shown, std::move(why)));
    };
    const auto property = items.member("properties", key);
    if (!property) {
      wrong_keys("entries must all be names of item properties");
    } else if (const std::string type = property->text("type");
               type == "array" || type == "object") {
      node.problem().set(
          FieldError::invalid(path.child("type"), "object",
                              "must be a scalar type if parent array's x-kubernetes-list-type is "
                              "map"));
    }
    if (!seen.insert(key).second) wrong_keys("must not contain duplicate entries");
  }
  for (const std::string& key : keys) {
    const auto property = items.member("properties", key);
    if (!property || node.problem().has_enough()) continue;
    const FieldPath path = path_of(items, "properties").key(key);
    if (!required.contains(key) && !property->has("default")) {
      node.problem().set(FieldError::required(
          path.child("default"),
          "this property is in x-kubernetes-list-map-keys, so it must have a default or be a "
          "required property"));
    }
    if (is_true(*property, "nullable")) {
      node.problem().set(FieldError::forbidden(
          path.child("nullable"),
          "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"));
    }
  }
}

// An element of a set is compared as a whole.
void check_set_items(const Node& items) {
  const std::string type = items.text("type");
  const std::string list_type = items.text("x-kubernetes-list-type");
  const bool granular_list = type == "array" && !list_type.empty() && list_type != "atomic";
  const bool granular_map = type == "object" && items.text("x-kubernetes-map-type") != "atomic";
  if (!granular_list && !granular_map) return;
  items.problem().set(FieldError::invalid(
      path_of(items, granular_list ? "x-kubernetes-list-type" : "x-kubernetes-map-type"),
      list_type.empty() ? Value() : Value(list_type),
      "must be atomic as item of a list with x-kubernetes-list-type=set"));
}

constexpr std::string_view kRuleBlanks = " \t\r\n\v\f";

bool is_blank(const std::string& text) {
  return text.find_first_not_of(kRuleBlanks) == std::string::npos;
}

bool has_lines_inside(const std::string& text) {
  if (is_blank(text)) return false;
  const std::size_t first = text.find_first_not_of(kRuleBlanks);
  const std::size_t last = text.find_last_not_of(kRuleBlanks);
  return text.substr(first, last - first).find_first_of("\r\n") != std::string::npos;
}

bool is_name_character(char c) {
  return ascii::is_alnum(c) || c == '_';
}

// Whether an expression has the name as a word.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_name_character(text[at - 1])) &&
        (end == text.size() || !is_name_character(text[end])))
      return true;
  }
  return false;
}

void check_rule(const Node& schema, const Node& each) {
  const std::string rule = each.text("rule");
  const std::string message = each.text("message");
  const auto wrong = [&](std::string_view key, const std::string& why) {
    each.problem().set(FieldError::invalid(path_of(each, key), each.text(key), why));
  };
  const auto missing = [&](std::string_view key, const std::string& why) {
    each.problem().set(FieldError::required(path_of(each, key), why));
  };
  if (is_blank(rule)) {
    missing("rule", "rule is not specified");
  } else if (!message.empty() && is_blank(message)) {
    wrong("message", "must be non-empty if specified");
  } else if (has_lines_inside(message)) {
    wrong("message", "must not contain line breaks");
  } else if (has_lines_inside(rule) && is_blank(message)) {
    missing("message", "message must be specified if rule contains line breaks");
  }
  const std::string expression = each.text("messageExpression");
  if (!expression.empty() && is_blank(expression))
    missing("messageExpression", "messageExpression must be non-empty if specified");
  const std::vector<std::string> reasons = {"FieldValueDuplicate", "FieldValueForbidden",
                                            "FieldValueInvalid", "FieldValueRequired"};
  if (const std::string reason = each.text("reason");
      each.has("reason") && std::ranges::find(reasons, reason) == reasons.end()) {
    each.problem().set(FieldError::not_supported(path_of(each, "reason"), reason, reasons));
  }
  const std::string path = each.text("fieldPath");
  if (!path.empty() && is_blank(path)) wrong("fieldPath", "must be non-empty if specified");
  if (path.find_first_of("\r\n") != std::string::npos) {
    wrong("fieldPath", "must not contain line breaks");
  } else if (!is_blank(path) &&
             find_field(schema.value(), path, FieldPaths::WithKeys).schema == nullptr) {
    wrong("fieldPath", "must be a valid path");
  }
  if (each.has("optionalOldSelf") && !has_word(rule, "oldSelf")) {
    each.problem().set(FieldError::invalid(path_of(each, "optionalOldSelf"),
                                           each.flag("optionalOldSelf"),
                                           "may not be set if oldSelf is not used in rule"));
  }
}

}  // namespace

void forbid(const Node& node, std::string_view key, const std::string& why) {
  if (node.has(key)) node.problem().set(FieldError::forbidden(path_of(node, key), why));
}

void wrong_type(const Node& node, const std::string& type, const std::string& why) {
  const FieldPath path = path_of(node, "type");
  node.problem().set(type.empty() ? FieldError::required(path, why)
                                  : FieldError::invalid(path, type, why));
}

bool is_true(const Node& node, std::string_view key) {
  const Value* value = node.find(key);
  return value != nullptr && value->is_bool() && *value->if_bool();
}

void check_extensions(const Node& node, const std::string& type) {
  constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";
  constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";
  if (node.has(kPreserve) && !node.flag(kPreserve)) {
    node.problem().set(
        FieldError::invalid(path_of(node, kPreserve), false, "must be true or undefined"));
  }
  // Servers accept a type as well.
  if (is_true(node, "x-kubernetes-int-or-string")) {
    for (const std::string_view key : {kPreserve, kEmbedded}) {
      if (is_true(node, key)) {
        node.problem().set(FieldError::invalid(
            path_of(node, key), true, "must be false if x-kubernetes-int-or-string is true"));
      }
    }
  }
  if (!is_true(node, kEmbedded)) return;
  forbid(node, "additionalProperties", "must not be used if x-kubernetes-embedded-resource is set");
  if (!is_true(node, kPreserve) && node.object("properties").empty()) {
    node.problem().set(
        FieldError::required(path_of(node, "properties"),
                             "must not be empty if x-kubernetes-embedded-resource is true without "
                             "x-kubernetes-preserve-unknown-fields"));
  }
  if (type != "object")
    wrong_type(node, type, "must be object if x-kubernetes-embedded-resource is true");
}

void check_list_type(const Node& node, const std::string& type) {
  constexpr std::string_view kType = "x-kubernetes-list-type";
  constexpr std::string_view kKeys = "x-kubernetes-list-map-keys";
  const std::string list_type = node.text(kType);
  const std::vector<std::string> keys = node.texts(kKeys);
  const auto items = node.child("items");
  if (node.has(kType) && type != "array") {
    wrong_type(node, type, "must be array if x-kubernetes-list-type is specified");
  } else if (list_type == "set" && items) {
    check_set_items(*items);
  }
  if (node.has(kType) && list_type != "atomic" && list_type != "set" && list_type != "map") {
    node.problem().set(
        FieldError::not_supported(path_of(node, kType), list_type, {"atomic", "set", "map"}));
  }
  if ((list_type == "set" || list_type == "map") && items && is_true(*items, "nullable")) {
    node.problem().set(
        FieldError::forbidden(path_of(*items, "nullable"),
                              "cannot be nullable when x-kubernetes-list-type is " + list_type));
  }
  if (list_type != "map") {
    constexpr std::string_view kWhy = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (keys.empty()) return;
    node.problem().set(
        !node.has(kType) ? FieldError::required(path_of(node, kType), std::string(kWhy))
                         : FieldError::invalid(path_of(node, kType), list_type, std::string(kWhy)));
    return;
  }
  if (keys.empty()) {
    node.problem().set(FieldError::required(path_of(node, kKeys),
                                            "must not be empty if x-kubernetes-list-type is map"));
  }
  if (!items) {
    node.problem().set(FieldError::required(path_of(node, "items"),
                                            "must have a schema if x-kubernetes-list-type is map"));
    return;
  }
  if (const std::string item_type = items->text("type"); item_type != "object") {
    node.problem().set(
        FieldError::invalid(path_of(*items, "type"), item_type,
                            "must be object if parent array's x-kubernetes-list-type is map"));
  } else {
    check_map_keys(node, *items, keys);
  }
}

void check_map_type(const Node& node, const std::string& type) {
  if (!node.has("x-kubernetes-map-type")) return;
  const std::string map_type = node.text("x-kubernetes-map-type");
  if (type != "object")
    wrong_type(node, type, "must be object if x-kubernetes-map-type is specified");
  if (map_type != "atomic" && map_type != "granular") {
    node.problem().set(FieldError::not_supported(path_of(node, "x-kubernetes-map-type"), map_type,
                                                 {"atomic", "granular"}));
  }
}

void check_rules(const Node& node) {
  node.each_element("x-kubernetes-validations",
                    [&node](const Node& rule) { check_rule(node, rule); });
}

}  // namespace kube::schema
