// SPDX-License-Identifier: Apache-2.0
//
// Unknown fields of protobuf: collects them from a message by a type's descriptor, and inserts them
// into the message that is written from the value.
#include <kube/codec/unknown_fields.hpp>

#include <utility>

#include <kube/codec/wire.hpp>

#include "type_facts.hpp"
#include "unknown_elements.hpp"

namespace kube::meta {
namespace {

using Field = UnknownFields::Field;
using Node = UnknownFields::Node;
using Piece = wire::Field;

std::uint64_t number_in(const Piece& piece) {
  wire::Fault fault;
  std::uint64_t number = 0;
  if ((piece.tag & 7) == wire::Varint)
    wire::read_varint(wire::begin_of(piece.value), wire::begin_of(piece.value) + piece.value.size(),
                      number, fault);
  return number;
}

const WireField* find_wire(const TypeDescriptor& type, std::uint32_t number) {
  if (number >= type.wire.numbers.size() || type.wire.numbers[number] == 0) return nullptr;
  return &type.wire.fields[type.wire.numbers[number] - 1u];
}

std::string name_of(const WireField& field) {
  return field.field->json.empty() ? '#' + std::to_string(field.field->number)
                                   : std::string(field.field->json);
}

bool is_message(const WireField* field, const Piece& piece) {
  return field != nullptr && piece.is_bytes() && field->field->kind == ValueKind::Message;
}

// Sets `found` to the value of a JSON key in a message or in a message inlined in it, if it exists.
void find_value(const TypeDescriptor& type, std::string_view key, std::string_view message,
                std::string& found) {
  for (const Piece& piece : wire::Fields(message)) {
    const WireField* field = find_wire(type, piece.number());
    if (field == nullptr) continue;
    if (field->field->inline_ && piece.is_bytes()) {
      find_value(*field->message, key, piece.value, found);
    } else if (field->field->json == key && field->field->kind != ValueKind::Message) {
      found = piece.is_bytes() ? std::string(piece.value)
                               : std::to_string(static_cast<std::int64_t>(number_in(piece)));
    }
  }
}
std::string value_of(const TypeDescriptor& type, std::string_view key, std::string_view message) {
  std::string found;
  find_value(type, key, message, found);
  return found;
}

struct Entry {
  std::string_view key{};
  std::string_view value{};
};
Entry open_entry(std::string_view bytes) {
  Entry entry;
  for (const Piece& piece : wire::Fields(bytes)) {
    if (!piece.is_bytes()) continue;
    if (piece.number() == 1) entry.key = piece.value;
    if (piece.number() == 2) entry.value = piece.value;
  }
  return entry;
}

// A nested message whose field is repeated: its pieces in their order, as protobuf merges them.
class Merged {
 public:
  void add(std::string_view piece) {
    if (bytes_.empty()) {
      bytes_ = piece;
      return;
    }
    if (joined_.empty()) joined_ = bytes_;
    bytes_ = joined_ += piece;
  }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
  std::string joined_;
};

void collect(const TypeDescriptor& type, std::string_view message, Node& node);

void collect_element(const WireField& field, std::string_view message, ElementNames& names,
                     Node& list) {
  const std::size_t index = list.count++;
  Node element;
  collect(*field.message, message, element);
  const std::string_view key = field.field->patch_merge_key;
  std::string name = key.empty() ? ElementNames::by_place(index)
                                 : names.by_key(value_of(*field.message, key, message));
  if (!element.empty()) list.children.insert_or_assign(std::move(name), std::move(element));
}

void collect_member(const WireField& field, std::string_view entry_bytes, Node& map) {
  const Entry entry = open_entry(entry_bytes);
  Node member;
  collect(*field.message, entry.value, member);
  if (member.empty()) {
    map.children.erase(std::string(entry.key));
  } else {
    map.children.insert_or_assign(std::string(entry.key), std::move(member));
  }
}

void collect(const TypeDescriptor& type, std::string_view message, Node& node) {
  std::map<const WireField*, Node> children;
  std::map<const WireField*, ElementNames> names;
  std::map<const WireField*, Merged> messages;
  for (const Piece& piece : wire::Fields(message)) {
    const WireField* field = find_wire(type, piece.number());
    if (field == nullptr) {
      node.fields.push_back({'#' + std::to_string(piece.number()), std::string(piece.whole())});
    } else if (!is_message(field, piece)) {
      continue;
    } else if (field->field->cardinality == Cardinality::List) {
      collect_element(*field, piece.value, names[field], children[field]);
    } else if (field->field->cardinality == Cardinality::Map) {
      collect_member(*field, piece.value, children[field]);
    } else {
      messages[field].add(piece.value);
    }
  }
  for (const auto& [field, merged] : messages)
    collect(*field->message, merged.bytes(), children[field]);
  for (auto& [field, child] : children) {
    if (!child.empty()) node.children.emplace(name_of(*field), std::move(child));
  }
}

std::string splice(const TypeDescriptor& type, std::string_view message, const Node& node) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const Piece& piece : wire::Fields(message)) ++counts[piece.number()];
  std::map<std::uint32_t, ElementNames> names;
  std::map<std::uint32_t, std::size_t> indexes;
  std::string out;
  for (const Piece& piece : wire::Fields(message)) {
    const WireField* field = find_wire(type, piece.number());
    const auto child =
        is_message(field, piece) ? node.children.find(name_of(*field)) : node.children.end();
    if (child == node.children.end()) {
      out += piece.whole();
      continue;
    }
    const TypeDescriptor& inner = *field->message;
    const auto& children = child->second.children;
    switch (field->field->cardinality) {
      case Cardinality::List: {
        const std::size_t index = indexes[piece.number()]++;
        const std::string_view key = field->field->patch_merge_key;
        auto kept = children.end();
        if (!key.empty()) {
          kept = children.find(names[piece.number()].by_key(value_of(inner, key, piece.value)));
        } else if (counts[piece.number()] == child->second.count) {
          kept = children.find(ElementNames::by_place(index));
        }
        if (kept == children.end()) {
          out += piece.whole();
        } else {
          wire::append_field(piece.number(), splice(inner, piece.value, kept->second), out);
        }
        continue;
      }
      case Cardinality::Map: {
        const Entry entry = open_entry(piece.value);
        const auto kept = children.find(entry.key);
        if (kept == children.end()) {
          out += piece.whole();
          continue;
        }
        std::string bytes;
        wire::append_field(1, entry.key, bytes);
        wire::append_field(2, splice(inner, entry.value, kept->second), bytes);
        wire::append_field(piece.number(), bytes, out);
        continue;
      }
      default:
        wire::append_field(piece.number(), splice(inner, piece.value, child->second), out);
    }
  }
  for (const Field& field : node.fields) out += field.raw;
  return out;
}

}  // namespace

