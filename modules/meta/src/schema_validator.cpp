// SPDX-License-Identifier: Apache-2.0
//
// The API server checks custom resources with kube-openapi's validators; what they say, and about
// which path, is kept here, oddities included.
#include <kube/meta/schema_validator.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <kube/json/text.hpp>

#include "schema_format.hpp"
#include "text.hpp"

namespace kube::meta {

/// One level of a schema, compiled.
struct SchemaValidator::Node {
  std::vector<std::string> types{};
  std::string type_text{};  ///< "integer,string"
  std::string format{};
  FormatCheck check_format = nullptr;
  bool nullable = false;
  bool embedded_resource = false;
  std::vector<std::pair<std::string, const Node*>> properties{};
  const Node* additional = nullptr;
  const Node* items = nullptr;
  std::vector<std::string> required{};
  json::Array allowed{};  ///< enum
  std::optional<json::Value> minimum{};
  std::optional<json::Value> maximum{};
  std::optional<double> multiple_of{};
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<std::int64_t> min_length{};
  std::optional<std::int64_t> max_length{};
  std::optional<std::int64_t> min_items{};
  std::optional<std::int64_t> max_items{};
  std::optional<std::int64_t> min_properties{};
  std::optional<std::int64_t> max_properties{};
  bool unique_items = false;
  std::optional<Pattern> pattern{};
  std::string pattern_text{};
  std::vector<const Node*> all_of{};
  std::vector<const Node*> any_of{};
  std::vector<const Node*> one_of{};
  const Node* not_ = nullptr;
  std::string list_type{};
  std::vector<std::string> list_map_keys{};

  const Node* find(std::string_view name) const {
    for (const auto& [key, node] : properties) {
      if (key == name) return node;
    }
    return nullptr;
  }
  bool has_type(std::string_view type) const {
    return std::ranges::find(types, type) != types.end();
  }
};

struct SchemaValidator::Impl {
  std::vector<std::unique_ptr<Node>> nodes{};
  const Node* root = nullptr;
  std::vector<std::string> unchecked{};
};

namespace {

using Node = SchemaValidator::Node;

bool is_set(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.find(key);
  return value != nullptr && value->if_bool() != nullptr && *value->if_bool();
}

std::string text_in(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.find(key);
  return value == nullptr ? std::string() : std::string(value->string_or_empty());
}

std::optional<double> number_of(const json::Value& value) {
  if (const std::int64_t* integer = value.if_int()) return static_cast<double>(*integer);
  if (const std::uint64_t* integer = value.if_uint()) return static_cast<double>(*integer);
  if (const double* number = value.if_double()) return *number;
  return std::nullopt;
}

std::optional<std::int64_t> count_in(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.find(key);
  if (value == nullptr || value->if_int() == nullptr) return std::nullopt;
  return *value->if_int();
}

class Compiler {
 public:
  Compiler(SchemaValidator::Impl& out, const json::Value* components)
      : out_(out), components_(components) {}

  Result<const Node*> compile(const json::Value& value, const FieldPath& path, int depth = 0);

 private:
  Result<void> fill(Node& node, const json::Object& schema, const FieldPath& path, int depth);
  Result<void> fill_children(Node& node, const json::Object& schema, const FieldPath& path,
                             int depth);
  Result<void> fill_list(std::vector<const Node*>& list, const json::Object& schema,
                         std::string_view key, const FieldPath& path, int depth);
  void unchecked(const FieldPath& path) { out_.unchecked.push_back(path.to_string()); }

