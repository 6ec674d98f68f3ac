// SPDX-License-Identifier: Apache-2.0
//
// Unknown fields of JSON: collected from a text by a type's descriptor, and put into the text that
// was written of the value. Reading and writing themselves know nothing of them.
#include <kube/meta/unknown_fields.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <kube/json/reader.hpp>
#include <kube/json/text.hpp>
#include <kube/json/writer.hpp>

#include "json_walk.hpp"
#include "type_facts.hpp"
#include "unknown_elements.hpp"

namespace kube::meta {
namespace {

using Field = UnknownFields::Field;
using Node = UnknownFields::Node;
// By the offset where an element stands.
using NamesByOffset = std::map<std::size_t, std::string>;

void add_paths(const Node& node, const std::string& path, std::vector<std::string>& out) {
  for (const Field& field : node.fields)
    out.push_back(path.empty() ? field.name : path + '.' + field.name);
  const bool is_list = node.count != 0;
  for (const auto& [name, child] : node.children) {
    add_paths(child,
              is_list        ? path + '[' + name + ']'
              : path.empty() ? name
                             : path + '.' + name,
              out);
  }
}

// Of fields with one name keeps the last value, in the place of the first.
void drop_repeated(std::vector<Field>& fields) {
  std::map<std::string_view, std::size_t> first;
  std::size_t kept = 0;
  std::vector<Field> all;
  all.reserve(fields.size());
  for (const Field& field : fields) {
    const auto [at, added] = first.emplace(field.name, kept);
    if (added) {
      all.push_back(field);
      ++kept;
    } else {
      all[at->second].raw = field.raw;
    }
  }
  if (kept != fields.size()) fields = std::move(all);
}

// Walks over JSON that read_json() took for the type, and is right therefore but for what was
// skipped. Answers false when that is wrong.
class Collector {
 public:
  // `names`: takes the names of all elements of lists of messages, if not null.
  Collector(std::string_view text, NamesByOffset* names) : in_(text), names_(names) {}

  bool collect(const TypeDescriptor& type, Node& root) {
    return !in_.failed() && message(type, root, nullptr);
  }

 private:
  // Of the message in front, the value of one key.
  struct MergeKey {
    std::string_view name;
    std::string value{};
  };

  bool message(const TypeDescriptor& type, Node& node, MergeKey* merge_key) {
    if (type.json_form != JsonForm::Object) return form(type, node);
    if (in_.peek() != '{') return in_.skip();
    std::string key;
    const std::size_t before = node.fields.size();
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      key.clear();
      if (!in_.read_key_text(key)) return false;
      const std::size_t place = find_place(type.keys, key);
      if (place != 0) {
        if (!known(*type.keys.fields[place - 1], key, node, merge_key)) return false;
      } else if (!type.kind.empty() && (key == "kind" || key == "apiVersion")) {
        if (!in_.skip()) return false;
      } else if (!keep(key, node)) {
        return false;
      }
    }
    if (node.fields.size() > std::max(before, std::size_t{1})) drop_repeated(node.fields);
    return !in_.failed();
  }

  bool keep(const std::string& key, Node& node) {
    std::string_view raw;
    if (!in_.skip(raw) || json::find_syntax_error(raw)) return false;
    Field field{key, {}};
    json::write_compact(raw, field.raw);
    node.fields.push_back(std::move(field));
    return true;
  }

  bool known(const FieldDescriptor& field, const std::string& key, Node& node,
             MergeKey* merge_key) {
    if (merge_key != nullptr && merge_key->name == key && field.kind != ValueKind::Message) {
      merge_key->value.clear();
      if (in_.peek() == '"') return in_.read_string(merge_key->value);
      std::string_view raw;
      if (!in_.skip(raw)) return false;
      if (raw != "null") merge_key->value = raw;
      return true;
    }
    if (field.kind != ValueKind::Message || in_.peek() == 'n') return in_.skip();
    Node& child = node.children[key];
    const bool good = value(field, child);
    if (child.empty()) node.children.erase(key);
    return good;
  }

  bool value(const FieldDescriptor& field, Node& node) {
    switch (field.cardinality) {
      case Cardinality::List:
        return list(field, node);
      case Cardinality::Map:
        return map(field, node);
      default:
        return message(*field.message, node, nullptr);
    }
  }

  bool form(const TypeDescriptor& type, Node& node) {
    const char c = in_.peek();
    if (c != '[' && c != '{') return in_.skip();
    const bool second =
        type.json_form == JsonForm::SchemaOrBool || (type.json_form != JsonForm::List && c == '[');
    const FieldDescriptor& field = type.fields[second ? 1 : 0];
    node = Node();
    return field.kind == ValueKind::Message ? value(field, node) : in_.skip();
  }

  bool list(const FieldDescriptor& field, Node& node) {
    if (in_.peek() != '[') return in_.skip();
    node = Node();
    node.count = in_.count_elements();
    ElementNames names;
    std::size_t index = 0;
    for (bool more = in_.begin_array(); more; more = in_.next_element(), ++index) {
      const std::size_t offset = in_.offset();
      Node element;
      MergeKey key{field.patch_merge_key};
      if (!message(*field.message, element, &key)) return false;
      std::string name = field.patch_merge_key.empty() ? ElementNames::by_place(index)
                                                       : names.by_key(std::move(key.value));
      if (names_ != nullptr) names_->emplace(offset, name);
      if (!element.empty()) node.children.insert_or_assign(std::move(name), std::move(element));
    }
    return !in_.failed();
  }

