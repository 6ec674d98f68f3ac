// SPDX-License-Identifier: Apache-2.0
#include "validation/place.hpp"

#include <algorithm>
#include <utility>

#include "validation/own_form.hpp"
#include "validation/rule.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

bool is_empty_value(const json::Value* value) {
  if (value == nullptr || value->is_null()) return true;
  if (const std::string* text = value->if_string()) return text->empty();
  if (const json::Array* list = value->if_array()) return list->empty();
  if (const json::Object* map = value->if_object()) return map->empty();
  return false;
}

void add(const Place& place, const Rule& rule, FieldError error) {
  if (rule.late) {
    place.report_late(std::move(error));
  } else {
    place.report(std::move(error));
  }
}

void check_words(const Place& place, const Rule& rule) {
  if (rule.empty_counts ? !place.has(rule.field) : place.is_empty(rule.field)) {
    if (rule.kind == Rule::Kind::AnyOf) place.required(rule.field);
    return;
  }
  if (std::ranges::find(rule.words, place.text(rule.field)) == rule.words.end())
    add(place, rule,
        FieldError::not_supported(place.path(rule.field), place.shown(rule.field),
                                  texts_of(rule.words)));
}

void check_number(const Place& place, const Rule& rule) {
  const auto number = place.number(rule.field);
  if (!number) return;
  const bool ranged = rule.kind == Rule::Kind::Range;
  if (*number >= rule.low && (!ranged || *number <= rule.high)) return;
  std::string detail(rule.detail);
  if (detail.empty()) {
    detail = ranged ? "must be between " + std::to_string(rule.low) + " and " +
                          std::to_string(rule.high) + ", inclusive"
                    : "must be greater than or equal to " + std::to_string(rule.low);
  }
  add(place, rule, FieldError::invalid(place.path(rule.field), *number, std::move(detail)));
}

void check_text(const Place& place, const Rule& rule) {
  const std::string_view text = place.text(rule.field);
  if (!text.empty()) place.problems(rule.field, rule.format(text));
}

void check_items(const Place& place, const Rule& rule) {
  const json::Array& list = place.list(rule.field);
  for (std::size_t i = 0; i < list.size() && !place.walk().is_full(); ++i) {
    const std::string_view text = list[i].string_or_empty();
    report_problems(place, place.path(rule.field, i), text, rule.format(text));
  }
}

void walk_list(const Place& place, const Rule& rule) {
  std::set<std::string_view> keys;
  place.each(rule.field, [&](const Place& element) {
    element.apply();
    if (rule.key.empty()) return;
    const std::string_view key = element.text(rule.key);
    if (!key.empty() && !keys.insert(key).second) element.duplicate(rule.key);
  });
}

void walk_union(const Place& place, const Rule& rule) {
  bool found = false;
  for (const Member& member : rule.members) {
    if (!place.has(member.field)) continue;
    if (found && !member.beside) {
      place.forbidden(member.forbidden.empty() ? member.field : member.forbidden,
                      std::string(rule.detail));
    } else {
      place.into(member.field, member.below);
    }
    found = true;
  }
  if (!found && rule.kind == Rule::Kind::Exactly)
    place.report(FieldError::required(place.path(), std::string(rule.key)));
}

void check_rule(const Place& place, const Rule& rule) {
  switch (rule.kind) {
    case Rule::Kind::Required:
      if (place.is_empty(rule.field))
        add(place, rule, FieldError::required(place.path(rule.field), std::string(rule.detail)));
      return;
    case Rule::Kind::OneOf:
    case Rule::Kind::AnyOf:
      return check_words(place, rule);
    case Rule::Kind::Range:
    case Rule::Kind::AtLeast:
      return check_number(place, rule);
    case Rule::Kind::Text:
      return check_text(place, rule);
    case Rule::Kind::Items:
      return check_items(place, rule);
    case Rule::Kind::Into:
      return walk_list(place, rule);
    case Rule::Kind::Skip:
      return;
    case Rule::Kind::Only:
    case Rule::Kind::Exactly:
      return walk_union(place, rule);
    case Rule::Kind::Call:
      return rule.check(place);
  }
}

// Whether a rule decides what happens to the objects of a field.
bool decides(const Rule& rule, std::string_view field) {
  switch (rule.kind) {
    case Rule::Kind::Into:
    case Rule::Kind::Skip:
    case Rule::Kind::Call:
      return rule.field == field;
    case Rule::Kind::Only:
    case Rule::Kind::Exactly:
      return std::ranges::find(rule.members, field, &Member::field) != rule.members.end();
    default:
      return false;
  }
}

}  // namespace

void check_rules(const Place& place, std::span<const Rule> rules) {
  for (const Rule& rule : rules) {
    if (place.walk().is_full()) return;
    check_rule(place, rule);
  }
}