  SchemaValidator::Impl& out_;
  const json::Value* components_;
  std::map<std::string, const Node*, std::less<>> by_reference_;
};

Result<const Node*> Compiler::compile(const json::Value& value, const FieldPath& path, int depth) {
  const auto failed = [&](const std::string& what) {
    return Error(ErrorCode::Decode, path.to_string() + ": " + what);
  };
  if (depth > json::max_depth) return failed("exceeded max depth");
  const json::Object* schema = value.if_object();
  if (schema == nullptr)
    return failed("expected a schema, found " + std::string(value.type_name()));
  const std::string reference = text_in(*schema, "$ref");
  if (!reference.empty()) {
    if (const auto known = by_reference_.find(reference); known != by_reference_.end())
      return known->second;
    constexpr std::string_view prefix = "#/components/schemas/";
    const json::Value* target =
        components_ != nullptr && reference.starts_with(prefix)
            ? components_->at_path({std::string_view(reference).substr(prefix.size())})
            : nullptr;
    out_.nodes.push_back(std::make_unique<Node>());
    Node& node = *out_.nodes.back();
    by_reference_.emplace(reference, &node);
    if (target == nullptr || !target->is_object()) {
      unchecked(path.child("$ref"));
      return &node;
    }
    if (auto filled = fill(node, *target->if_object(), path, depth); !filled) return filled.error();
    return &node;
  }
  out_.nodes.push_back(std::make_unique<Node>());
  Node& node = *out_.nodes.back();
  if (auto filled = fill(node, *schema, path, depth); !filled) return filled.error();
  return &node;
}

Result<void> Compiler::fill(Node& node, const json::Object& schema, const FieldPath& path,
                            int depth) {
  if (is_set(schema, "x-kubernetes-int-or-string")) {
    node.types = {"integer", "string"};
  } else if (std::string type = text_in(schema, "type"); !type.empty()) {
    node.types = {std::move(type)};
  }
  node.type_text = detail::join(node.types, ",");
  node.format = text_in(schema, "format");
  // Formats that nobody knows are nothing to a server.
  node.check_format = find_format(node.format);
  if (!node.format.empty() && node.check_format == nullptr) {
    constexpr std::string_view numbers[] = {"int32", "int64", "float", "double"};
    if (std::ranges::find(numbers, node.format) == std::end(numbers)) {
      unchecked(path.child("format"));
      node.format.clear();
    }
  }
  node.nullable = is_set(schema, "nullable");
  node.embedded_resource = is_set(schema, "x-kubernetes-embedded-resource");
  node.unique_items = is_set(schema, "uniqueItems");
  node.exclusive_minimum = is_set(schema, "exclusiveMinimum");
  node.exclusive_maximum = is_set(schema, "exclusiveMaximum");
  const auto number = [&](std::string_view key) -> std::optional<json::Value> {
    const json::Value* value = schema.find(key);
    return value != nullptr && value->is_number() ? std::optional(*value) : std::nullopt;
  };
  node.minimum = number("minimum");
  node.maximum = number("maximum");
  if (const auto factor = number("multipleOf")) node.multiple_of = number_of(*factor);
  node.min_length = count_in(schema, "minLength");
  node.max_length = count_in(schema, "maxLength");
  node.min_items = count_in(schema, "minItems");
  node.max_items = count_in(schema, "maxItems");
  node.min_properties = count_in(schema, "minProperties");
  node.max_properties = count_in(schema, "maxProperties");
  node.pattern_text = text_in(schema, "pattern");
  if (!node.pattern_text.empty()) {
    node.pattern = Pattern::compile(node.pattern_text);
    if (!node.pattern) unchecked(path.child("pattern"));
  }
  const auto texts = [&](std::string_view key) {
    std::vector<std::string> all;
    const json::Value* value = schema.find(key);
    const json::Array* array = value != nullptr ? value->if_array() : nullptr;
    if (array == nullptr) return all;
    for (const json::Value& each : *array) all.emplace_back(each.string_or_empty());
    return all;
  };
  node.required = texts("required");
  node.list_type = text_in(schema, "x-kubernetes-list-type");
  node.list_map_keys = texts("x-kubernetes-list-map-keys");
  if (const json::Value* allowed = schema.find("enum"); allowed != nullptr && allowed->is_array())
    node.allowed = *allowed->if_array();
  if (schema.contains("x-kubernetes-validations"))
    unchecked(path.child("x-kubernetes-validations"));
  return fill_children(node, schema, path, depth);
}

Result<void> Compiler::fill_children(Node& node, const json::Object& schema, const FieldPath& path,
                                     int depth) {
  if (const json::Value* properties = schema.find("properties");
      properties != nullptr && properties->is_object()) {
    for (const auto& [name, child] : *properties->if_object()) {
      auto made = compile(child, path.child("properties").key(name), depth + 1);
      if (!made) return made.error();
      node.properties.emplace_back(name, *made);
    }
  }
  const auto one = [&](std::string_view key, const Node*& out) -> Result<void> {
    const json::Value* child = schema.find(key);
    if (child == nullptr || child->if_bool() != nullptr) return {};
    auto made = compile(*child, path.child(key), depth + 1);
    if (!made) return made.error();
    out = *made;
    return {};
  };
  for (const auto& [key, out] :
       {std::pair<std::string_view, const Node**>{"additionalProperties", &node.additional},
        {"items", &node.items},
        {"not", &node.not_}}) {
    if (auto done = one(key, *out); !done) return done;
  }
  if (auto done = fill_list(node.all_of, schema, "allOf", path, depth); !done) return done;
  if (auto done = fill_list(node.any_of, schema, "anyOf", path, depth); !done) return done;
  return fill_list(node.one_of, schema, "oneOf", path, depth);
}

Result<void> Compiler::fill_list(std::vector<const Node*>& list, const json::Object& schema,
                                 std::string_view key, const FieldPath& path, int depth) {
  const json::Value* value = schema.find(key);
  const json::Array* array = value != nullptr ? value->if_array() : nullptr;
  if (array == nullptr) return {};
  for (std::size_t i = 0; i < array->size(); ++i) {
    auto made = compile((*array)[i], path.child(key).index(i), depth + 1);
    if (!made) return made.error();
    list.push_back(*made);
  }
  return {};
}

// Whether schemas that hold for the same value lead back to a node that is on the way: checking
// would have no end.
bool has_cycle(const Node& node, std::set<const Node*>& on_the_way, std::set<const Node*>& done) {
  if (done.count(&node) != 0) return false;
  if (!on_the_way.insert(&node).second) return true;
  for (const auto* list : {&node.all_of, &node.any_of, &node.one_of}) {
    for (const Node* each : *list) {
      if (has_cycle(*each, on_the_way, done)) return true;
    }
  }
  if (node.not_ != nullptr && has_cycle(*node.not_, on_the_way, done)) return true;
  on_the_way.erase(&node);
  done.insert(&node);
  return false;
}

bool is_integral(double number) {
  return std::isfinite(number) && number == std::floor(number) &&
         std::abs(number) <= 9007199254740991.0;
}

// Counts what went well, as kube-openapi does, to tell which of several schemas was meant.
struct Outcome {
  FieldErrors errors{};
  int matches = 0;

