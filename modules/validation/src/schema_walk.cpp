// SPDX-License-Identifier: Apache-2.0
//
// The API server checks custom resources with kube-openapi's validators; this file reproduces their
// messages and paths, oddities included.
#include "schema_walk.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/json/text.hpp>
#include <kube/json/writer.hpp>
#include <kube/names/go_text.hpp>
#include <kube/names/path_trail.hpp>

namespace kube::meta::detail {
namespace {

// go-openapi's IsFloat64AJSONInteger, with its tolerance: 19.99 / 0.01 is not an integer.
bool is_integral(double number) {
  constexpr double kLargest = 9007199254740991.0;
  if (!(std::abs(number) <= kLargest)) return false;
  const double nearest = std::round(number);
  return number == nearest || std::abs(number - nearest) < 1e-9 * std::abs(nearest);
}

// Go reads integers beyond 64 bits as floating point.
json::Value as_go_has(const json::Value& value) {
  if (const std::uint64_t* large = value.if_uint()) return static_cast<double>(*large);
  return value;
}

// Counts the successful checks, as kube-openapi does, to find which of several schemas was meant.
struct Outcome {
  FieldErrors errors{};
  int matches = 0;

  void merge(Outcome&& other) {
    errors.insert(errors.end(), std::make_move_iterator(other.errors.begin()),
                  std::make_move_iterator(other.errors.end()));
    matches += other.matches;
  }
};

// Limits the work. Schemas that refer to each other can double the checks with each level of a
// value or of allOf. Without references each part of a schema checks a value at most once, but that
// can be too much as well.
class Budget {
 public:
  Budget(const json::Value& value, std::size_t parts)
      : left_(std::min(10'000 + std::max(parts, std::size_t{64}) * count(value),
                       10'000'000 + 4 * count(value))) {}
  // Returns false when the budget is used up.
  bool spend() { return left_ != 0 && --left_ != 0; }
  bool is_spent() const { return left_ == 0; }
  bool spend_on(const Pattern& pattern, std::string_view text, std::string_view path) {
    if (pattern_too_long_at_) return false;
    const std::size_t steps = pattern.steps() * text.size();
    if (steps >= pattern_steps_) {
      pattern_too_long_at_.emplace(path);
      return false;
    }
    pattern_steps_ -= steps;
    return true;
  }
  // Returns the path of the text on which the patterns took too long.
  const std::optional<std::string>& pattern_too_long_at() const { return pattern_too_long_at_; }

 private:
  static std::size_t count(const json::Value& value) {
    std::size_t all = 1;
    if (const json::Object* object = value.if_object()) {
      for (const auto& [key, member] : *object) all += count(member);
    } else if (const json::Array* array = value.if_array()) {
      for (const json::Value& each : *array) all += count(each);
    }
    return all;
  }

  std::size_t left_;
  std::size_t pattern_steps_ = std::size_t{1} << 29U;
  std::optional<std::string> pattern_too_long_at_;
};

// Checks one value. Paths are those of kube-openapi, which joins map keys with dots too.
class Walk {
 public:
  static Outcome check(const SchemaNode& node, const json::Value& value, PathTrail& trail,
                       Budget& budget) {
    if (!budget.spend()) return {};
    Walk walk(node, value, trail, budget);
    walk.types();
    if (!value.is_null()) {
      walk.combinations();
      walk.strings();
      walk.numbers();
      walk.lists();
    }
    walk.enumeration();
    if (!value.is_null()) walk.objects();
    ++walk.out_.matches;
    return std::move(walk.out_);
  }

  // Returns a path as field errors print it.
  static FieldPath field(std::string_view path) {
    if (path.starts_with('.')) path.remove_prefix(1);
    return FieldPath(path);
  }

 private:
  Walk(const SchemaNode& node, const json::Value& value, PathTrail& trail, Budget& budget)
      : node_(node), value_(value), trail_(trail), path_(trail.text()), budget_(budget) {}
  Outcome check(const SchemaNode& node) { return check(node, value_, trail_, budget_); }
  void check_member(const SchemaNode& node, const json::Value& member, std::string_view before,
                    std::string_view name, std::string_view after) {
    const PathTrail::Step step = trail_.append(before, name, after);
    out_.merge(check(node, member, trail_, budget_));
  }

