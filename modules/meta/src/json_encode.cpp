// SPDX-License-Identifier: Apache-2.0
//
// write_json: any described type as JSON text, by its descriptor, in the forms of Go's encoder.
#include <kube/json/base64.hpp>
#include <kube/json/writer.hpp>
#include <kube/meta/codec.hpp>

#include "value_kinds.hpp"

namespace kube::meta {
namespace {

void write_scalar(KindConstant<ValueKind::Bool>, bool value, std::string& out) {
  out += value ? "true" : "false";
}
void write_scalar(KindConstant<ValueKind::Int32>, std::int32_t value, std::string& out) {
  json::write_int(value, out);
}
void write_scalar(KindConstant<ValueKind::Int64>, std::int64_t value, std::string& out) {
  json::write_int(value, out);
}
void write_scalar(KindConstant<ValueKind::Double>, double value, std::string& out) {
  json::write_double(value, out);
}
void write_scalar(KindConstant<ValueKind::String>, const std::string& value, std::string& out) {
  json::write_string(value, out);
}
void write_scalar(KindConstant<ValueKind::Bytes>, const std::string& value, std::string& out) {
  out += '"';
  json::write_base64(value, out);
  out += '"';
}
void write_quoted(std::string_view text, std::string& out) {
  out += '"';
  out += text;
  out += '"';
}
void write_scalar(KindConstant<ValueKind::Time>, const Time& value, std::string& out) {
  if (value.is_zero()) {
    out += "null";
  } else {
    write_quoted(value.to_string(), out);
  }
}
void write_scalar(KindConstant<ValueKind::MicroTime>, const MicroTime& value, std::string& out) {
  if (value.is_zero()) {
    out += "null";
  } else {
    write_quoted(value.to_string(), out);
  }
}
void write_scalar(KindConstant<ValueKind::Duration>, const Duration& value, std::string& out) {
  write_quoted(value.to_string(), out);
}
void write_scalar(KindConstant<ValueKind::Quantity>, const Quantity& value, std::string& out) {
  write_quoted(value.to_string(), out);
}
void write_scalar(KindConstant<ValueKind::IntOrString>, const IntOrString& value,
                  std::string& out) {
  if (const std::int32_t* number = value.if_int()) {
    json::write_int(*number, out);
  } else {
    json::write_string(*value.if_string(), out);
  }
}
void write_scalar(KindConstant<ValueKind::RawJson>, const RawExtension& value, std::string& out) {
  if (value.raw.empty()) {
    out += "null";
  } else {
    json::write_compact(value.raw, out);
  }
}

template <class T>
bool is_zero(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return value == T{};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.empty();
  } else if constexpr (std::is_same_v<T, RawExtension>) {
    return !value.is_set();
  } else if constexpr (std::is_same_v<T, Duration>) {
    return value.value.count() == 0;
  } else if constexpr (std::is_same_v<T, IntOrString>) {
    return value == IntOrString();
  } else {
    return value.is_zero();
  }
}

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  void write_root(const TypeDescriptor& type, const void* object) {
    if (type.kind.empty()) return write_message(type, object);
    out_ += R"({"kind":")";
    out_ += type.kind;
    out_ += R"(","apiVersion":")";
    out_ += type.group;
    if (!type.group.empty()) out_ += '/';
    out_ += type.version;
    out_ += '"';
    write_fields(type, object);
    out_ += '}';
  }

 private:
  void write_message(const TypeDescriptor& type, const void* object) {
    if (type.json_form != JsonForm::Object) return write_form(type, object);
    out_ += '{';
    write_fields(type, object);
    out_ += '}';
  }

  void write_form(const TypeDescriptor& type, const void* object) {
    std::size_t place = 0;
    if (type.json_form != JsonForm::List) {
      const FieldDescriptor& second = type.fields[1];
      if (!is_unset(second, static_cast<const char*>(object) + second.offset)) place = 1;
    }
    const FieldDescriptor& field = type.fields[place];
    write_value(field, static_cast<const char*>(object) + field.offset);
  }

  void write_fields(const TypeDescriptor& type, const void* object) {
    for (const FieldDescriptor& field : type.fields) {
      if (field.inline_) {
        write_fields(*field.message, object);
        continue;
      }
      const void* member = static_cast<const char*>(object) + field.offset;
      if (field.zero_json == ZeroJson::Omit && is_unset(field, member)) continue;
      if (out_.back() != '{') out_ += ',';
      out_ += '"';
      out_ += field.json;
      out_ += "\":";
      write_value(field, member);
    }
  }

  // Whether the field holds what `zero_json` is about.
  static bool is_unset(const FieldDescriptor& field, const void* member) {
    if (field.kind == ValueKind::Message) {
      if (field.ops != nullptr) return field.ops->is_unset(member);
      return field.message->json_form == JsonForm::List &&
             is_unset(field.message->fields.front(), member);
    }
    return with_kind(field.kind, [&](auto tag) {
      constexpr ValueKind kind = decltype(tag)::value;
      switch (field.cardinality) {
        case Cardinality::Plain:
          return is_zero(*static_cast<const Held<kind>*>(member));
        case Cardinality::Optional:
          return !static_cast<const std::optional<Held<kind>>*>(member)->has_value();
        case Cardinality::List:
          return static_cast<const HeldList<kind>*>(member)->empty();
        case Cardinality::Map:
          return static_cast<const HeldMap<kind>*>(member)->empty();
      }
      return false;
    });
  }

  void write_value(const FieldDescriptor& field, const void* member) {
    if (field.kind == ValueKind::Message) {
      write_messages(field, member);
    } else {
      with_kind(field.kind, [&](auto tag) { write_scalars(tag, field, member); });
    }
  }

  void write_messages(const FieldDescriptor& field, const void* member) {
    const TypeDescriptor& type = *field.message;
    if (field.cardinality == Cardinality::Plain) return write_message(type, member);
    if ((field.cardinality == Cardinality::Optional || field.nullable) &&
        field.ops->is_unset(member)) {
      out_ += "null";
      return;
    }
    if (field.cardinality == Cardinality::Map) return write_message_map(field, member);
    const Elements elements = field.ops->elements(member);
    if (field.cardinality == Cardinality::Optional) return write_message(type, elements.data);
    out_ += '[';
    const char* element = static_cast<const char*>(elements.data);
    for (std::size_t i = 0; i < elements.count; ++i, element += type.size) {
      if (i != 0) out_ += ',';
      write_message(type, element);
    }
    out_ += ']';
  }

  void write_message_map(const FieldDescriptor& field, const void* member) {
    struct Context {
      Encoder& encoder;
      const TypeDescriptor& type;
      bool first = true;
    } context{*this, *field.message};
    out_ += '{';
    field.ops->each(member, &context, [](void* opaque, std::string_view key, const void* message) {
      auto& [encoder, type, first] = *static_cast<Context*>(opaque);
      if (!std::exchange(first, false)) encoder.out_ += ',';
      json::write_string(key, encoder.out_);
      encoder.out_ += ':';
      encoder.write_message(type, message);
    });
    out_ += '}';
  }

  template <ValueKind kind>
  void write_scalars(KindConstant<kind> tag, const FieldDescriptor& field, const void* member) {
    switch (field.cardinality) {
      case Cardinality::Plain:
        if (kind == ValueKind::Bytes && field.nullable &&
            static_cast<const Nullable<std::string>*>(member)->is_null()) {
          out_ += "null";
        } else {
          write_scalar(tag, *static_cast<const Held<kind>*>(member), out_);
        }
        return;
      case Cardinality::Optional:
        if (const auto& value = *static_cast<const std::optional<Held<kind>>*>(member)) {
          write_scalar(tag, *value, out_);
        } else {
          out_ += "null";
        }
        return;
      case Cardinality::List:
        if (field.nullable && static_cast<const Nullable<HeldList<kind>>*>(member)->is_null()) {
          out_ += "null";
        } else {
          write_list(tag, *static_cast<const HeldList<kind>*>(member));
        }
        return;
      case Cardinality::Map:
        if (field.nullable && static_cast<const Nullable<HeldMap<kind>>*>(member)->is_null()) {
          out_ += "null";
        } else {
          write_map(tag, *static_cast<const HeldMap<kind>*>(member));
        }
        return;
    }
  }

  template <ValueKind kind>
  void write_list(KindConstant<kind> tag, const HeldList<kind>& list) {
    out_ += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i != 0) out_ += ',';
      write_scalar(tag, list[i], out_);
    }
    out_ += ']';
  }

  template <ValueKind kind>
  void write_map(KindConstant<kind> tag, const HeldMap<kind>& map) {
    out_ += '{';
    bool first = true;
    for (const auto& [key, value] : map) {
      if (!std::exchange(first, false)) out_ += ',';
      json::write_string(key, out_);
      out_ += ':';
      write_scalar(tag, value, out_);
    }
    out_ += '}';
  }

  std::string& out_;
};

}  // namespace

void write_json(const void* object, const TypeDescriptor& type, std::string& out) {
  Encoder(out).write_root(type, object);
}

}  // namespace kube::meta
