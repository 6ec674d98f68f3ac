// SPDX-License-Identifier: Apache-2.0
#include "explain_builtin.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/resources.hpp>
#include <kube/api/types.hpp>
#include <kube/base/ascii.hpp>
#include <kube/base/similar_names.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/names/group_version.hpp>

namespace kubecpp {
namespace {

namespace ascii = kube::ascii;
using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::api::ResourceFacts;
using kube::meta::Cardinality;
using kube::meta::FieldDescriptor;
using kube::meta::TypeDescriptor;
using kube::meta::ValueKind;

// The facts of a field that descriptors do not have.
struct FieldFacts {
  std::string_view field;  // "core.v1.Container.imagePullPolicy"
  bool required;
  std::string_view values;  // for a closed enumeration, such as "Always, Never"
};
constexpr FieldFacts kFacts[] = {
#include "field_facts.inc"
};

FieldFacts facts_of(const TypeDescriptor& type, std::string_view field) {
  const std::string name = std::string(type.name) + "." + std::string(field);
  const auto found = std::ranges::lower_bound(kFacts, name, {}, &FieldFacts::field);
  const bool known = found != std::end(kFacts) && found->field == name;
  return known ? *found : FieldFacts{{}, false, {}};
}

std::string value_name(const FieldDescriptor& field) {
  switch (field.kind) {
    case ValueKind::Bool:
      return "boolean";
    case ValueKind::Int32:
    case ValueKind::Int64:
      return "integer";
    case ValueKind::Double:
      return "number";
    case ValueKind::String:
    case ValueKind::Bytes:
    case ValueKind::Time:  // the form in JSON
    case ValueKind::MicroTime:
      return "string";
    case ValueKind::Message:
      return std::string(field.message->name.substr(field.message->name.rfind('.') + 1));
    case ValueKind::Duration:
      return "Duration";
    case ValueKind::Quantity:
      return "Quantity";
    case ValueKind::IntOrString:
      return "IntOrString";
    case ValueKind::RawJson:
      return "Object";
  }
  return "Object";
}

// Returns "<[]Container>".
std::string type_words(const FieldDescriptor& field) {
  const std::string_view holder = field.cardinality == Cardinality::List  ? "[]"
                                  : field.cardinality == Cardinality::Map ? "map[string]"
                                                                          : "";
  return "<" + std::string(holder) + value_name(field) + ">";
}

// Writes one value per line.
std::string enum_block(std::string_view values) {
  if (values.empty()) return {};
  std::string text = "ENUM:\n    ";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values.substr(i).starts_with(", ")) {
      text += "\n    ";
      ++i;
    } else {
      text += values[i];
    }
  }
  return text + "\n";
}

struct Field {
  const FieldDescriptor* descriptor = nullptr;  // null for apiVersion and kind
  FieldFacts facts{{}, false, {}};
};

// Collects the fields by key, with those of inlined parts.
void collect(const TypeDescriptor& type, std::map<std::string_view, Field>& fields) {
  for (const FieldDescriptor& field : type.fields) {
    if (field.inline_) {
      collect(*field.message, fields);
    } else {
      fields[field.json] = {&field, facts_of(type, field.json)};
    }
  }
}

// The fields of a type, below each other; with those of their own types when `depth` is above the
// level.
class FieldList {
 public:
  explicit FieldList(const ExplainRequest& request)
      : depth_(!request.recursive       ? 1
               : request.max_depth == 0 ? std::numeric_limits<int>::max()
                                        : request.max_depth) {}

  std::string text_of(const TypeDescriptor& type) {
    text_.clear();
    add(type, 1);
    return std::move(text_);
  }

 private:
  void add(const TypeDescriptor& type, int level) {
    // A type that contains itself is listed once.
    if (std::ranges::find(open_, &type) != open_.end()) return;
    open_.push_back(&type);
    std::map<std::string_view, Field> fields;
    collect(type, fields);
    if (!type.kind.empty()) {
      fields.try_emplace("apiVersion");
      fields.try_emplace("kind");
    }
    const std::string indent(static_cast<std::size_t>(level) * 2, ' ');
    for (const auto& [name, field] : fields) {
      text_ += indent + std::string(name) + "\t" +
               (field.descriptor == nullptr ? "<string>" : type_words(*field.descriptor)) +
               (field.facts.required ? " -required-" : "") + "\n";
      if (!field.facts.values.empty())
        text_ += indent + "enum: " + std::string(field.facts.values) + "\n";
      if (level < depth_ && field.descriptor != nullptr &&
          field.descriptor->kind == ValueKind::Message)
        add(*field.descriptor->message, level + 1);
    }
    open_.pop_back();
  }