  std::string child(std::string_view name) const { return path_ + '.' + std::string(name); }
  std::string in_body(const std::string& what) const { return path_ + " in body " + what; }
  void invalid(const json::Value& bad, const std::string& what) {
    out_.errors.push_back(
        FieldError::invalid(field(path_), shown_value(as_go_has(bad)), in_body(what)));
  }
  // Reports an error for which kube-openapi has no path.
  void unplaced(std::string what) {
    out_.errors.push_back(FieldError::invalid(FieldPath(), "", std::move(what)));
  }

  void wrong_type(const std::string& expected, const std::string& found) {
    out_.errors.push_back(FieldError::type_invalid(
        field(path_), found, in_body("must be of type " + expected + ": " + go::quote(found))));
  }

  void types() {
    if (value_.is_null()) {
      if (!node_.types.empty() && !node_.nullable && !node_.has_type("null"))
        wrong_type(node_.type_text, "null");
      return;
    }
    if (node_.types.empty() && node_.format.empty()) return;
    ++out_.matches;
    const bool is_integer = value_.is_int();
    const std::string actual = is_integer ? "integer" : std::string(value_.type_name());
    const bool fits =
        node_.has_type(actual) || (is_integer && node_.has_type("number")) ||
        (value_.is_number() && node_.has_type("integer") && is_integral(*number_of(value_)));
    const bool is_text_or_list = value_.is_string() || value_.is_array();
    if (!node_.format.empty() && !is_text_or_list && !fits) {
      const std::string format = is_integer ? "int64" : value_.is_number() ? "float64" : "";
      if (format != node_.format) return wrong_type(node_.format, format);
    }
    const bool numeric = node_.has_type("number") || node_.has_type("integer");
    if ((numeric || node_.format.empty() || !is_text_or_list) && !fits)
      return wrong_type(node_.type_text, actual);
    ++out_.matches;
  }

  void enumeration() {
    if (node_.allowed.empty()) return;
    if (node_.allows(value_)) return;
    std::vector<std::string> supported;
    for (const json::Value& each : node_.allowed)
      supported.push_back(each.is_string() ? *each.if_string() : json::dump(as_go_has(each)));
    out_.errors.push_back(
        FieldError::not_supported(field(path_), shown_value(as_go_has(value_)), supported));
  }