  void merge(Outcome&& other) {
    errors.insert(errors.end(), std::make_move_iterator(other.errors.begin()),
                  std::make_move_iterator(other.errors.end()));
    matches += other.matches;
  }
};

// Errors of one value. Paths are what kube-openapi joins with dots, map keys as well.
class Walk {
 public:
  static Outcome check(const Node& node, const json::Value& value, const std::string& path) {
    Walk walk(node, value, path);
    walk.types();
    if (!value.is_null()) {
      walk.combinations();
      walk.strings();
      walk.numbers();
      walk.lists();
      walk.objects();
    }
    walk.enumeration();
    ++walk.out_.matches;
    return std::move(walk.out_);
  }

 private:
  Walk(const Node& node, const json::Value& value, const std::string& path)
      : node_(node), value_(value), path_(path) {}

  // A path as field errors print it.
  static FieldPath field(std::string_view path) {
    if (path.starts_with('.')) path.remove_prefix(1);
    return FieldPath(path);
  }
  std::string child(std::string_view name) const { return path_ + '.' + std::string(name); }
  std::string in_body(const std::string& what) const { return path_ + " in body " + what; }
  void invalid(json::Value bad, const std::string& what) {
    out_.errors.push_back(FieldError::invalid(field(path_), std::move(bad), in_body(what)));
  }
  // Complaints that kube-openapi has no path for.
  void unplaced(std::string what) {
    out_.errors.push_back(FieldError::invalid(FieldPath(), "", std::move(what)));
  }