meta::FieldPath Place::path() const {
  if (parent_ == nullptr) return {};
  const meta::FieldPath out = list_ != nullptr ? *list_ : parent_->path().child(name_);
  if (index_) return out.index(*index_);
  return key_.empty() ? out : out.key(key_);
}

const meta::FieldDescriptor* Place::field_of(std::string_view key) const {
  const auto found = std::ranges::find(type_.keys.fields, key, &meta::FieldDescriptor::json);
  return found == type_.keys.fields.end() ? nullptr : *found;
}

const json::Value* Place::find(std::string_view field) const {
  const json::Value* value = value_.at_path({field});
  return value == nullptr || value->is_null() ? nullptr : value;
}

bool Place::is_emptied(std::string_view field) const {
  return !walk_.emptied.empty() &&
         std::ranges::find(walk_.emptied, path(field).to_string()) != walk_.emptied.end();
}

bool Place::is_empty(std::string_view field) const {
  return is_empty_value(find(field));
}

std::string_view Place::text_or(std::string_view field, std::string_view absent) const {
  const std::string_view found = text(field);
  return found.empty() ? absent : found;
}

const json::Object& Place::map(std::string_view field) const {
  static const json::Object none;
  const json::Value* value = find(field);
  return value == nullptr || !value->is_object() ? none : *value->if_object();
}

void Place::apply() const {
  if (walk_.is_full()) return;
  const json::Object* members = value_.if_object();
  if (members == nullptr) return;
  const std::span<const Rule> rules = find_rules(type_.name);
  check_rules(*this, rules);
  for (const auto& [name, member] : *members) {
    if (walk_.is_full()) return;
    if (!member.is_object() && !member.is_array()) continue;
    // The status is the server's; the metadata have their own validation.
    if (parent_ == nullptr && (name == "status" || name == "metadata")) continue;
    if (std::ranges::any_of(rules,
                            [&name = name](const Rule& rule) { return decides(rule, name); }))
      continue;
    into(name);
  }
}

void Place::into(std::string_view field, std::string_view name) const {
  if (name.empty() || name == field) {
    each(field, [](const Place& below) { below.apply(); });
    return;
  }
  const meta::FieldDescriptor* descriptor = field_of(field);
  const json::Value* value = find(field);
  if (descriptor == nullptr || descriptor->message == nullptr || value == nullptr) return;
  Place(*this, *descriptor->message, *value, name).apply();
}

void Place::not_supported(std::string_view field, Words words) const {
  report(FieldError::not_supported(path(field), shown(field), texts_of(words)));
}

void Place::problems(std::string_view field, const meta::Problems& found) const {
  if (!found.empty()) report_problems(*this, path(field), text(field), found);
}

json::Value Place::shown(std::string_view field) const {
  const json::Value* value = find(field);
  const meta::FieldDescriptor* descriptor = field_of(field);
  if (value == nullptr) {
    const bool text = descriptor != nullptr && descriptor->kind == meta::ValueKind::String &&
                      descriptor->cardinality == meta::Cardinality::Plain;
    if (text) return "";
    return descriptor == nullptr ? json::Value{} : shown_absent(*descriptor);
  }
  const bool ordered = descriptor != nullptr && (value->is_object() || value->is_array());
  return meta::shown_value(ordered ? ordered_value(*descriptor, *value) : *value);
}

json::Value Place::shown_own(std::string_view field) const {
  const meta::FieldDescriptor* descriptor = field_of(field);
  if (descriptor == nullptr) return {};
  return meta::shown_value(
      own_field(*descriptor, find(field), {walk_.emptied, path(field).to_string()}));
}

json::Value Place::shown_part(const meta::FieldDescriptor& inlined, const json::Value& of) const {
  json::Object out;
  for (const meta::FieldDescriptor& field : inlined.message->fields) {
    out.set(
        own_name(inlined.message->name, field.json),
        own_field(field, of.at_path({field.json}), {walk_.emptied, path(field.json).to_string()}));
  }
  return out;
}

json::Value Place::shown_absent(const meta::FieldDescriptor& field) const {
  if (!is_emptied(field.json)) return {};
  if (field.kind == meta::ValueKind::Bytes && field.cardinality == meta::Cardinality::Plain)
    return "";
  return field.cardinality == meta::Cardinality::Map ? json::Value(json::Object{})
                                                     : json::Value(json::Array{});
}

json::Value Place::shown_as(const json::Value& value) const {
  return own_form(type_, &value, {walk_.emptied, path().to_string()});
}

void report_problems(const Place& place, const meta::FieldPath& path, std::string_view text,
                     const meta::Problems& problems) {
  for (const std::string& problem : problems)
    place.report(FieldError::invalid(path, text, problem));
}

std::vector<std::string> texts_of(Words words) {
  return {words.begin(), words.end()};
}

}  // namespace kube::apiserver
