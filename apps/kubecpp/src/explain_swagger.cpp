// SPDX-License-Identifier: Apache-2.0
//
// explain_openapi_v2(): the text that kubectl made of a whole server's document before OpenAPI v3.
#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "explain_document.hpp"
#include "explain_text.hpp"

namespace kubecpp {
namespace {

namespace json = kube::json;
using json::Value;
using kube::Error;
using kube::ErrorCode;
using kube::Result;

constexpr std::size_t kLineLength = 80;
constexpr std::size_t kFieldIndent = 3;
constexpr std::size_t kDescriptionIndent = 5;

// What a schema of OpenAPI v2 is for the printer.
enum class Shape { Reference, Fields, Map, List, Simple, Any };

Shape shape_of(const Value& schema) {
  if (!schema.string_at({"$ref"}).empty()) return Shape::Reference;
  const std::string_view type = schema.string_at({"type"});
  const bool has_fields = schema.at_path({"properties"}) != nullptr;
  if (type.empty()) return has_fields ? Shape::Fields : Shape::Any;
  if (type == "object") return has_fields ? Shape::Fields : Shape::Map;
  return type == "array" ? Shape::List : Shape::Simple;
}

class SwaggerText {
 public:
  SwaggerText(const Value& document, const DocumentRequest& request)
      : document_(document), request_(request) {}

  Result<std::string> text() {
    const Value* schema = schema_of_kind();
    const auto& resource = request_.resource;
    if (schema == nullptr) {
      return Error(ErrorCode::Config, "couldn't find resource for \"" + resource.group + "/" +
                                          resource.version + ", Kind=" + request_.kind + "\"");
    }
    const auto found = follow(schema, request_.fields);
    if (!found) return found.error();
    write(0, "KIND:     " + request_.kind);
    write(0, "VERSION:  " + resource.group_version().to_string() + "\n");
    print(**found);
    return std::move(out_);
  }

 private:
  const Value* schema_of_kind() const {
    const auto& resource = request_.resource;
    const Value wanted = json::Object{
        {"group", resource.group}, {"kind", request_.kind}, {"version", resource.version}};
    const Value* definitions = document_.at_path({"definitions"});
    if (definitions == nullptr || !definitions->is_object()) return nullptr;
    for (const auto& [name, schema] : *definitions->if_object()) {
      const auto& kinds = schema.array_at({"x-kubernetes-group-version-kind"});
      if (std::ranges::find(kinds, wanted) != kinds.end()) return &schema;
    }
    return nullptr;
  }

  // The schema of the items of a list or of the values of a map; of a reference, what it names.
  const Value& inner(const Value& schema) const {
    static const Value any = json::Object{};
    const Shape shape = shape_of(schema);
    const Value* found = shape == Shape::Reference
                             ? find_reference(document_, schema.string_at({"$ref"}))
                             : schema.at_path({shape == Shape::List ? std::string_view("items")
                                                                    : "additionalProperties"});
    return found == nullptr || !found->is_object() ? any : *found;
  }

  Result<const Value*> follow(const Value* schema, std::span<const std::string> path) const {
    while (!path.empty()) {
      const Shape shape = shape_of(*schema);
      if (shape == Shape::Reference || shape == Shape::List || shape == Shape::Map) {
        schema = &inner(*schema);
        continue;
      }
      const Value* field = schema->at_path({"properties", path.front()});
      if (field == nullptr) {
        std::vector<std::string> known;
        for (const auto& [name, each] : fields_of(*schema)) known.emplace_back(name);
        return unknown_field(path.front(), known);
      }
      schema = field;
      path = path.subspan(1);
    }
    return schema;
  }

  static std::map<std::string_view, const Value*> fields_of(const Value& schema) {
    std::map<std::string_view, const Value*> fields;
    const Value* properties = schema.at_path({"properties"});
    if (properties == nullptr || !properties->is_object()) return fields;
    for (const auto& [name, field] : *properties->if_object()) fields[name] = &field;
    return fields;
  }

