// SPDX-License-Identifier: Apache-2.0
//
// read_protobuf: fills any described type from a protobuf message, by its descriptor.
#include <kube/codec/detail/descriptor_support.hpp>
#include <kube/codec/protobuf.hpp>

#include <utility>

#include "protobuf_decode.hpp"
#include "protobuf_scalars.hpp"
#include "type_facts.hpp"
#include "untyped_containers.hpp"

namespace kube::meta {
namespace {

using wire::At;

// Reads one message. Functions return the end of what they read, or null on failure: `fault_` then
// says what was expected and where, and the callers complete `path_`.
class ProtobufDecoder {
 public:
  explicit ProtobufDecoder(const TypeDescriptor& type) : type_(type) {}

  Result<void> read(std::string_view message, std::size_t offset, void* object) {
    const At begin = wire::begin_of(message);
    if (read_root(type_, static_cast<char*>(object), begin, begin + message.size(), 0) != nullptr) {
      return {};
    }
    const auto at = static_cast<std::size_t>(fault_.at - begin) + offset;
    return Error(ErrorCode::Decode, (path_.empty() ? "" : path_ + ": ") + fault_.message +
                                        " at offset " + std::to_string(at))
        .with_context("read " + std::string(label_of(type_)));
  }

 private:
  // Prepends a name to the path of an invalid value.
  At within(std::string_view name) {
    if (name.empty()) return nullptr;
    const bool joined = path_.empty() || path_.starts_with('[');
    path_ = std::string(name) + (joined ? "" : ".") + path_;
    return nullptr;
  }
  At within_element(std::size_t index) { return within("[" + std::to_string(index) + "]"); }
  At within_member(std::string_view key) { return within("[" + std::string(key) + "]"); }

  [[gnu::always_inline]] At read_message(const TypeDescriptor& type, char* object, At at, At end,
                                         int depth) {
    if (++depth > kMaxProtobufDepth) [[unlikely]]
      return fault_(at, "exceeded max depth");
    if (type.json_form == JsonForm::List) [[unlikely]] {
      // The message exists, so its list does too, even if it is empty.
      const FieldDescriptor& list = type.fields.front();
      if (list.nullable) set_empty(list, object + list.offset);
    }
    const WireField* const fields = type.wire.fields.data();
    const WireField* const last = fields + type.wire.fields.size();
    const WireField* next = fields;
    while (at != end) {
      const At start = at;
      std::uint32_t tag = 0;
      at = wire::read_tag(at, end, tag, fault_);
      if (at == nullptr) return nullptr;
      // Fields are mostly in order, and many optional ones are missing.
      if (next == last || next->tag != tag) {
        const std::size_t number = tag >> 3;
        const std::size_t place =
            number < type.wire.numbers.size() ? type.wire.numbers[number] : std::size_t{0};
        if (place == 0) {
          at = wire::skip(at, end, tag, fault_);
          if (at == nullptr) return nullptr;
          continue;
        }
        next = fields + place - 1;
        if (next->tag != tag) {
          at = read_other_wire_type(*next, object + next->offset, tag, start, at, end);
          if (at == nullptr) return within(next->field->json);
          continue;
        }
      }
      const WireField& field = *next++;
      at = read_field(field, object + field.offset, at, end, depth);
      if (at == nullptr) return within(field.field->json);
    }
    return at;
  }