  const int depth_;
  std::vector<const TypeDescriptor*> open_{};
  std::string text_{};
};

bool is_called(const ResourceFacts& resource, const std::string& name) {
  return name == resource.plural || name == resource.singular ||
         name == ascii::to_lower(resource.kind) ||
         std::ranges::find(resource.short_names, name) != resource.short_names.end();
}

// Returns the rank of a resource's version; the lowest is the preferred one.
std::pair<std::size_t, std::size_t> rank(const ResourceFacts& resource) {
  const auto groups = kube::api::all_groups();
  const auto group = std::ranges::find(groups, resource.group, &kube::api::GroupFacts::name);
  if (group == groups.end()) return {groups.size(), 0};
  const auto version = std::ranges::find(group->versions, resource.version);
  return {static_cast<std::size_t>(group - groups.begin()),
          resource.version == group->preferred
              ? 0
              : static_cast<std::size_t>(version - group->versions.begin()) + 1};
}

std::string version_of(const ResourceFacts& resource) {
  return kube::meta::GroupVersion{std::string(resource.group), std::string(resource.version)}
      .to_string();
}

std::string similar_resources(const std::string& name) {
  kube::SimilarNames similar(name);
  for (const ResourceFacts& resource : kube::api::all_resources()) {
    if (!resource.collection || is_called(resource, name)) continue;
    similar.add(std::min(similar.mistakes(resource.plural), similar.mistakes(resource.singular)),
                std::string(resource.plural));
  }
  return similar.hint();
}

// Finds the resource at the beginning of `path` and leaves the fields after it.
Result<const ResourceFacts*> take_resource(std::string& path, const std::string& api_version) {
  const std::size_t dot = std::min(path.find('.'), path.size());
  const std::string name = ascii::to_lower(path.substr(0, dot));
  const std::string rest = path.substr(std::min(dot + 1, path.size()));
  const ResourceFacts* best = nullptr;
  std::string_view group;
  for (const ResourceFacts& resource : kube::api::all_resources()) {
    if (!resource.collection || !is_called(resource, name)) continue;
    if (!api_version.empty() && version_of(resource) != api_version) continue;
    // "deployments.apps.spec" names the group.
    const std::string_view named =
        !resource.group.empty() && (rest + ".").starts_with(std::string(resource.group) + ".")
            ? resource.group
            : std::string_view{};
    if (best == nullptr || named.size() > group.size() ||
        (named.size() == group.size() && rank(resource) < rank(*best))) {
      best = &resource;
      group = named;
    }
  }
  if (best == nullptr) {
    return Error(ErrorCode::Config,
                 "unknown built-in resource type \"" + name + "\"" +
                     (api_version.empty() ? "" : " in version \"" + api_version + "\"") +
                     similar_resources(name));
  }
  path = group.empty() ? rest : rest.substr(std::min(group.size() + 1, rest.size()));
  return best;
}

}  // namespace

Result<std::string> explain_builtin(const ExplainRequest& request) {
  std::string path = request.path;
  const auto resource = take_resource(path, request.api_version);
  if (!resource) return resource.error();
  const TypeDescriptor* type = kube::api::find_type(version_of(**resource), (*resource)->kind);
  if (type == nullptr) {
    return Error(ErrorCode::Config,
                 "no field facts for kind \"" + std::string((*resource)->kind) + "\"");
  }
  std::string head;
  if (!type->group.empty()) head += "GROUP:      " + std::string(type->group) + "\n";
  head += "KIND:       " + std::string(type->kind) + "\n";
  head += "VERSION:    " + std::string(type->version) + "\n\n";
  std::string field_line;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    begin = end + 1;
    std::map<std::string_view, Field> fields;
    if (type != nullptr) collect(*type, fields);
    const auto found = fields.find(name);
    if (found != fields.end()) {
      const FieldDescriptor& field = *found->second.descriptor;
      const FieldFacts& facts = found->second.facts;
      field_line =
          "FIELD: " + name + " " + type_words(field) + "\n" + enum_block(facts.values) + "\n";
      type = field.kind == ValueKind::Message ? field.message : nullptr;
    } else if (type != nullptr && !type->kind.empty() && (name == "kind" || name == "apiVersion")) {
      field_line = "FIELD: " + name + " <string>\n\n";
      type = nullptr;
    } else {
      kube::SimilarNames similar(name);
      for (const auto& [known, field] : fields) {
        similar.add(similar.mistakes(known), std::string(known));
      }
      return Error(ErrorCode::Config, "field \"" + name + "\" does not exist" + similar.hint());
    }
  }
  head += field_line;
  return type == nullptr ? head : head + "FIELDS:\n" + FieldList(request).text_of(*type);
}

}  // namespace kubecpp
