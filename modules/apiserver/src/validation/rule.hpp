// SPDX-License-Identifier: Apache-2.0
//
// The rules of a type, as a table: each says what a field has to be, in the order in which the
// reference server reports errors. A rule across fields is a function.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "validation/place.hpp"

namespace kube::apiserver {

using TextFormat = meta::Problems (*)(std::string_view);
using Check = void (*)(const Place&);

/// One member of a union.
struct Member {
  std::string_view field;
  std::string_view below{};      ///< The name in paths of what is below; empty: the field's.
  std::string_view forbidden{};  ///< The name in the path of the error; empty: the field's.
  bool beside = false;           ///< It may be there beside another one.
};

struct Rule {
  enum class Kind : std::uint8_t {
    Required,  ///< The field is not empty.
    OneOf,     ///< If there is a value, it is one of the words.
    AnyOf,     ///< The same, and a value is required.
    Range,     ///< If there is a number, it is between low and high.
    AtLeast,   ///< If there is a number, it is at least low.
    Text,      ///< If there is a text, it has the format.
    Items,     ///< Each text of a list has the format.
    Into,      ///< The objects of the field are walked.
    Skip,      ///< The objects of the field are not walked.
    Only,      ///< At most one of the members is there; the first is walked.
    Exactly,   ///< The same, and one is required.
    Call,      ///< A function checks the field, and walks it if it has to be.
  };

  Kind kind;
  std::string_view field{};
  std::string_view detail{};
  Words words{};
  std::int64_t low = 0;
  std::int64_t high = 0;
  TextFormat format = nullptr;
  Check check = nullptr;
  std::span<const Member> members{};
  /// The field by which the objects of a list differ.
  std::string_view key{};
  /// The error is one of the server's declarative rules.
  bool late = false;
  /// An empty text is a value too: the field is a pointer in the server.
  bool empty_counts = false;
};

struct TypeRules {
  std::string_view type;
  std::span<const Rule> rules;
};

namespace rules {

constexpr Rule required(std::string_view field, std::string_view detail = {}) {
  return {.kind = Rule::Kind::Required, .field = field, .detail = detail};
}
constexpr Rule late(Rule rule) {
  rule.late = true;
  return rule;
}
constexpr Rule one_of(std::string_view field, Words words) {
  return {.kind = Rule::Kind::OneOf, .field = field, .words = words};
}
/// The same, of a field that can be unset and can be empty.
constexpr Rule one_of_set(std::string_view field, Words words) {
  return {.kind = Rule::Kind::OneOf, .field = field, .words = words, .empty_counts = true};
}
constexpr Rule any_of(std::string_view field, Words words) {
  return {.kind = Rule::Kind::AnyOf, .field = field, .words = words};
}
constexpr Rule range(std::string_view field, std::int64_t low, std::int64_t high,
                     std::string_view detail = {}) {
  return {.kind = Rule::Kind::Range, .field = field, .detail = detail, .low = low, .high = high};
}
constexpr Rule at_least(std::string_view field, std::int64_t low, std::string_view detail = {}) {
  return {.kind = Rule::Kind::AtLeast, .field = field, .detail = detail, .low = low};
}
constexpr Rule not_negative(std::string_view field) {
  return at_least(field, 0);
}
/// A user or group id.
constexpr Rule id(std::string_view field) {
  return range(field, 0, std::numeric_limits<std::int32_t>::max());
}
constexpr Rule text(std::string_view field, TextFormat format) {
  return {.kind = Rule::Kind::Text, .field = field, .format = format};
}
constexpr Rule items(std::string_view field, TextFormat format) {
  return {.kind = Rule::Kind::Items, .field = field, .format = format};
}
constexpr Rule into(std::string_view field, std::string_view key = {}) {
  return {.kind = Rule::Kind::Into, .field = field, .key = key};
}
constexpr Rule skip(std::string_view field) {
  return {.kind = Rule::Kind::Skip, .field = field};
}
constexpr Rule only(std::span<const Member> members, std::string_view detail) {
  return {.kind = Rule::Kind::Only, .detail = detail, .members = members};
}
constexpr Rule call(Check check) {
  return {.kind = Rule::Kind::Call, .check = check};
}
constexpr Rule call(std::string_view field, Check check) {
  return {.kind = Rule::Kind::Call, .field = field, .check = check};
}
/// `none` is the error at the object without a member.
constexpr Rule exactly(std::span<const Member> members, std::string_view several,
                       std::string_view none) {
  return {.kind = Rule::Kind::Exactly, .detail = several, .members = members, .key = none};
}

}  // namespace rules

/// Checks an object by rules, in their order.
void check_rules(const Place& place, std::span<const Rule> rules);
/// Returns the rules of a type; an empty list for one without rules.
std::span<const Rule> find_rules(std::string_view type);
/// Returns the rules of all types, for tests of the tables.
std::vector<TypeRules> all_type_rules();

}  // namespace kube::apiserver