Result<void> read_protobuf(std::string_view message, const TypeDescriptor& type, void* object,
                           UnknownFields& unknown) {
  unknown.clear();
  if (auto read = read_protobuf(message, type, object); !read) return read;
  unknown.encoding_ = UnknownFields::Encoding::Protobuf;
  collect(type, message, unknown.root_);
  return {};
}

void write_protobuf(const void* object, const TypeDescriptor& type, const UnknownFields& unknown,
                    std::string& out) {
  if (unknown.empty() || unknown.encoding_ != UnknownFields::Encoding::Protobuf)
    return write_protobuf(object, type, out);
  std::string message;
  write_protobuf(object, type, message);
  out += splice(type, message, unknown.root_);
}

Result<void> read_enveloped(std::string_view bytes, const TypeDescriptor& type, void* object,
                            UnknownFields& unknown) {
  unknown.clear();
  if (auto read = read_enveloped(bytes, type, object); !read) return read;
  unknown.encoding_ = UnknownFields::Encoding::Protobuf;
  // read_enveloped() has opened it before.
  collect(type, open_envelope(bytes).value().raw, unknown.root_);
  return {};
}

Result<void> write_enveloped(const void* object, const TypeDescriptor& type,
                             const UnknownFields& unknown, std::string& out) {
  if (unknown.empty() || !has_protobuf(type)) return write_enveloped(object, type, out);
  std::string message;
  write_protobuf(object, type, unknown, message);
  const std::string version = api_version_of(type);
  write_envelope({.api_version = version, .kind = type.kind, .raw = message}, out);
  return {};
}

}  // namespace kube::meta