  void wrong_type(const std::string& expected, const std::string& found) {
    out_.errors.push_back(FieldError::type_invalid(
        field(path_), found, in_body("must be of type " + expected + ": " + detail::quote(found))));
  }

  void types() {
    if (value_.is_null()) {
      if (!node_.types.empty() && !node_.nullable && !node_.has_type("null"))
        wrong_type(node_.type_text, "null");
      return;
    }
    if (node_.types.empty() && node_.format.empty()) return;
    ++out_.matches;
    const bool is_integer = value_.is_int() || value_.is_uint();
    const std::string actual = is_integer ? "integer" : std::string(value_.type_name());
    const bool fits =
        node_.has_type(actual) || (is_integer && node_.has_type("number")) ||
        (value_.is_double() && node_.has_type("integer") && is_integral(*value_.if_double()));
    const bool is_text_or_list = value_.is_string() || value_.is_array();
    if (!node_.format.empty() && !is_text_or_list && !fits) {
      const std::string format = is_integer ? "int64" : value_.is_double() ? "float64" : "";
      if (format != node_.format) return wrong_type(node_.format, format);
    }
    const bool numeric = node_.has_type("number") || node_.has_type("integer");
    if ((numeric || node_.format.empty() || !is_text_or_list) && !fits)
      return wrong_type(node_.type_text, actual);
    ++out_.matches;
  }

  void enumeration() {
    if (node_.allowed.empty()) return;
    if (std::ranges::find(node_.allowed, value_) != node_.allowed.end()) return;
    std::vector<std::string> supported;
    for (const json::Value& each : node_.allowed)
      supported.push_back(each.is_string() ? *each.if_string() : json::dump(each));
    out_.errors.push_back(FieldError::not_supported(field(path_), value_, supported));
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
    } else if (node_.pattern && !node_.pattern->is_in(*text)) {
      invalid(*text, "should match '" + node_.pattern_text + "'");
    }
    if (node_.check_format != nullptr && !node_.check_format(*text)) {
      out_.errors.push_back(FieldError::type_invalid(
          field(path_), *text,
          in_body("must be of type " + node_.format + ": " + detail::quote(*text))));
    }
  }
  static std::size_t limit(std::int64_t count) {
    return static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  }

  void numbers() {
    const auto number = number_of(value_);
    if (!number) return;
    if (node_.types.size() == 1 && node_.has_type("integer") && !is_in_range(*number)) {
      unplaced(
          "Checked value must be of type integer " +
          (node_.format.empty() ? std::string("(default format)") : "with format " + node_.format) +
          " in " + path_);
    }
    if (node_.multiple_of) {
      const double factor = *node_.multiple_of;
      const double times = factor < 1 ? 1 / factor * *number : *number / factor;
      if (factor > 0 && !is_integral(times))
        invalid(value_, "should be a multiple of " + json::dump(json::Value(factor)));
    }
    if (node_.minimum) bound(*number, *node_.minimum, node_.exclusive_minimum, true);
    if (node_.maximum) bound(*number, *node_.maximum, node_.exclusive_maximum, false);
    ++out_.matches;
  }
  // Whether an integer of the format holds it.
  bool is_in_range(double number) const {
    if (value_.is_double() && number != std::floor(number)) return false;
    if (node_.format != "int32") return value_.is_int() || (std::abs(number) < 0x1p63);
    using Limits = std::numeric_limits<std::int32_t>;
    return number >= Limits::min() && number <= Limits::max();
  }
  void bound(double number, const json::Value& limit, bool exclusive, bool least) {
    const double edge = *number_of(limit);
    const bool exact = value_.is_int() && limit.is_int();
    const bool beyond =
        exact   ? (least ? *value_.if_int() < *limit.if_int() : *value_.if_int() > *limit.if_int())
        : least ? number < edge
                : number > edge;
    const bool on_edge = exact ? *value_.if_int() == *limit.if_int() : number == edge;
    if (!beyond && !(exclusive && on_edge)) return;
    std::string what = least ? "should be greater than " : "should be less than ";
    if (!exclusive) what += "or equal to ";
    // For an integer the bound is one, too.
    const bool whole = value_.is_int() && limit.is_double();
    invalid(value_,
            what + json::dump(whole ? json::Value(static_cast<std::int64_t>(edge)) : limit));
  }