  bool map(const FieldDescriptor& field, Node& node) {
    if (in_.peek() != '{') return in_.skip();
    std::string key;
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      key.clear();
      if (!in_.read_key_text(key)) return false;
      Node member;
      const std::string name = key;
      if (!message(*field.message, member, nullptr)) return false;
      if (member.empty()) {
        node.children.erase(name);
      } else {
        node.children.insert_or_assign(name, std::move(member));
      }
    }
    return !in_.failed();
  }

  json::Reader in_;
  NamesByOffset* names_;
};

// Finds the places in written JSON where kept fields go.
class Splicer {
 public:
  Splicer(std::string_view text, const NamesByOffset& names, std::string& out)
      : text_(text), in_(text), names_(names), out_(out) {}

  void splice(const TypeDescriptor& type, const Node& root) {
    if (!in_.failed()) message(type, root);
    out_ += text_.substr(copied_);
  }

 private:
  bool message(const TypeDescriptor& type, const Node& node) {
    if (type.json_form != JsonForm::Object) return form(type, node);
    if (in_.peek() != '{') return in_.skip();
    bool empty = true;
    std::string key;
    std::size_t close = in_.offset() + 1;  // what is written has no white space
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      empty = false;
      key.clear();
      if (!in_.read_key_text(key)) return false;
      const auto child = node.children.find(key);
      const std::size_t place = find_place(type.keys, key);
      const bool good = child == node.children.end() || place == 0
                            ? in_.skip()
                            : value(*type.keys.fields[place - 1], child->second);
      if (!good) return false;
      close = in_.offset();
    }
    if (in_.failed()) return false;
    if (!node.fields.empty()) insert(close, node.fields, empty);
    return true;
  }

  void insert(std::size_t at, const std::vector<Field>& fields, bool first) {
    out_ += text_.substr(copied_, at - copied_);
    copied_ = at;
    for (const Field& field : fields) {
      if (!std::exchange(first, false)) out_ += ',';
      json::write_string(field.name, out_);
      out_ += ':';
      out_ += field.raw;
    }
  }

  bool value(const FieldDescriptor& field, const Node& node) {
    if (field.kind != ValueKind::Message) return in_.skip();
    switch (field.cardinality) {
      case Cardinality::List:
        return list(field, node);
      case Cardinality::Map:
        return map(field, node);
      default:
        return message(*field.message, node);
    }
  }

  bool form(const TypeDescriptor& type, const Node& node) {
    const char c = in_.peek();
    if (c != '[' && c != '{') return in_.skip();
    const bool second =
        type.json_form == JsonForm::SchemaOrBool || (type.json_form != JsonForm::List && c == '[');
    return value(type.fields[second ? 1 : 0], node);
  }

  bool list(const FieldDescriptor& field, const Node& node) {
    if (in_.peek() != '[') return in_.skip();
    if (field.patch_merge_key.empty() && in_.count_elements() != node.count) return in_.skip();
    for (bool more = in_.begin_array(); more; more = in_.next_element()) {
      const auto name = names_.find(in_.offset());
      const auto child =
          name == names_.end() ? node.children.end() : node.children.find(name->second);
      if (!(child == node.children.end() ? in_.skip() : message(*field.message, child->second)))
        return false;
    }
    return !in_.failed();
  }

  bool map(const FieldDescriptor& field, const Node& node) {
    if (in_.peek() != '{') return in_.skip();
    std::string key;
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      key.clear();
      if (!in_.read_key_text(key)) return false;
      const auto child = node.children.find(key);
      if (!(child == node.children.end() ? in_.skip() : message(*field.message, child->second)))
        return false;
    }
    return !in_.failed();
  }

  std::string_view text_;
  json::Reader in_;
  const NamesByOffset& names_;
  std::string& out_;
  std::size_t copied_ = 0;
};

}  // namespace

std::vector<std::string> UnknownFields::paths() const {
  std::vector<std::string> all;
  add_paths(root_, {}, all);
  return all;
}

Result<void> read_json(std::string_view text, const TypeDescriptor& type, void* object,
                       UnknownFields& unknown, const ReadOptions& options) {
  unknown.clear();
  if (auto read = read_json(text, type, object, options); !read) return read;
  if (Collector(text, nullptr).collect(type, unknown.root_)) return {};
  const auto syntax = json::find_syntax_error(text).value_or(json::SyntaxError{});
  return syntax.to_error().with_context("read " + std::string(label_of(type)));
}

void write_json(const void* object, const TypeDescriptor& type, const UnknownFields& unknown,
                std::string& out) {
  if (unknown.empty() || unknown.encoding_ != UnknownFields::Encoding::Json)
    return write_json(object, type, out);
  std::string text;
  write_json(object, type, text);
  NamesByOffset names;
  Node none;
  Collector(text, &names).collect(type, none);
  Splicer(text, names, out).splice(type, unknown.root_);
}

}  // namespace kube::meta
