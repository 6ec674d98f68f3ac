// SPDX-License-Identifier: Apache-2.0
#include "explain_document.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <kube/base/similar_names.hpp>

#include "explain_text.hpp"

namespace kubecpp {
namespace {

namespace json = kube::json;
using json::Value;
using kube::Error;
using kube::ErrorCode;
using kube::Result;

constexpr std::size_t kWidth = 78;
constexpr std::size_t kShownValues = 4;

// Returns a member that is neither missing, null nor empty.
const Value* filled_member(const Value& schema, std::string_view name) {
  const Value* found = schema.at_path({name});
  if (found == nullptr || found->is_null()) return nullptr;
  const auto* object = found->if_object();
  const auto* array = found->if_array();
  const bool empty = (object != nullptr && object->empty()) ||
                     (array != nullptr && array->empty()) ||
                     (found->is_string() && found->string_or_empty().empty());
  return empty ? nullptr : found;
}

// A schema for the values of a map; `true` and `false` are not schemas.
const Value* map_values(const Value& schema) {
  const Value* values = filled_member(schema, "additionalProperties");
  return values == nullptr || values->is_bool() ? nullptr : values;
}

std::string enum_word(const Value& value) {
  if (!value.is_string()) return json::dump(value);
  const std::string_view text = value.string_or_empty();
  return text.empty() ? "\"\"" : std::string(text);
}

std::string values_of_field(const Value& schema) {
  std::string text;
  if (filled_member(schema, "enum") == nullptr) return text;
  text = "ENUM:";
  for (const Value& value : schema.array_at({"enum"})) text += "\n    " + enum_word(value);
  return text;
}

std::string values_in_list(const Value& schema, std::size_t indent) {
  if (filled_member(schema, "enum") == nullptr) return {};
  std::string text = "\n" + std::string(indent, ' ') + "enum: ";
  std::size_t shown = 0;
  for (const Value& value : schema.array_at({"enum"})) {
    if (shown == kShownValues) return text + ", ....";
    text += (shown++ == 0 ? "" : ", ") + enum_word(value);
  }
  return text;
}

class DocumentText {
 public:
  DocumentText(const Value& document, const DocumentRequest& request)
      : document_(document), request_(request) {}

  Result<std::string> text() {
    const Value* kind = kind_of_resource();
    const auto& resource = request_.resource;
    if (kind == nullptr) {
      return Error(ErrorCode::Config, "GVR (" + resource.group + "/" + resource.version +
                                          ", Resource=" + resource.resource +
                                          ") not found in OpenAPI schema");
    }
    std::string text;
    if (!kind->string_at({"group"}).empty())
      text += "GROUP:      " + std::string(kind->string_at({"group"})) + "\n";
    text += "KIND:       " + std::string(kind->string_at({"kind"})) + "\n";
    text += "VERSION:    " + std::string(kind->string_at({"version"})) + "\n\n";
    const Value* schema = schema_of(*kind);
    if (schema == nullptr) {
      return Error(ErrorCode::Config, "GVK " + std::string(kind->string_at({"kind"})) +
                                          " not found in OpenAPI schema");
    }
    missing_at_ = request_.fields.size() + 1;
    if (!follow(*schema, request_.fields, {}, text))
      return unknown_field(request_.fields[request_.fields.size() - missing_at_], known_);
    return text + "\n";
  }

 private:
  using References = std::set<std::string, std::less<>>;  // those on the way

  const Value* kind_of_resource() const {
    const auto& resource = request_.resource;
    const std::string prefix =
        (resource.group.empty() ? "/api/" : "/apis/" + resource.group + "/") + resource.version;
    const std::string in_namespace = prefix + "/namespaces/{namespace}/" + resource.resource;
    const std::string plain = prefix + "/" + resource.resource;
    for (const std::string& path :
         {plain, plain + "/{name}", in_namespace, in_namespace + "/{name}"}) {
      for (const char* method : {"get", "post", "put", "patch", "delete"}) {
        const Value* kind =
            document_.at_path({"paths", path, method, "x-kubernetes-group-version-kind"});
        if (kind != nullptr && kind->is_object()) return kind;
      }
    }
    return nullptr;
  }

