// SPDX-License-Identifier: Apache-2.0
//
// write_protobuf: any described type as a protobuf message, by its descriptor, byte for byte as
// Go's generated code writes it. It writes from the end to the beginning.
#include "protobuf_encode.hpp"

#include <kube/codec/detail/descriptor_support.hpp>
#include <kube/codec/protobuf.hpp>

#include "untyped_containers.hpp"
#include "value_kinds.hpp"

namespace kube::meta {
namespace {

using detail::wire_type;
using wire::Output;

// A value without its tag.
void put(KindConstant<ValueKind::Bool>, bool value, Output& out) {
  out.byte(value ? 1 : 0);
}
void put(KindConstant<ValueKind::Int32>, std::int32_t value, Output& out) {
  out.signed_varint(value);
}
void put(KindConstant<ValueKind::Int64>, std::int64_t value, Output& out) {
  out.signed_varint(value);
}
void put(KindConstant<ValueKind::Double>, double value, Output& out) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  out.fixed64(bits);
}
void put_text(std::string_view text, Output& out) {
  out.bytes(text);
  out.varint(text.size());
}
void put(KindConstant<ValueKind::String>, const std::string& value, Output& out) {
  put_text(value, out);
}
void put(KindConstant<ValueKind::Bytes>, const std::string& value, Output& out) {
  put_text(value, out);
}
void put_instant(std::int64_t seconds, std::int32_t nanoseconds, Output& out) {
  const std::size_t before = out.size();
  out.signed_varint(nanoseconds);
  out.byte(16);
  out.signed_varint(seconds);
  out.byte(8);
  out.varint(out.size() - before);
}
void put(KindConstant<ValueKind::Time>, const Time& value, Output& out) {
  if (value.is_zero()) return out.byte(0);
  put_instant(value.unix_seconds(), 0, out);
}
void put(KindConstant<ValueKind::MicroTime>, const MicroTime& value, Output& out) {
  if (value.is_zero()) return out.byte(0);
  put_instant(value.unix_seconds(), value.nanoseconds() - value.nanoseconds() % 1000, out);
}
void put(KindConstant<ValueKind::Duration>, const Duration& value, Output& out) {
  const std::size_t before = out.size();
  out.signed_varint(value.value.count());
  out.byte(8);
  out.varint(out.size() - before);
}
void put(KindConstant<ValueKind::Quantity>, const Quantity& value, Output& out) {
  const std::size_t before = out.size();
  out.text_field(10, value.to_string());
  out.varint(out.size() - before);
}
void put(KindConstant<ValueKind::IntOrString>, const IntOrString& value, Output& out) {
  const std::size_t before = out.size();
  const std::int32_t* number = value.if_int();
  out.text_field(26, number != nullptr ? std::string_view() : std::string_view(*value.if_string()));
  out.signed_varint(number != nullptr ? *number : 0);
  out.byte(16);
  out.byte(number != nullptr ? 0 : 1);
  out.byte(8);
  out.varint(out.size() - before);
}
void put(KindConstant<ValueKind::RawJson>, const RawExtension& value, Output& out) {
  const std::size_t before = out.size();
  if (value.is_set()) out.text_field(10, value.raw);
  out.varint(out.size() - before);
}

class ProtobufEncoder {
 public:
  explicit ProtobufEncoder(Output& out) : out_(out) {}

  [[gnu::always_inline]] void write_message(const TypeDescriptor& type, const char* object) {
    const WireField* const first = type.wire.fields.data();
    for (const WireField* field = first + type.wire.fields.size(); field != first;) {
      --field;
      write_field(*field, object + field->offset);
    }
  }

 private:
  // Inlined: most fields of most objects are unset, and a call would cost half as much again.
  [[gnu::always_inline]] void write_field(const WireField& field, const char* member) {
    switch (field.shape) {
      case wire_shape(ValueKind::String, Cardinality::Plain): {
        const auto& text = *reinterpret_cast<const std::string*>(member);
        if (!text.empty() || field.zero_proto) out_.text_field(field.tag, text);
        return;
      }
      case wire_shape(ValueKind::Bool, Cardinality::Plain):
        return write_number<bool>(field, member);
      case wire_shape(ValueKind::Int32, Cardinality::Plain):
        return write_number<std::int32_t>(field, member);
      case wire_shape(ValueKind::Int64, Cardinality::Plain):
        return write_number<std::int64_t>(field, member);
      case wire_shape(ValueKind::Bool, Cardinality::Optional):
        return write_optional_number<bool>(field, member);
      case wire_shape(ValueKind::Int32, Cardinality::Optional):
        return write_optional_number<std::int32_t>(field, member);
      case wire_shape(ValueKind::Int64, Cardinality::Optional):
        return write_optional_number<std::int64_t>(field, member);
      case wire_shape(ValueKind::String, Cardinality::Optional):
        if (const auto& text = *reinterpret_cast<const std::optional<std::string>*>(member))
          out_.text_field(field.tag, *text);
        return;
      case wire_shape(ValueKind::Message, Cardinality::Plain):
        if (field.zero_proto || !is_null_list(*field.message, member)) {
          write_nested(field.tag, *field.message, member);
        }
        return;
      case wire_shape(ValueKind::Message, Cardinality::Optional):
        if (const char* message = message_of(member))
          write_nested(field.tag, *field.message, message);
        return;
      case wire_shape(ValueKind::Message, Cardinality::List): {
        if (has_never_grown(member)) return;
        const Elements elements = field.field->ops->elements(member);
        const char* element =
            static_cast<const char*>(elements.data) + elements.count * field.message->size;
        for (std::size_t i = 0; i < elements.count; ++i)
          write_nested(field.tag, *field.message, element -= field.message->size);
        return;
      }
      case wire_shape(ValueKind::Message, Cardinality::Map):
        return write_message_map(field, member);
      case wire_shape(ValueKind::String, Cardinality::Map):
        if (reinterpret_cast<const HeldMap<ValueKind::String>*>(member)->empty()) return;
        return write_map(KindConstant<ValueKind::String>(), field, member);
      case wire_shape(ValueKind::String, Cardinality::List):
        if (has_never_grown(member)) return;
        return write_scalars(KindConstant<ValueKind::String>(), field, member);
      case wire_shape(ValueKind::Quantity, Cardinality::Map):
        if (reinterpret_cast<const HeldMap<ValueKind::Quantity>*>(member)->empty()) return;
        return write_map(KindConstant<ValueKind::Quantity>(), field, member);
      case wire_shape(ValueKind::Time, Cardinality::Optional):
        if (!reinterpret_cast<const std::optional<Time>*>(member)->has_value()) return;
        return write_scalars(KindConstant<ValueKind::Time>(), field, member);
      default:
        with_kind(field.field->kind, [&](auto kind) { write_scalars(kind, field, member); });
    }
  }