  [[gnu::always_inline]] At read_field(const WireField& field, char* member, At at, At end,
                                       int depth) {
    switch (field.shape) {
      case wire_shape(ValueKind::String, Cardinality::Plain):
        return wire::read_wire(KindConstant<ValueKind::String>(), at, end,
                               *reinterpret_cast<std::string*>(member), fault_);
      case wire_shape(ValueKind::Bool, Cardinality::Plain):
        return wire::read_wire(KindConstant<ValueKind::Bool>(), at, end,
                               *reinterpret_cast<bool*>(member), fault_);
      case wire_shape(ValueKind::Int32, Cardinality::Plain):
        return wire::read_wire(KindConstant<ValueKind::Int32>(), at, end,
                               *reinterpret_cast<std::int32_t*>(member), fault_);
      case wire_shape(ValueKind::Bool, Cardinality::Optional):
        return wire::read_wire(KindConstant<ValueKind::Bool>(), at, end,
                               reinterpret_cast<std::optional<bool>*>(member)->emplace(), fault_);
      case wire_shape(ValueKind::Int64, Cardinality::Optional):
        return wire::read_wire(KindConstant<ValueKind::Int64>(), at, end,
                               reinterpret_cast<std::optional<std::int64_t>*>(member)->emplace(),
                               fault_);
      case wire_shape(ValueKind::String, Cardinality::Optional):
        return wire::read_wire(KindConstant<ValueKind::String>(), at, end,
                               reinterpret_cast<std::optional<std::string>*>(member)->emplace(),
                               fault_);
      case wire_shape(ValueKind::Message, Cardinality::Plain):
        return read_nested(*field.message, member, at, end, depth);
      case wire_shape(ValueKind::Message, Cardinality::Optional): {
        void* const message = field.field->ops->make(member, {});
        return read_nested(*field.message, static_cast<char*>(message), at, end, depth);
      }
      case wire_shape(ValueKind::Message, Cardinality::List):
        return read_messages(field, member, at, end, depth);
      case wire_shape(ValueKind::Message, Cardinality::Map):
        return read_message_map(field, member, at, end, depth);
      case wire_shape(ValueKind::String, Cardinality::List):
        return read_list(KindConstant<ValueKind::String>(), field, member, at, end);
      case wire_shape(ValueKind::String, Cardinality::Map):
        return read_map(KindConstant<ValueKind::String>(), field, member, at, end);
      case wire_shape(ValueKind::Time, Cardinality::Plain):
        return wire::read_wire(KindConstant<ValueKind::Time>(), at, end,
                               *reinterpret_cast<Time*>(member), fault_);
      case wire_shape(ValueKind::Time, Cardinality::Optional):
        return wire::read_wire(KindConstant<ValueKind::Time>(), at, end,
                               reinterpret_cast<std::optional<Time>*>(member)->emplace(), fault_);
      default:
        return with_kind(field.field->kind,
                         [&](auto kind) { return read_scalars(kind, field, member, at, end); });
    }
  }

  [[gnu::noinline]] At read_root(const TypeDescriptor& type, char* object, At at, At end,
                                 int depth) {
    return read_message(type, object, at, end, depth);
  }
  // read_message() is inlined here, so that a message costs one call.
  [[gnu::noinline]] At read_nested(const TypeDescriptor& type, char* object, At at, At end,
                                   int depth) {
    std::size_t length = 0;
    at = wire::read_length(at, end, length, fault_);
    return at == nullptr ? nullptr : read_message(type, object, at, at + length, depth);
  }

  // Counts consecutive fields with the tag; `at` is at the length of the first.
  static std::size_t count_run(std::uint32_t tag, At at, At end) {
    wire::Fault none;
    std::size_t count = 0;
    for (;;) {
      std::size_t length = 0;
      at = wire::read_length(at, end, length, none);
      if (at == nullptr) return count;
      ++count;
      at += length;
      at = after_same_tag(tag, at, end);
      if (at == nullptr) return count;
    }
  }
  // Returns the position after the next tag if it equals `tag`; otherwise null.
  static At after_same_tag(std::uint32_t tag, At at, At end) {
    if (at == end) return nullptr;
    if (tag < 0x80) return *at == tag ? at + 1 : nullptr;
    if (end - at < 2 || at[0] != ((tag & 0x7f) | 0x80) || at[1] != tag >> 7) return nullptr;
    return at + 2;
  }

  At read_messages(const WireField& field, char* member, At at, At end, int depth) {
    const ContainerOps& ops = *field.field->ops;
    std::size_t index = has_never_grown(member) ? 0 : ops.elements(member).count;
    if (index == 0) ops.reserve(member, count_run(field.tag, at, end));
    for (;; ++index) {
      at = read_nested(*field.message, static_cast<char*>(ops.make(member, {})), at, end, depth);
      if (at == nullptr) return within_element(index);
      const At behind_tag = after_same_tag(field.tag, at, end);
      if (behind_tag == nullptr) return at;
      at = behind_tag;
    }
  }

  // Reads the entry of a map: its key, and where its value begins (null: the zero value).
  struct Entry {
    std::string_view key{};
    At value = nullptr;  // after the tag
    At end = nullptr;
  };
  At read_entry(std::uint32_t value_tag, Entry& entry, At at, At end) {
    std::size_t length = 0;
    at = wire::read_length(at, end, length, fault_);
    if (at == nullptr) return nullptr;
    entry.end = at + length;
    return wire::read_fields(at, entry.end, fault_, {10, value_tag}, [&](auto tag, At from, At to) {
      if (tag == 10) return wire::read_text(from, to, entry.key, fault_);
      if (tag != value_tag) return from;
      entry.value = from;
      return wire::skip(from, to, tag, fault_);
    });
  }

  At read_message_map(const WireField& field, char* member, At at, At end, int depth) {
    Entry entry;
    at = read_entry(18, entry, at, end);
    if (at == nullptr) return nullptr;
    char* const message = static_cast<char*>(field.field->ops->make(member, entry.key));
    if (entry.value == nullptr) return at;
    return read_nested(*field.message, message, entry.value, entry.end, depth) == nullptr
               ? within_member(entry.key)
               : at;
  }