  void strings() {
    const std::string* text = value_.if_string();
    if (text == nullptr) return;
    const std::int64_t length = static_cast<std::int64_t>(std::ranges::count_if(
        *text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
    if (node_.max_length && length > *node_.max_length) {
      out_.errors.push_back(FieldError::too_long(field(path_), limit(*node_.max_length)));
    } else if (node_.min_length && length < *node_.min_length) {
      invalid(*text, "should be at least " + std::to_string(*node_.min_length) + " chars long");
    } else if (node_.pattern && budget_.spend_on(*node_.pattern, *text, path_) &&
               !node_.pattern->is_in(*text)) {
      invalid(*text, "should match '" + node_.pattern_text + "'");
    }
    if (node_.check_format != nullptr && !node_.check_format(*text)) {
      out_.errors.push_back(FieldError::type_invalid(
          field(path_), *text,
          in_body("must be of type " + node_.format + ": " + go::quote(*text))));
    }
  }
  static std::size_t limit(std::int64_t count) {
    return static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  }

  void numbers() {
    const auto number = number_of(value_);
    if (!number) return;
    complain_unless_in_range(*number, value_.is_int(), "Checked");
    if (node_.multiple_of) multiple(*number, *number_of(*node_.multiple_of));
    if (node_.minimum) bound(*number, *node_.minimum, node_.exclusive_minimum, true);
    if (node_.maximum) bound(*number, *node_.maximum, node_.exclusive_maximum, false);
    ++out_.matches;
  }
  // Reports a number that the schema's type and format can't hold; returns false then. kube-openapi
  // checks bounds as well, so that a bound with a fraction rejects every integer.
  bool complain_unless_in_range(double number, bool is_integer, const std::string& what) {
    if (node_.types.size() != 1 || is_in_range(number, is_integer)) return true;
    unplaced(what + " value must be of type " + node_.types.front() +
             (node_.format.empty() ? " (default format)" : " with format " + node_.format) +
             " in " + path_);
    return false;
  }
  bool is_in_range(double number, bool is_integer) const {
    if (node_.has_type("number"))
      return node_.format != "float" || std::abs(number) < 0x1.ffffffp127;
    if (!node_.has_type("integer")) return true;
    if (number != std::floor(number)) return false;
    if (node_.format != "int32") return is_integer || std::abs(number) < 0x1p63;
    using Limits = std::numeric_limits<std::int32_t>;
    return number >= Limits::min() && number <= Limits::max();
  }
  // Whether kube-openapi compares the value with a number of the schema as integers, and truncates
  // the latter in its message. The result depends on the numbers as they are written here.
  bool is_among_integers(double written) const {
    return value_.is_int() && written == std::floor(written) && std::abs(written) < 0x1p63;
  }
  void multiple(double number, double factor) {
    const bool typed = complain_unless_in_range(factor, false, "MultipleOf");
    json::Value shown(factor);
    if (typed && is_among_integers(factor)) shown = static_cast<std::int64_t>(factor);
    if (factor <= 0) {
      out_.errors.push_back(FieldError::invalid(
          field(path_), shown,
          "factor MultipleOf declared for " + path_ + " must be positive: " + text_of(shown)));
      return;
    }
    const bool fits = shown.is_int()
                          ? *value_.if_int() % *shown.if_int() == 0
                          : is_integral(factor < 1 ? 1 / factor * number : number / factor);
    if (!fits)
      invalid(typed ? value_ : json::Value(number), "should be a multiple of " + text_of(shown));
  }
  static std::string text_of(const json::Value& number) {
    return number.is_int() ? std::to_string(*number.if_int()) : go::number_text(*number_of(number));
  }
  void bound(double number, const json::Value& limit, bool exclusive, bool least) {
    const double edge = *number_of(limit);
    const bool typed =
        complain_unless_in_range(edge, false, least ? "Minimum boundary" : "Maximum boundary");
    const bool exact = value_.is_int() && limit.is_int();
    const bool beyond =
        exact   ? (least ? *value_.if_int() < *limit.if_int() : *value_.if_int() > *limit.if_int())
        : least ? number < edge
                : number > edge;
    const bool on_edge = exact ? *value_.if_int() == *limit.if_int() : number == edge;
    if (!beyond && !(exclusive && on_edge)) return;
    std::string what = least ? "should be greater than " : "should be less than ";
    if (!exclusive) what += "or equal to ";
    json::Value shown(edge);
    if (typed && exact) {
      shown = limit;
    } else if (typed && is_among_integers(edge)) {
      shown = static_cast<std::int64_t>(edge);
    }
    invalid(typed ? value_ : json::Value(number), what + text_of(shown));
  }

  void lists() {
    const json::Array* list = value_.if_array();
    if (list == nullptr) return;
    if (node_.items != nullptr) {
      for (std::size_t i = 0; i < list->size() && !has_enough(out_.errors); ++i)
        check_member(*node_.items, (*list)[i], "[", std::to_string(i), "]");
    }
    const auto size = static_cast<std::int64_t>(list->size());
    if (node_.min_items && size < *node_.min_items)
      invalid(size, "should have at least " + std::to_string(*node_.min_items) + " items");
    if (node_.max_items && size > *node_.max_items)
      out_.errors.push_back(
          FieldError::too_many(field(path_), list->size(), limit(*node_.max_items)));
    if (node_.unique_items && has_equal(*list)) invalid("", "shouldn't contain duplicates");
    ++out_.matches;
  }
  static bool has_equal(const json::Array& list) {
    std::set<std::string> seen;
    return std::ranges::any_of(
        list, [&](const json::Value& each) { return !seen.insert(identity_of(each)).second; });
  }

  // A server drops a null from a field that is not nullable.
  static bool is_absent(const SchemaNode& schema, const json::Value& member) {
    return member.is_null() && !schema.nullable;
  }

  void objects() {
    const json::Object* object = value_.if_object();
    if (object == nullptr) return;
    const auto size = static_cast<std::int64_t>(object->size());
    if (node_.min_properties && size < *node_.min_properties)
      invalid(size,
              "should have at least " + std::to_string(*node_.min_properties) + " properties");
    if (node_.max_properties && size > *node_.max_properties)
      out_.errors.push_back(
          FieldError::too_many(field(path_), object->size(), limit(*node_.max_properties)));
    if (node_.additional != nullptr) {
      for (const auto& [name, member] : *object) {
        if (has_enough(out_.errors)) break;
        if (node_.find(name) == nullptr && !is_absent(*node_.additional, member))
          check_member(*node_.additional, member, ".", name, "");
      }
    }
    for (const auto& [name, schema] : node_.properties) {
      if (has_enough(out_.errors)) break;
      const json::Value* member = object->find(name);
      if (member != nullptr && !is_absent(*schema, *member))
        check_member(*schema, *member, path_.empty() ? "" : ".", name, "");
    }
    for (const std::string& name : node_.required) {
      if (has_enough(out_.errors)) break;
      const json::Value* member = object->find(name);
      const SchemaNode* schema = node_.find(name);
      if (member == nullptr || (schema != nullptr && is_absent(*schema, *member)))
        out_.errors.push_back(FieldError::required(field(child(name)), ""));
    }
  }

  void combinations() {
    const std::string name = go::quote(path_);
    if (!node_.any_of.empty()) {
      std::optional<Outcome> best;
      bool valid = false;
      for (const SchemaNode* each : node_.any_of) {
        Outcome outcome = check(*each);
        valid = outcome.errors.empty();
        if (valid || !best || outcome.matches > best->matches) best = std::move(outcome);
        if (valid) break;
      }
      if (!valid) unplaced(name + " must validate at least one schema (anyOf)");
      out_.merge(*std::move(best));
    }
    if (!node_.one_of.empty()) {
      std::optional<Outcome> best;
      int valid = 0;
      for (const SchemaNode* each : node_.one_of) {
        Outcome outcome = check(*each);
        if (outcome.errors.empty()) {
          if (++valid == 1) best = std::move(outcome);
        } else if (valid == 0 && (!best || outcome.matches > best->matches)) {
          best = std::move(outcome);
        }
      }
      if (valid != 1) {
        unplaced(name + " must validate one and only one schema (oneOf). Found " +
                 (valid == 0 ? std::string("none valid")
                             : std::to_string(valid) + " valid alternatives"));
      }
      if (valid <= 1) out_.merge(*std::move(best));
    }
    if (!node_.all_of.empty()) {
      std::size_t valid = 0;
      for (const SchemaNode* each : node_.all_of) {
        Outcome outcome = check(*each);
        if (outcome.errors.empty()) ++valid;
        out_.merge(std::move(outcome));
      }
      if (valid != node_.all_of.size()) {
        unplaced(name + " must validate all the schemas (allOf)" +
                 (valid == 0 ? ". None validated" : ""));
      }
    }
    if (node_.not_ != nullptr && check(*node_.not_).errors.empty())
      unplaced(name + " must not validate the schema (not)");
    ++out_.matches;
  }

  const SchemaNode& node_;
  const json::Value& value_;
  PathTrail& trail_;
  const std::string& path_;
  Budget& budget_;
  Outcome out_;
};

}  // namespace

namespace {

void write_identity(const json::Value& value, std::string& out) {
  if (const json::Object* object = value.if_object()) {
    std::vector<const json::Object::Member*> members;
    members.reserve(object->size());
    for (const json::Object::Member& member : *object) members.push_back(&member);
    std::ranges::sort(members, {},
                      [](const json::Object::Member* m) -> const std::string& { return m->first; });
    out += '{';
    for (const json::Object::Member* member : members) {
      json::write_string(member->first, out);
      out += ':';
      write_identity(member->second, out);
      out += ',';
    }
    out += '}';
  } else if (const json::Array* array = value.if_array()) {
    out += '[';
    for (const json::Value& each : *array) {
      write_identity(each, out);
      out += ',';
    }
    out += ']';
  } else {
    json::dump_to(value, out);
  }
}

}  // namespace

std::string identity_of(const json::Value& value) {
  std::string out;
  write_identity(value, out);
  return out;
}

FieldErrors check_by_openapi(const SchemaNode& node, std::size_t parts, const json::Value& value) {
  Budget budget(value, parts);
  PathTrail trail;
  FieldErrors errors = Walk::check(node, value, trail, budget).errors;
  if (budget.is_spent())
    return {FieldError::internal(
        FieldPath(), "the schema combines too many schemas to check the value by all of them")};
  if (const auto& path = budget.pattern_too_long_at())
    return {FieldError::internal(
        Walk::field(*path), "the schema has patterns that take too long for texts of this length")};
  return errors;
}

}  // namespace kube::meta::detail