  void lists() {
    const json::Array* list = value_.if_array();
    if (list == nullptr) return;
    if (node_.items != nullptr) {
      for (std::size_t i = 0; i < list->size(); ++i)
        out_.merge(check(*node_.items, (*list)[i], path_ + '[' + std::to_string(i) + ']'));
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
        list, [&](const json::Value& each) { return !seen.insert(identity(each)).second; });
  }

 public:
  // A text that equal values have in common.
  static std::string identity(const json::Value& value) {
    if (const json::Object* object = value.if_object()) {
      std::map<std::string_view, std::string> members;
      for (const auto& [key, member] : *object) members.emplace(key, identity(member));
      std::string out = "{";
      for (const auto& [key, text] : members)
        out += json::dump(json::Value(key)) + ':' + text + ',';
      return out += '}';
    }
    if (const json::Array* array = value.if_array()) {
      std::string out = "[";
      for (const json::Value& each : *array) out += identity(each) + ',';
      return out += ']';
    }
    return json::dump(value);
  }

 private:
  // A server drops a null from a field that may hold none.
  static bool is_absent(const Node& schema, const json::Value& member) {
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
        if (node_.find(name) == nullptr && !is_absent(*node_.additional, member))
          out_.merge(check(*node_.additional, member, child(name)));
      }
    }
    for (const auto& [name, schema] : node_.properties) {
      const json::Value* member = object->find(name);
      if (member != nullptr && !is_absent(*schema, *member))
        out_.merge(check(*schema, *member, path_.empty() ? name : child(name)));
    }
    for (const std::string& name : node_.required) {
      const json::Value* member = object->find(name);
      const Node* schema = node_.find(name);
      if (member == nullptr || (schema != nullptr && is_absent(*schema, *member)))
        out_.errors.push_back(FieldError::required(field(child(name)), ""));
    }
  }

  // allOf, anyOf, oneOf and not.
  void combinations() {
    const std::string name = detail::quote(path_);
    if (!node_.any_of.empty()) {
      std::optional<Outcome> best;
      bool valid = false;
      for (const Node* each : node_.any_of) {
        Outcome outcome = check(*each, value_, path_);
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
      for (const Node* each : node_.one_of) {
        Outcome outcome = check(*each, value_, path_);
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
      for (const Node* each : node_.all_of) {
        Outcome outcome = check(*each, value_, path_);
        if (outcome.errors.empty()) ++valid;
        out_.merge(std::move(outcome));
      }
      if (valid != node_.all_of.size()) {
        unplaced(name + " must validate all the schemas (allOf)" +
                 (valid == 0 ? ". None validated" : ""));
      }
    }
    if (node_.not_ != nullptr && check(*node_.not_, value_, path_).errors.empty())
      unplaced(name + " must not validate the schema (not)");
    ++out_.matches;
  }

  const Node& node_;
  const json::Value& value_;
  const std::string& path_;
  Outcome out_;
};

// What is checked beside kube-openapi's rules: lists that are sets or maps, and resources in
// resources.
class Structure {
 public:
  explicit Structure(FieldErrors& errors) : errors_(errors) {}

  void check(const Node& node, const json::Value& value, const FieldPath& path, bool root = false) {
    if (const json::Object* object = value.if_object()) {
      if (node.embedded_resource && !root) embedded(*object, path);
      for (const auto& [name, member] : *object) {
        const Node* schema = node.find(name);
        if (schema != nullptr) {
          check(*schema, member, root ? FieldPath(name) : path.child(name));
        } else if (node.additional != nullptr) {
          check(*node.additional, member, root ? FieldPath(name) : path.key(name));
        }
      }
    } else if (const json::Array* list = value.if_array()) {
      if (node.list_type == "set") unique(*list, *list, path);
      if (node.list_type == "map") keyed(node, *list, path);
      if (node.items == nullptr) return;
      for (std::size_t i = 0; i < list->size(); ++i) check(*node.items, (*list)[i], path.index(i));
    }
  }

 private:
  void embedded(const json::Object& object, const FieldPath& path) {
    for (const std::string_view key : {"apiVersion", "kind"}) {
      const json::Value* value = object.find(key);
      if (value == nullptr) {
        errors_.push_back(FieldError::required(path.child(key), ""));
      } else if (!value->is_string()) {
        errors_.push_back(FieldError::invalid(path.child(key), *value, "must be a string"));
      } else if (value->string_or_empty().empty()) {
        errors_.push_back(FieldError::invalid(path.child(key), "", "must not be empty"));
      }
    }
  }

  // The second of equal ones, once.
  void unique(const json::Array& identities, const json::Array& shown, const FieldPath& path) {
    std::map<std::string, int> seen;
    for (std::size_t i = 0; i < identities.size(); ++i) {
      if (++seen[Walk::identity(identities[i])] == 2)
        errors_.push_back(FieldError::duplicate(path.index(i), shown[i]));
    }
  }

  void keyed(const Node& node, const json::Array& list, const FieldPath& path) {
    json::Array keys;
    for (std::size_t i = 0; i < list.size(); ++i) {
      json::Object key;
      if (const json::Object* object = list[i].if_object()) {
        for (const std::string& name : node.list_map_keys) {
          if (const json::Value* value = object->find(name)) key.append(name, *value);
        }
      } else if (!list[i].is_null()) {
        errors_.push_back(FieldError::invalid(path.index(i), list[i],
                                              "must be an object for an array of list-type map"));
        return;
      }
      keys.emplace_back(std::move(key));
    }
    unique(keys, keys, path);
  }

  FieldErrors& errors_;
};

}  // namespace