  template <ValueKind kind>
  At read_map(KindConstant<kind> tag, const WireField&, char* member, At at, At end) {
    Entry entry;
    at = read_entry(16 + detail::wire_type(kind, Cardinality::Plain), entry, at, end);
    if (at == nullptr) return nullptr;
    auto& map = *reinterpret_cast<HeldMap<kind>*>(member);
    // Entries are mostly sorted.
    auto& value = map.try_emplace(map.end(), std::string(entry.key))->second;
    if (entry.value == nullptr) {
      value = Held<kind>();
      return at;
    }
    return wire::read_wire(tag, entry.value, entry.end, value, fault_) == nullptr
               ? within_member(entry.key)
               : at;
  }

  template <ValueKind kind>
  At read_list(KindConstant<kind> tag, const WireField& field, char* member, At at, At end) {
    constexpr bool kHasLength = detail::wire_type(kind, Cardinality::Plain) == wire::Bytes;
    auto& list = *reinterpret_cast<HeldList<kind>*>(member);
    if constexpr (kHasLength) {
      if (list.empty()) list.reserve(count_run(field.tag, at, end));
    }
    for (;;) {
      const std::size_t index = list.size();
      if constexpr (kHasLength) {
        at = wire::read_wire(tag, at, end, list.emplace_back(), fault_);
      } else {
        Held<kind> value{};
        at = wire::read_wire(tag, at, end, value, fault_);
        list.push_back(value);
      }
      if (at == nullptr) return within_element(index);
      const At behind_tag = after_same_tag(field.tag, at, end);
      if (behind_tag == nullptr) return at;
      at = behind_tag;
    }
  }

  template <ValueKind kind>
  At read_scalars(KindConstant<kind> tag, const WireField& field, char* member, At at, At end) {
    switch (field.field->cardinality) {
      case Cardinality::Plain:
        if (kind == ValueKind::Bytes && field.field->nullable)
          reinterpret_cast<Nullable<std::string>*>(member)->set_empty();
        return wire::read_wire(tag, at, end, *reinterpret_cast<Held<kind>*>(member), fault_);
      case Cardinality::Optional:
        return wire::read_wire(
            tag, at, end, reinterpret_cast<std::optional<Held<kind>>*>(member)->emplace(), fault_);
      case Cardinality::List:
        return read_list(tag, field, member, at, end);
      case Cardinality::Map:
        return read_map(tag, field, member, at, end);
    }
    return nullptr;
  }

  // Makes the list empty instead of null, for a type whose form is a list.
  static void set_empty(const FieldDescriptor& list, char* member) {
    if (list.kind == ValueKind::Message) {
      if (list.ops->elements(member).count == 0) list.ops->set_empty(member);
      return;
    }
    with_kind(list.kind, [&](auto kind) {
      auto& nullable = *reinterpret_cast<Nullable<HeldList<decltype(kind)::value>>*>(member);
      if (nullable.empty()) nullable.set_empty();
    });
  }

  // A list of numbers may be packed; any other wire type is an error.
  At read_other_wire_type(const WireField& field, char* member, std::uint32_t tag, At start, At at,
                          At end) {
    if ((tag & 7) == wire::Bytes && field.field->cardinality == Cardinality::List) {
      switch (field.field->kind) {
        case ValueKind::Bool:
          return read_packed(KindConstant<ValueKind::Bool>(), member, at, end);
        case ValueKind::Int32:
          return read_packed(KindConstant<ValueKind::Int32>(), member, at, end);
        case ValueKind::Int64:
          return read_packed(KindConstant<ValueKind::Int64>(), member, at, end);
        case ValueKind::Double:
          return read_packed(KindConstant<ValueKind::Double>(), member, at, end);
        default:
          break;
      }
    }
    return wire::wrong_wire_type(start, field.tag, tag, fault_);
  }

  template <ValueKind kind>
  At read_packed(KindConstant<kind> tag, char* member, At at, At end) {
    std::size_t length = 0;
    at = wire::read_length(at, end, length, fault_);
    if (at == nullptr) return nullptr;
    auto& list = *reinterpret_cast<HeldList<kind>*>(member);
    for (const At packed_end = at + length; at != packed_end;) {
      Held<kind> value{};
      at = wire::read_wire(tag, at, packed_end, value, fault_);
      if (at == nullptr) return within_element(list.size());
      list.push_back(value);
    }
    return at;
  }

  const TypeDescriptor& type_;
  wire::Fault fault_;
  std::string path_;
};

}  // namespace

Result<void> read_protobuf_at(std::size_t offset, std::string_view message,
                              const TypeDescriptor& type, void* object) {
  return ProtobufDecoder(type).read(message, offset, object);
}

Result<void> read_protobuf(std::string_view message, const TypeDescriptor& type, void* object) {
  return read_protobuf_at(0, message, type, object);
}

}  // namespace kube::meta