  const Value* schema_of(const Value& kind) const {
    const Value* schemas = document_.at_path({"components", "schemas"});
    if (schemas == nullptr || !schemas->is_object()) return nullptr;
    const json::Object::Member* first = nullptr;
    for (const auto& member : *schemas->if_object()) {
      const auto& kinds = member.second.array_at({"x-kubernetes-group-version-kind"});
      if (std::ranges::find(kinds, kind) != kinds.end() &&
          (first == nullptr || member.first < first->first))
        first = &member;
    }
    return first == nullptr ? nullptr : &first->second;
  }

  const Value& resolved(const Value& schema) const {
    const Value* target = find_reference(document_, schema.string_at({"$ref"}));
    return target == nullptr ? schema : *target;
  }

  // Appends what is at the end of the path; returns whether it exists.
  bool follow(const Value& schema, std::span<const std::string> path, References seen,
              std::string& out) {
    const std::string reference(schema.string_at({"$ref"}));
    const Value& type = resolved(schema);
    if (path.empty()) {
      out += explanation(type);
      return true;
    }
    if (!reference.empty() && !seen.insert(reference).second) return false;
    const Value* field = type.at_path({"properties", path.front()});
    if (field != nullptr) {
      if (path.size() == 1) {
        out += "FIELD: " + path.front() + " <" + type_words(*field) + ">\n" +
               values_of_field(*field) + "\n\n";
      }
      return follow(*field, path.subspan(1), {}, out);
    }
    remember_missing(type, path.size());
    if (const Value* items = filled_member(type, "items")) return follow(*items, path, seen, out);
    if (const Value* values = map_values(type)) return follow(*values, path, seen, out);
    return std::ranges::any_of(type.array_at({"allOf"}),
                               [&](const Value& part) { return follow(part, path, seen, out); });
  }

  // Keeps the names of the level that the path has come to, for the error.
  void remember_missing(const Value& type, std::size_t rest) {
    if (rest > missing_at_) return;
    if (rest < missing_at_) known_.clear();
    missing_at_ = rest;
    const Value* properties = type.at_path({"properties"});
    if (properties == nullptr || !properties->is_object()) return;
    for (const auto& [name, field] : *properties->if_object()) known_.push_back(name);
  }

  std::string explanation(const Value& type) const {
    const std::string words = description(type);
    std::string out = "DESCRIPTION:\n" +
                      indent_lines(wrap_words(words.empty() ? "<empty>" : words, kWidth - 2), 4) +
                      "\n";
    if (const Value* documents = filled_member(type, "externalDocs"))
      out += "\n" + external_documents(*documents, 0, 4);
    std::string fields;
    add_fields(type, 1, {}, fields);
    return fields.empty() ? out : out + "FIELDS:\n" + fields;
  }

  static std::string external_documents(const Value& documents, std::size_t indent,
                                        std::size_t inner_indent) {
    std::string out = indent_lines("EXTERNAL DOCS:", indent) + "\n";
    if (const std::string_view words = documents.string_at({"description"}); !words.empty())
      out += indent_lines(wrap_words(words, kWidth + 2 - inner_indent), inner_indent) + "\n";
    if (const std::string_view url = documents.string_at({"url"}); !url.empty())
      out += indent_lines("URL: " + std::string(url), inner_indent) + "\n";
    return out;
  }

  // The descriptions of a schema and of all that it consists of, a line each.
  std::string description(const Value& schema) const {
    const Value& type = resolved(schema);
    std::string out(type.string_at({"description"}));
    if (!out.empty()) out += "\n";
    for (const Value& part : type.array_at({"allOf"})) out += description(part);
    if (const Value* items = filled_member(type, "items")) out += description(*items);
    if (const Value* values = map_values(type)) out += description(*values);
    return out;
  }

