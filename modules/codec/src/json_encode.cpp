// SPDX-License-Identifier: Apache-2.0
//
// write_json: any described type as JSON text, by its descriptor, in the forms of Go's encoder.
#include <kube/codec/codec.hpp>
#include <kube/json/base64.hpp>
#include <kube/json/raw_value.hpp>
#include <kube/json/writer.hpp>

#include "json_output.hpp"
#include "value_kinds.hpp"
#include "written_fields.hpp"

namespace kube::meta {
namespace {

void put(KindConstant<ValueKind::Bool>, bool value, JsonOutput& out) {
  out.raw(value ? "true" : "false");
}
void put(KindConstant<ValueKind::Int32>, std::int32_t value, JsonOutput& out) {
  out.integer(value);
}
void put(KindConstant<ValueKind::Int64>, std::int64_t value, JsonOutput& out) {
  out.integer(value);
}
void put(KindConstant<ValueKind::Double>, double value, JsonOutput& out) {
  out.other([&](std::string& text) { json::write_double(value, text); });
}
void put(KindConstant<ValueKind::String>, const std::string& value, JsonOutput& out) {
  out.string(value);
}
void put_quoted(std::string_view text, JsonOutput& out) {
  out.byte('"');
  out.raw(text);
  out.byte('"');
}
void put(KindConstant<ValueKind::Bytes>, const std::string& value, JsonOutput& out) {
  out.byte('"');
  out.other([&](std::string& text) { json::write_base64(value, text); });
  out.byte('"');
}
template <class T>
void put_instant(const T& value, JsonOutput& out) {
  if (value.is_zero()) {
    out.raw("null");
  } else {
    put_quoted(value.to_string(), out);
  }
}
void put(KindConstant<ValueKind::Time>, const Time& value, JsonOutput& out) {
  put_instant(value, out);
}
void put(KindConstant<ValueKind::MicroTime>, const MicroTime& value, JsonOutput& out) {
  put_instant(value, out);
}
void put(KindConstant<ValueKind::Duration>, const Duration& value, JsonOutput& out) {
  put_quoted(value.to_string(), out);
}
void put(KindConstant<ValueKind::Quantity>, const Quantity& value, JsonOutput& out) {
  put_quoted(value.to_string(), out);
}
void put(KindConstant<ValueKind::IntOrString>, const IntOrString& value, JsonOutput& out) {
  if (const std::int32_t* number = value.if_int()) {
    out.integer(*number);
  } else {
    out.string(*value.if_string());
  }
}
void put(KindConstant<ValueKind::RawJson>, const RawExtension& value, JsonOutput& out) {
  switch (json::check_raw_value(value.raw)) {
    case json::RawValue::None:
      return out.raw("null");
    case json::RawValue::Loose:
      return out.other([&](std::string& text) { json::write_compact(value.raw, text); });
    case json::RawValue::Compact:
      return out.raw(value.raw);
  }
}

class JsonEncoder {
 public:
  explicit JsonEncoder(JsonOutput& out) : out_(out) {}

  void write_root(const TypeDescriptor& type, const void* object) {
    if (type.kind.empty()) return write_message(type, object);
    out_.raw(R"({"kind":")");
    out_.raw(type.kind);
    out_.raw(R"(","apiVersion":")");
    out_.raw(type.group);
    if (!type.group.empty()) out_.byte('/');
    out_.raw(type.version);
    out_.byte('"');
    write_fields(type, object);
    out_.byte('}');
  }

 private:
  void write_message(const TypeDescriptor& type, const void* object) {
    if (type.json_form != JsonForm::Object) return write_form(type, object);
    out_.byte('{');
    write_fields(type, object);
    out_.byte('}');
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
    each_written_field(type, object, [this](const FieldDescriptor& field, const void* member) {
      out_.key(field.json);
      write_value(field, member);
    });
  }

