// SPDX-License-Identifier: Apache-2.0
#include "schema_compiler.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/join.hpp>
#include <kube/json/text.hpp>
#include <kube/names/field_error.hpp>

namespace kube::meta::detail {
namespace {

bool is_set(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.find(key);
  return value != nullptr && value->if_bool() != nullptr && *value->if_bool();
}

std::string text_in(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.find(key);
  return value == nullptr ? std::string() : std::string(value->string_or_empty());
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

  Result<const SchemaNode*> compile(const json::Value& value, const FieldPath& path, int depth = 0);
  /// Compiles the patterns of all nodes.
  void compile_patterns(PatternAllowance& allowance);

 private:
  Result<void> fill(SchemaNode& node, const json::Object& schema, const FieldPath& path, int depth);
  void set_format_check(SchemaNode& node, const FieldPath& path);
  Result<void> fill_children(SchemaNode& node, const json::Object& schema, const FieldPath& path,
                             int depth);
  Result<void> fill_list(std::vector<const SchemaNode*>& list, const json::Object& schema,
                         std::string_view key, const FieldPath& path, int depth);
  void unchecked(const FieldPath& path) { out_.unchecked.push_back(path.to_string()); }

  SchemaValidator::Impl& out_;
  const json::Value* components_;
  std::map<std::string, const SchemaNode*, std::less<>> by_reference_;
  std::vector<std::pair<SchemaNode*, FieldPath>> patterns_;
};

Result<const SchemaNode*> Compiler::compile(const json::Value& value, const FieldPath& path,
                                            int depth) {
  const auto failed = [&](const std::string& what) {
    return Error(ErrorCode::Decode, path.to_string() + ": " + what);
  };
  if (depth > json::kMaxDepth) return failed("exceeded max depth");
  const json::Object* schema = value.if_object();
  if (schema == nullptr)
    return failed("expected a schema, found " + std::string(value.type_name()));
  const std::string reference = text_in(*schema, "$ref");
  if (!reference.empty()) {
    if (const auto known = by_reference_.find(reference); known != by_reference_.end())
      return known->second;
    constexpr std::string_view kPrefix = "#/components/schemas/";
    const json::Value* target =
        components_ != nullptr && reference.starts_with(kPrefix)
            ? components_->at_path({std::string_view(reference).substr(kPrefix.size())})
            : nullptr;
    out_.nodes.push_back(std::make_unique<SchemaNode>());
    SchemaNode& node = *out_.nodes.back();
    by_reference_.emplace(reference, &node);
    if (target == nullptr || !target->is_object()) {
      unchecked(path.child("$ref"));
      return &node;
    }
    if (auto filled = fill(node, *target->if_object(), path, depth); !filled) return filled.error();
    return &node;
  }
  out_.nodes.push_back(std::make_unique<SchemaNode>());
  SchemaNode& node = *out_.nodes.back();
  if (auto filled = fill(node, *schema, path, depth); !filled) return filled.error();
  return &node;
}

Result<void> Compiler::fill(SchemaNode& node, const json::Object& schema, const FieldPath& path,
                            int depth) {
  if (is_set(schema, "x-kubernetes-int-or-string")) {
    node.types = {"integer", "string"};
  } else if (std::string type = text_in(schema, "type"); !type.empty()) {
    node.types = {std::move(type)};
  }
  node.type_text = join(node.types, ",");
  node.format = text_in(schema, "format");
  set_format_check(node, path);
  node.nullable = is_set(schema, "nullable");
  node.embedded_resource = is_set(schema, "x-kubernetes-embedded-resource");
  node.preserve_unknown = is_set(schema, "x-kubernetes-preserve-unknown-fields");
  node.additional_allowed = is_set(schema, "additionalProperties");
  node.unique_items = is_set(schema, "uniqueItems");
  node.exclusive_minimum = is_set(schema, "exclusiveMinimum");
  node.exclusive_maximum = is_set(schema, "exclusiveMaximum");
  const auto number = [&](std::string_view key) -> std::optional<json::Value> {
    const json::Value* value = schema.find(key);
    return value != nullptr && value->is_number() ? std::optional(*value) : std::nullopt;
  };
  node.minimum = number("minimum");
  node.maximum = number("maximum");
  node.multiple_of = number("multipleOf");
  node.min_length = count_in(schema, "minLength");
  node.max_length = count_in(schema, "maxLength");
  node.min_items = count_in(schema, "minItems");
  node.max_items = count_in(schema, "maxItems");
  node.min_properties = count_in(schema, "minProperties");
  node.max_properties = count_in(schema, "maxProperties");
  node.pattern_text = text_in(schema, "pattern");
  if (!node.pattern_text.empty()) patterns_.emplace_back(&node, path.child("pattern"));
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
  // A null is no default.
  if (const json::Value* otherwise = schema.find("default"); otherwise && !otherwise->is_null())
    node.default_value = *otherwise;
  if (schema.contains("x-kubernetes-validations"))
    unchecked(path.child("x-kubernetes-validations"));
  return fill_children(node, schema, path, depth);
}

// Servers ignore unknown formats, and formats that do not apply to the type.
void Compiler::set_format_check(SchemaNode& node, const FieldPath& path) {
  const std::string_view type = node.types.size() == 1 ? node.types.front() : std::string_view();
  bool known = false;
  if (type.empty() || type == "string") {
    node.check_format = find_format(node.format);
    known = node.check_format != nullptr;
  } else if (type == "integer") {
    known = node.format == "int32" || node.format == "int64";
  } else if (type == "number") {
    known = node.format == "float" || node.format == "double";
  }
  if (!node.format.empty() && !known) {
    unchecked(path.child("format"));
    node.format.clear();
  }
}

Result<void> Compiler::fill_children(SchemaNode& node, const json::Object& schema,
                                     const FieldPath& path, int depth) {
  if (const json::Value* properties = schema.find("properties");
      properties != nullptr && properties->is_object()) {
    for (const auto& [name, child] : *properties->if_object()) {
      auto made = compile(child, path.child("properties").key(name), depth + 1);
      if (!made) return made.error();
      node.properties.emplace_back(name, *made);
    }
  }
  const auto one = [&](std::string_view key, const SchemaNode*& out) -> Result<void> {
    const json::Value* child = schema.find(key);
    if (child == nullptr || child->if_bool() != nullptr) return {};
    auto made = compile(*child, path.child(key), depth + 1);
    if (!made) return made.error();
    out = *made;
    return {};
  };
  for (const auto& [key, out] :
       {std::pair<std::string_view, const SchemaNode**>{"additionalProperties", &node.additional},
        {"items", &node.items},
        {"not", &node.not_}}) {
    if (auto done = one(key, *out); !done) return done;
  }
  node.finish();
  if (auto done = fill_list(node.all_of, schema, "allOf", path, depth); !done) return done;
  if (auto done = fill_list(node.any_of, schema, "anyOf", path, depth); !done) return done;
  return fill_list(node.one_of, schema, "oneOf", path, depth);
}

Result<void> Compiler::fill_list(std::vector<const SchemaNode*>& list, const json::Object& schema,
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

// Compiles patterns until an allowance is used up.
class PatternReader {
 public:
  PatternReader(PatternAllowance& allowance, std::size_t patterns)
      : allowance_(allowance),
        share_(std::clamp(allowance.memory / std::max(patterns, std::size_t{1}),
                          Pattern::kUsualMemory / 32, Pattern::kUsualMemory)) {}

  Result<Pattern> read(std::string_view text) {
    // After a pattern that is too large the others are skipped, since compiling it took long.
    if (too_large_) return Error(ErrorCode::InvalidArgument, "is not checked: " + *too_large_);
    if (text.size() > allowance_.bytes || allowance_.memory < share_)
      return beyond("the patterns before it use up the allowance");
    allowance_.bytes -= text.size();
    auto made = Pattern::compile(text, share_);
    if (!made) {
      if (made.error().code() == ErrorCode::InvalidArgument)
        too_large_ = "a pattern before it is too large";
      return Error(made.error().code(),
                   "must be a valid regular expression, but isn't: " + made.error().message());
    }
    allowance_.memory -= std::min(made->memory(), allowance_.memory);
    return made;
  }

 private:
  Error beyond(const std::string& why) {
    too_large_ = why;
    return Error(ErrorCode::InvalidArgument, "is not checked: " + why);
  }

  PatternAllowance& allowance_;
  std::size_t share_;
  std::optional<std::string> too_large_;
};

void Compiler::compile_patterns(PatternAllowance& allowance) {
  std::map<std::string_view, std::optional<Result<Pattern>>> known;
  for (const auto& [node, path] : patterns_) known.emplace(node->pattern_text, std::nullopt);
  PatternReader reader(allowance, known.size());
  for (const auto& [node, path] : patterns_) {
    std::optional<Result<Pattern>>& pattern = known[node->pattern_text];
    if (!pattern) pattern = reader.read(node->pattern_text);
    if (*pattern) {
      node->pattern = **pattern;
    } else {
      unchecked(path);
      if (has_enough(out_.refused_patterns)) continue;
      out_.refused_patterns.push_back(
          FieldError::invalid(path, node->pattern_text, pattern->error().message()));
    }
  }
}

// Whether schemas that apply to the same value lead back to a node on the current path, so that
// checking would not end.
bool has_cycle(const SchemaNode& node, std::set<const SchemaNode*>& on_the_way,
               std::set<const SchemaNode*>& done) {
  if (done.count(&node) != 0) return false;
  if (!on_the_way.insert(&node).second) return true;
  for (const auto* list : {&node.all_of, &node.any_of, &node.one_of}) {
    for (const SchemaNode* each : *list) {
      if (has_cycle(*each, on_the_way, done)) return true;
    }
  }
  if (node.not_ != nullptr && has_cycle(*node.not_, on_the_way, done)) return true;
  on_the_way.erase(&node);
  done.insert(&node);
  return false;
}

}  // namespace

Result<void> compile_schema(SchemaValidator::Impl& out, const json::Value& schema,
                            const SchemaOptions& options) {
  Compiler compiler(out, options.components);
  auto root = compiler.compile(schema, options.path);
  if (!root) return root.error();
  out.root = *root;
  PatternAllowance own;
  compiler.compile_patterns(options.allowance != nullptr ? *options.allowance : own);
  std::set<const SchemaNode*> done;
  for (const auto& node : out.nodes) {
    std::set<const SchemaNode*> on_the_way;
    if (has_cycle(*node, on_the_way, done))
      return Error(ErrorCode::Decode, options.path.to_string() +
                                          ": a schema contains itself by allOf, anyOf or oneOf");
  }
  return {};
}

}  // namespace kube::meta::detail