  template <class T>
  void write_number(const WireField& field, const char* member) {
    const T value = *reinterpret_cast<const T*>(member);
    if (value != T() || field.zero_proto) out_.varint_field(field.tag, value);
  }
  template <class T>
  void write_optional_number(const WireField& field, const char* member) {
    if (const auto& value = *reinterpret_cast<const std::optional<T>*>(member))
      out_.varint_field(field.tag, *value);
  }

  [[gnu::noinline]] void write_nested(std::uint32_t tag, const TypeDescriptor& type,
                                      const char* object) {
    const std::size_t before = out_.size();
    write_message(type, object);
    out_.close(before, tag);
  }

  // Whether the message is the form of a null list.
  static bool is_null_list(const TypeDescriptor& type, const char* object) {
    if (type.json_form != JsonForm::List) return false;
    const FieldDescriptor& list = type.fields.front();
    const char* member = object + list.offset;
    if (list.kind == ValueKind::Message) return list.ops->is_unset(member);
    return with_kind(list.kind, [&](auto kind) {
      using Container = HeldList<decltype(kind)::value>;
      return list.nullable ? reinterpret_cast<const Nullable<Container>*>(member)->is_null()
                           : reinterpret_cast<const Container*>(member)->empty();
    });
  }

  void write_message_map(const WireField& field, const char* member) {
    struct Context {
      ProtobufEncoder& encoder;
      const WireField& field;
    } context{*this, field};
    field.field->ops->each_backwards(
        member, &context, [](void* opaque, std::string_view key, const void* message) {
          auto& [encoder, in] = *static_cast<Context*>(opaque);
          const std::size_t before = encoder.out_.size();
          encoder.write_nested(18, *in.message, static_cast<const char*>(message));
          encoder.out_.text_field(10, key);
          encoder.out_.close(before, in.tag);
        });
  }

  template <ValueKind kind>
  [[gnu::noinline]] void write_map(KindConstant<kind> tag, const WireField& field,
                                   const char* member) {
    const auto& map = *reinterpret_cast<const HeldMap<kind>*>(member);
    for (auto at = map.rbegin(); at != map.rend(); ++at) {
      const std::size_t before = out_.size();
      put(tag, at->second, out_);
      out_.byte(16 + wire_type(kind, Cardinality::Plain));
      out_.text_field(10, at->first);
      out_.close(before, field.tag);
    }
  }

  template <ValueKind kind>
  [[gnu::noinline]] void write_scalars(KindConstant<kind> tag, const WireField& field,
                                       const char* member) {
    switch (field.field->cardinality) {
      case Cardinality::Plain: {
        const auto& value = *reinterpret_cast<const Held<kind>*>(member);
        if (!field.zero_proto && is_zero(value)) {
          const bool given = kind == ValueKind::Bytes && field.field->nullable &&
                             !reinterpret_cast<const Nullable<std::string>*>(member)->is_null();
          if (!given) return;
        }
        put(tag, value, out_);
        return out_.varint(field.tag);
      }
      case Cardinality::Optional:
        if (const auto& value = *reinterpret_cast<const std::optional<Held<kind>>*>(member)) {
          put(tag, *value, out_);
          out_.varint(field.tag);
        }
        return;
      case Cardinality::List: {
        const auto& list = *reinterpret_cast<const HeldList<kind>*>(member);
        for (auto at = list.rbegin(); at != list.rend(); ++at) {
          put(tag, *at, out_);
          out_.varint(field.tag);
        }
        return;
      }
      case Cardinality::Map:
        return write_map(tag, field, member);
    }
  }

  Output& out_;
};

}  // namespace

void write_message_backwards(const void* object, const TypeDescriptor& type, Output& out) {
  ProtobufEncoder(out).write_message(type, static_cast<const char*>(object));
}

void write_protobuf(const void* object, const TypeDescriptor& type, std::string& out) {
  Output message;
  write_message_backwards(object, type, message);
  out += message.text();
}

}  // namespace kube::meta