  void write_value(const FieldDescriptor& field, const void* member) {
    if (field.kind == ValueKind::Message) {
      write_messages(field, member);
    } else if (wire_shape(field.kind, field.cardinality) ==
               wire_shape(ValueKind::String, Cardinality::Plain)) {
      out_.string(*static_cast<const std::string*>(member));
    } else {
      with_kind(field.kind, [&](auto tag) { write_scalars(tag, field, member); });
    }
  }

  void write_messages(const FieldDescriptor& field, const void* member) {
    const TypeDescriptor& type = *field.message;
    if (field.cardinality == Cardinality::Plain) return write_message(type, member);
    if ((field.cardinality == Cardinality::Optional || field.nullable) &&
        field.ops->is_unset(member)) {
      out_.raw("null");
      return;
    }
    if (field.cardinality == Cardinality::Map) return write_message_map(field, member);
    const Elements elements = field.ops->elements(member);
    if (field.cardinality == Cardinality::Optional) return write_message(type, elements.data);
    out_.byte('[');
    const char* element = static_cast<const char*>(elements.data);
    for (std::size_t i = 0; i < elements.count; ++i, element += type.size) {
      if (i != 0) out_.byte(',');
      write_message(type, element);
    }
    out_.byte(']');
  }

  void write_message_map(const FieldDescriptor& field, const void* member) {
    struct Context {
      JsonEncoder& encoder;
      const TypeDescriptor& type;
      bool first = true;
    } context{*this, *field.message};
    out_.byte('{');
    field.ops->each(member, &context, [](void* opaque, std::string_view key, const void* message) {
      auto& [encoder, type, first] = *static_cast<Context*>(opaque);
      if (!std::exchange(first, false)) encoder.out_.byte(',');
      encoder.out_.string(key);
      encoder.out_.byte(':');
      encoder.write_message(type, message);
    });
    out_.byte('}');
  }

  template <ValueKind kind>
  void write_scalars(KindConstant<kind> tag, const FieldDescriptor& field, const void* member) {
    switch (field.cardinality) {
      case Cardinality::Plain:
        if (kind == ValueKind::Bytes && field.nullable &&
            static_cast<const Nullable<std::string>*>(member)->is_null()) {
          out_.raw("null");
        } else {
          put(tag, *static_cast<const Held<kind>*>(member), out_);
        }
        return;
      case Cardinality::Optional:
        if (const auto& value = *static_cast<const std::optional<Held<kind>>*>(member)) {
          put(tag, *value, out_);
        } else {
          out_.raw("null");
        }
        return;
      case Cardinality::List:
        if (field.nullable && static_cast<const Nullable<HeldList<kind>>*>(member)->is_null()) {
          out_.raw("null");
        } else {
          write_list(tag, *static_cast<const HeldList<kind>*>(member));
        }
        return;
      case Cardinality::Map:
        if (field.nullable && static_cast<const Nullable<HeldMap<kind>>*>(member)->is_null()) {
          out_.raw("null");
        } else {
          write_map(tag, *static_cast<const HeldMap<kind>*>(member));
        }
        return;
    }
  }

  template <ValueKind kind>
  void write_list(KindConstant<kind> tag, const HeldList<kind>& list) {
    out_.byte('[');
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i != 0) out_.byte(',');
      put(tag, list[i], out_);
    }
    out_.byte(']');
  }

  template <ValueKind kind>
  void write_map(KindConstant<kind> tag, const HeldMap<kind>& map) {
    out_.byte('{');
    bool first = true;
    for (const auto& [key, value] : map) {
      if (!std::exchange(first, false)) out_.byte(',');
      out_.string(key);
      out_.byte(':');
      put(tag, value, out_);
    }
    out_.byte('}');
  }

  JsonOutput& out_;
};

}  // namespace

void write_json(const void* object, const TypeDescriptor& type, std::string& out) {
  JsonOutput text;
  JsonEncoder(text).write_root(type, object);
  out += text.text();
}

}  // namespace kube::meta