  std::string type_words(const Value& schema) const {
    switch (shape_of(schema)) {
      case Shape::Reference:
        return type_words(inner(schema));
      case Shape::Fields:
        return "Object";
      case Shape::Map:
        return "map[string]" + type_words(inner(schema));
      case Shape::List:
        return "[]" + type_words(inner(schema));
      case Shape::Simple:
        return std::string(schema.string_at({"type"}));
      case Shape::Any:
        return {};
    }
    return {};
  }

  void print(const Value& schema) {
    std::vector<std::string_view> descriptions;
    const Value* type = &schema;
    Shape shape = shape_of(*type);
    for (; shape == Shape::Reference || shape == Shape::List || shape == Shape::Map;
         shape = shape_of(*type)) {
      descriptions.push_back(type->string_at({"description"}));
      type = &inner(*type);
    }
    descriptions.push_back(type->string_at({"description"}));
    const std::string name = request_.fields.empty() ? "" : request_.fields.back();
    const std::string words = name + " <" + type_words(schema) + ">\n";
    if (shape == Shape::Simple) write(0, "FIELD:    " + words);
    if (shape == Shape::Fields && !name.empty()) write(0, "RESOURCE: " + words);
    write(0, "DESCRIPTION:");
    print_descriptions(descriptions);
    if (shape != Shape::Fields) return;
    write(0, "\nFIELDS:");
    request_.recursive ? print_tree(*type, kFieldIndent, 1) : print_fields(*type);
  }

  void print_descriptions(const std::vector<std::string_view>& descriptions) {
    const bool empty =
        std::ranges::all_of(descriptions, [](std::string_view each) { return each.empty(); });
    if (empty) write(kDescriptionIndent, "<empty>");
    for (std::size_t i = 0; i < descriptions.size(); ++i) {
      if (descriptions[i].empty()) continue;
      if (i > 0) write(0, "");
      write_wrapped(kDescriptionIndent, descriptions[i]);
    }
  }

  void print_fields(const Value& type) {
    const auto& required = type.array_at({"required"});
    for (const auto& [name, field] : fields_of(type)) {
      const bool is_required = std::ranges::find(required, Value(name)) != required.end();
      write(kFieldIndent, std::string(name) + "\t<" + type_words(*field) + ">" +
                              (is_required ? " -required-" : ""));
      write_wrapped(kFieldIndent + 2, field->string_at({"description"}));
      write(0, "");
    }
  }

  void print_tree(const Value& schema, std::size_t indent, int depth) {
    const Shape shape = shape_of(schema);
    if (shape == Shape::Reference) {
      const std::string reference(schema.string_at({"$ref"}));
      if (!open_.insert(reference).second) return;
      print_tree(inner(schema), indent, depth);
      open_.erase(reference);
    } else if (shape == Shape::List || shape == Shape::Map) {
      print_tree(inner(schema), indent, depth);
    } else {
      for (const auto& [name, field] : fields_of(schema)) {
        write(indent, std::string(name) + "\t<" + type_words(*field) + ">");
        if (request_.max_depth == 0 || depth < request_.max_depth)
          print_tree(*field, indent + kFieldIndent, depth + 1);
      }
    }
  }

  void write(std::size_t indent, std::string_view line) {
    if (!line.empty()) out_.append(indent, ' ').append(line);
    out_ += '\n';
  }
  void write_wrapped(std::size_t indent, std::string_view text) {
    for (const std::string& line : wrap_paragraphs(text, kLineLength - indent)) write(indent, line);
  }

  const Value& document_;
  const DocumentRequest& request_;
  std::set<std::string, std::less<>> open_{};  // references whose fields are being printed
  std::string out_{};
};

}  // namespace

Result<std::string> explain_openapi_v2(const Value& document, const DocumentRequest& request) {
  return SwaggerText(document, request).text();
}

}  // namespace kubecpp
