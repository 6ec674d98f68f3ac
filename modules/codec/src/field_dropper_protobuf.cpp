// SPDX-License-Identifier: Apache-2.0
//
// Drops the fields of a FieldDropper from a protobuf message.
#include <kube/codec/field_dropper.hpp>

#include <kube/codec/wire.hpp>

#include "field_dropper_nodes.hpp"
#include "wire_search.hpp"

namespace kube::meta {

// Collects what to drop from a message, and the new lengths of the messages around it.
class FieldDropper::MessageWalk {
 public:
  explicit MessageWalk(std::string_view message) : message_(message) {}

  Result<void> run(const Node& root) {
    std::size_t dropped = 0;
    if (walk(message_, root, dropped)) return {};
    return Error(ErrorCode::Decode,
                 fault_.message + " at offset " +
                     std::to_string(static_cast<std::size_t>(fault_.at - wire::begin_of(message_))))
        .with_context("drop fields");
  }
  std::vector<DroppedRange> ranges;

 private:
  // These add to `dropped` the bytes that the message becomes shorter by. They return false when it
  // is invalid.
  bool walk(std::string_view message, const Node& node, std::size_t& dropped) {
    wire::Fields fields(message);
    for (const wire::Field& field : fields) {
      const Node* child = find(node, field.number());
      if (child == nullptr) continue;
      if (child->dropped) {
        drop(field, dropped);
      } else if (field.is_bytes() && !walk_field(field, *child, dropped)) {
        return false;
      }
    }
    return wire::is_whole(fields, fault_);
  }

  // `node` is of the field's number.
  bool walk_field(const wire::Field& field, const Node& node, std::size_t& dropped) {
    // The children of a map are entries, those of a message are fields.
    if (node.children.front().kind == Node::Kind::Number) return change(field, node, dropped);
    std::string_view key;
    wire::Field value;
    if (!wire::read_map_entry(field.value, fault_, key, value)) return false;
    const Node* entry = find_entry(node, key);
    if (entry == nullptr) return true;
    if (!entry->dropped) return change(field, *entry, dropped);
    drop(field, dropped);
    return true;
  }

  // The tag and the length precede the value, and are known after it.
  bool change(const wire::Field& field, const Node& node, std::size_t& dropped) {
    const std::size_t place = ranges.size();
    ranges.push_back({offset(field.begin), offset(wire::begin_of(field.value))});
    std::size_t inside = 0;
    if (!walk(field.value, node, inside)) return false;
    if (inside == 0) {
      ranges.pop_back();
      return true;
    }
    DroppedRange& head = ranges[place];
    wire::append_varint(field.tag, head.instead);
    wire::append_varint(field.value.size() - inside, head.instead);
    dropped += inside + (head.end - head.begin) - head.instead.size();
    return true;
  }

  void drop(const wire::Field& field, std::size_t& dropped) {
    const std::size_t begin = offset(field.begin);
    ranges.push_back({begin, begin + field.whole().size()});
    dropped += field.whole().size();
  }

  static const Node* find(const Node& node, std::uint32_t number) {
    for (const Node& child : node.children) {
      if (child.number == number) return &child;
    }
    return nullptr;
  }
  static const Node* find_entry(const Node& map, std::string_view key) {
    const Node* every = nullptr;
    for (const Node& child : map.children) {
      if (child.kind == Node::Kind::Every) every = &child;
      if (child.kind == Node::Kind::Key && child.key == key) return &child;
    }
    return every;
  }

  std::size_t offset(wire::At at) const {
    return static_cast<std::size_t>(at - wire::begin_of(message_));
  }

  std::string_view message_;
  wire::Fault fault_;
};

Result<std::string_view> FieldDropper::drop_in_message(std::string_view message,
                                                       std::string& scratch) const {
  MessageWalk walk(message);
  if (auto walked = walk.run(*wire_); !walked) return walked.error();
  if (walk.ranges.empty()) return message;
  return copy_rest(message, walk.ranges, scratch);
}

}  // namespace kube::meta