SchemaValidator::SchemaValidator(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
SchemaValidator::SchemaValidator(SchemaValidator&&) noexcept = default;
SchemaValidator& SchemaValidator::operator=(SchemaValidator&&) noexcept = default;
SchemaValidator::~SchemaValidator() = default;

Result<SchemaValidator> SchemaValidator::create(const json::Value& schema,
                                                const json::Value* components) {
  auto impl = std::make_unique<Impl>();
  auto root = Compiler(*impl, components).compile(schema, FieldPath("schema"));
  if (!root) return root.error();
  impl->root = *root;
  std::set<const Node*> done;
  for (const auto& node : impl->nodes) {
    std::set<const Node*> on_the_way;
    if (has_cycle(*node, on_the_way, done))
      return Error(ErrorCode::Decode,
                   "schema: a schema is made of itself by allOf, anyOf or oneOf");
  }
  return SchemaValidator(std::move(impl));
}

FieldErrors SchemaValidator::validate(const json::Value& value) const {
  FieldErrors errors = Walk::check(*impl_->root, value, std::string()).errors;
  Structure(errors).check(*impl_->root, value, FieldPath(), true);
  return errors;
}

const std::vector<std::string>& SchemaValidator::unchecked() const {
  return impl_->unchecked;
}

}  // namespace kube::meta