  void add_fields(const Value& schema, int level, References seen, std::string& out) const {
    const std::string reference(schema.string_at({"$ref"}));
    if (!reference.empty() && !seen.insert(reference).second) return;
    const Value& type = resolved(schema);
    const bool deeper =
        request_.recursive && (request_.max_depth == 0 || level < request_.max_depth);
    if (const Value* properties = type.at_path({"properties"});
        properties != nullptr && properties->is_object()) {
      std::map<std::string_view, const Value*> fields;
      for (const auto& [name, field] : *properties->if_object()) fields[name] = &field;
      for (const auto& [name, field] : fields) {
        out += field_lines(type, name, *field, static_cast<std::size_t>(level) * 2);
        if (deeper) add_fields(*field, level + 1, seen, out);
      }
    }
    for (const Value& part : type.array_at({"allOf"})) add_fields(part, level, seen, out);
    if (const Value* items = filled_member(type, "items")) add_fields(*items, level, seen, out);
    if (const Value* values = map_values(type)) add_fields(*values, level, seen, out);
  }

  std::string field_lines(const Value& type, std::string_view name, const Value& field,
                          std::size_t indent) const {
    const auto& required = type.array_at({"required"});
    const bool is_required = std::ranges::find(required, Value(name)) != required.end();
    std::string out = std::string(indent, ' ') + std::string(name) + "\t<" + type_words(field) +
                      ">" + (is_required ? " -required-" : "") + values_in_list(field, indent) +
                      "\n";
    if (request_.recursive) return out;
    const std::string_view words = field.string_at({"description"});
    out += indent_lines(wrap_words(words.empty() ? "<no description>" : words, kWidth - indent),
                        indent + 2) +
           "\n";
    if (const Value* documents = filled_member(field, "externalDocs"))
      out += "\n" + external_documents(*documents, indent + 2, indent + 4);
    return out + "\n";
  }

  // Returns "string", "[]Container", "map[string]Quantity".
  std::string type_words(const Value& schema) const {
    const auto or_object = [](std::string_view word) {
      return word.empty() || word == "object" ? "Object" : std::string(word);
    };
    if (const Value* items = filled_member(schema, "items")) return "[]" + type_words(*items);
    if (const Value* values = map_values(schema)) return "map[string]" + type_words(*values);
    const auto& parts = schema.array_at({"allOf"});
    if (parts.size() == 1 && filled_member(schema, "properties") == nullptr)
      return type_words(parts.front());
    const std::string reference(schema.string_at({"$ref"}));
    if (reference.empty()) return or_object(schema.string_at({"type"}));
    const Value* target = find_reference(document_, reference);
    const std::string_view simple = target == nullptr ? "" : target->string_at({"type"});
    if (!simple.empty() && simple != "object") return std::string(simple);
    return or_object(reference.substr(reference.find_last_of("/.") + 1));
  }

  const Value& document_;
  const DocumentRequest& request_;
  std::size_t missing_at_ = 0;  // how much of the path is left where a field is missing
  std::vector<std::string> known_{};
};

}  // namespace

const Value* find_reference(const Value& document, std::string_view reference) {
  if (!reference.starts_with("#/")) return nullptr;
  reference.remove_prefix(2);
  const Value* at = &document;
  while (at != nullptr && !reference.empty()) {
    const std::size_t end = std::min(reference.find('/'), reference.size());
    at = at->at_path({reference.substr(0, end)});
    reference.remove_prefix(std::min(end + 1, reference.size()));
  }
  return at != nullptr && at->is_object() ? at : nullptr;
}

Error unknown_field(const std::string& name, const std::vector<std::string>& known) {
  kube::SimilarNames similar(name);
  for (const std::string& each : known) similar.add(similar.mistakes(each), each);
  return Error(ErrorCode::Config, "field \"" + name + "\" does not exist" + similar.hint());
}

Result<std::string> explain_openapi_v3(const Value& document, const DocumentRequest& request) {
  return DocumentText(document, request).text();
}

}  // namespace kubecpp
