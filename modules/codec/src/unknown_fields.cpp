// SPDX-License-Identifier: Apache-2.0
//
// Unknown fields of JSON: collects them from a text by a type's descriptor, and inserts them into
// the text that is written from the value. Reading and writing themselves don't know of them.
#include <kube/codec/unknown_fields.hpp>

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
// Names of elements, by their offset.
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

// Keeps the last value of a duplicate field, at the position of the first.
void drop_repeated(std::vector<Field>& fields) {
  std::map<std::string_view, std::size_t> first;
  std::vector<Field> all;
  all.reserve(fields.size());
  for (const Field& field : fields) {
    const auto [at, added] = first.emplace(field.name, all.size());
    if (added) {
      all.push_back(field);
    } else {
      all[at->second].raw = field.raw;
    }
  }
  if (all.size() != fields.size()) fields = std::move(all);
}
void drop_repeated(Node& node) {
  if (node.fields.size() > 1) drop_repeated(node.fields);
  for (auto& [name, child] : node.children) drop_repeated(child);
}

// The value of one key of the next message.
struct MergeKey {
  std::string_view name;
  std::string value{};
};
struct Collected {
  Node* node;
  MergeKey* merge_key = nullptr;
};

// Walks over JSON that read_json() accepted for the type, and that is therefore valid except in
// skipped values. Returns false if it is not.
class Collector : private JsonWalk<Collector, Collected> {
 public:
  // `names`: receives the names of all elements of lists of messages, if not null.
  Collector(std::string_view text, const TypeDescriptor& type, NamesByOffset* names)
      : JsonWalk(text, type, nullptr), names_(names) {}

  bool collect(Node& root) {
    if (in_.failed() || !message(type_, {&root}, 0)) return false;
    drop_repeated(root);
    return true;
  }

 private:
  friend class JsonWalk<Collector, Collected>;

  bool unexpected(std::string_view) { return in_.skip(); }
  bool type_key(const TypeDescriptor&, std::string_view, int, StrictFields::Seen&) {
    return in_.skip();
  }

  bool unknown_key(const TypeDescriptor&, std::string_view key, Collected at) {
    Field field{std::string(key), {}};
    std::string_view raw;
    if (!in_.skip(raw) || json::find_syntax_error(raw)) return false;
    json::write_compact(raw, field.raw);
    at.node->fields.push_back(std::move(field));
    return true;
  }

  bool field(const TypeDescriptor&, const FieldDescriptor& field, Collected at, int depth) {
    if (field.kind != ValueKind::Message) {
      if (at.merge_key == nullptr || at.merge_key->name != field.json) return in_.skip();
      at.merge_key->value.clear();
      if (in_.peek() == '"') return in_.read_string(at.merge_key->value);
      std::string_view raw;
      const bool good = in_.skip(raw);
      at.merge_key->value = raw;
      return good;
    }
    std::string name(field.json);
    Node& child = at.node->children[name];
    const bool good = value(field, {&child}, depth);
    if (child.empty()) at.node->children.erase(name);
    return good;
  }
  bool scalars(const FieldDescriptor&, Collected) { return in_.skip(); }

  static Collected begin_form(const TypeDescriptor&, Collected at, std::size_t) {
    *at.node = Node();
    return {at.node};
  }
  static Collected optional(const FieldDescriptor&, Collected at) { return at; }

  ElementNames begin_list(const FieldDescriptor&, Collected at) {
    *at.node = Node();
    at.node->count = in_.count_elements();
    return {};
  }
  bool element(const FieldDescriptor& field, Collected at, ElementNames& names, std::size_t index,
               int depth) {
    const std::size_t offset = in_.offset();
    Node element;
    MergeKey key{field.patch_merge_key};
    if (!item(*field.message, {&element, &key}, depth)) return false;
    std::string name = field.patch_merge_key.empty() ? ElementNames::by_place(index)
                                                     : names.by_key(std::move(key.value));
    if (names_ != nullptr) names_->emplace(offset, name);
    if (!element.empty()) at.node->children.insert_or_assign(std::move(name), std::move(element));
    return true;
  }

  static void begin_map(const FieldDescriptor&, Collected) {}
  bool member(const FieldDescriptor& field, Collected at, const std::string& key, int depth) {
    Node member;
    if (!item(*field.message, {&member}, depth)) return false;
    if (member.empty()) {
      at.node->children.erase(key);
    } else {
      at.node->children.insert_or_assign(key, std::move(member));
    }
    return true;
  }

  static bool end(Collected) { return true; }

  NamesByOffset* names_;
};

// Finds the positions in written JSON where kept fields belong.
class Splicer : private JsonWalk<Splicer, const Node*> {
 public:
  Splicer(std::string_view text, const TypeDescriptor& type, const NamesByOffset& names,
          std::string& out)
      : JsonWalk(text, type, nullptr), names_(names), out_(out) {}

  void splice(const Node& root) {
    if (!in_.failed()) message(type_, &root, 0);
    out_ += text_.substr(copied_);
  }

 private:
  friend class JsonWalk<Splicer, const Node*>;

  bool unexpected(std::string_view) { return in_.skip(); }
  bool type_key(const TypeDescriptor&, std::string_view, int, StrictFields::Seen&) {
    return in_.skip();
  }
  bool unknown_key(const TypeDescriptor&, std::string_view, const Node*) { return in_.skip(); }

  bool field(const TypeDescriptor&, const FieldDescriptor& field, const Node* node, int depth) {
    const auto child = node->children.find(field.json);
    return child == node->children.end() ? in_.skip() : value(field, &child->second, depth);
  }
  bool scalars(const FieldDescriptor&, const Node*) { return in_.skip(); }

  static const Node* begin_form(const TypeDescriptor&, const Node* node, std::size_t) {
    return node;
  }
  static const Node* optional(const FieldDescriptor&, const Node* node) { return node; }

  // Whether the elements can't be identified.
  bool begin_list(const FieldDescriptor& field, const Node* node) {
    return field.patch_merge_key.empty() && in_.count_elements() != node->count;
  }
  bool element(const FieldDescriptor& field, const Node* node, bool is_another, std::size_t,
               int depth) {
    const auto name = names_.find(in_.offset());
    return is_another || name == names_.end() ? in_.skip()
                                              : member(field, node, name->second, depth);
  }
  static void begin_map(const FieldDescriptor&, const Node*) {}
  bool member(const FieldDescriptor& field, const Node* node, const std::string& key, int depth) {
    const auto child = node->children.find(key);
    return child == node->children.end() ? in_.skip() : item(*field.message, &child->second, depth);
  }

  bool end(const Node* node) {
    if (node->fields.empty()) return true;
    const std::size_t close = in_.offset() - 1;  // written JSON has no white space
    out_ += text_.substr(copied_, close - copied_);
    copied_ = close;
    bool first = text_[close - 1] == '{';
    for (const Field& field : node->fields) {
      if (!std::exchange(first, false)) out_ += ',';
      json::write_string(field.name, out_);
      out_ += ':';
      out_ += field.raw;
    }
    return true;
  }

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
  if (Collector(text, type, nullptr).collect(unknown.root_)) return {};
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
  Collector(text, type, &names).collect(none);
  Splicer(text, type, names, out).splice(unknown.root_);
}

}  // namespace kube::meta
