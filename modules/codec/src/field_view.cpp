// SPDX-License-Identifier: Apache-2.0
//
// Reads the value that a FieldLocator has found.
#include <kube/codec/field_view.hpp>

#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/wire.hpp>
#include <kube/json/cursor.hpp>
#include <kube/names/go_text.hpp>

#include "type_facts.hpp"
#include "wire_search.hpp"

namespace kube::meta {

Error FieldView::error(ErrorCode code, const std::string& what) const {
  return Error(code, "field " + go::quote(field_->json) + ": " + what);
}

Cardinality FieldView::cardinality() const {
  if (member_ || field_->cardinality == Cardinality::Optional) return Cardinality::Plain;
  return field_->cardinality;
}

Result<std::string_view> FieldView::text(std::string& scratch) const& {
  if (field_->kind != ValueKind::String || cardinality() != Cardinality::Plain)
    return error(ErrorCode::InvalidArgument, "is not a string field");
  if (!exists_ || bytes_.empty()) return std::string_view();
  if (json_) {
    if (bytes_.front() == '"' && bytes_.find('\\') == std::string_view::npos)
      return bytes_.substr(1, bytes_.size() - 2);
  } else {
    std::string_view found;
    wire::Fault fault;
    if (!wire::find_bytes(bytes_, number_, fault, found))
      return error(ErrorCode::Decode, fault.message);
    return found;
  }
  if (auto read = read_into({ValueKind::String}, &scratch); !read) return read.error();
  return std::string_view(scratch);
}

Result<void> FieldView::read_into(const detail::ReadAs& as, void* value) const {
  const bool strings = as.kind == ValueKind::String && field_->kind == ValueKind::Bytes;
  if ((as.kind != field_->kind && !strings) || as.cardinality != cardinality() ||
      (as.kind == ValueKind::Message && as.message != field_->message)) {
    return error(ErrorCode::InvalidArgument, "is not of the requested type");
  }
  if (!exists_ || bytes_.empty()) return {};
  // A type whose only field is this one.
  FieldDescriptor field = *field_;
  field.offset = 0;
  field.cardinality = as.cardinality;
  field.nullable = false;
  field.ops = as.ops;
  TypeDescriptor type{};
  type.name = field_->json;
  type.fields = {&field, 1};
  if (json_) {
    type.json_form = JsonForm::List;
    return read_json(bytes_, type, value);
  }
  const WireField wire_field{number_ << 3 | detail::wire_type(field.kind, field.cardinality),
                             0,
                             wire_shape(field.kind, field.cardinality),
                             field.zero_proto,
                             field.message,
                             &field};
  std::vector<std::uint16_t> numbers(number_ + 1);
  numbers[number_] = 1;
  type.wire = {{&wire_field, 1}, numbers};
  return read_protobuf(bytes_, type, value);
}

Result<void> FieldView::each(
    const std::function<bool(std::string_view key, const FieldView& value)>& visit) const {
  const bool list_form = cardinality() == Cardinality::Plain &&
                         field_->kind == ValueKind::Message &&
                         field_->message->json_form == JsonForm::List;
  if (cardinality() == Cardinality::Plain && !list_form)
    return error(ErrorCode::InvalidArgument, "is neither a list nor a map");
  if (!exists_) return {};
  if (!list_form) return json_ ? each_in_json(visit) : each_in_protobuf(visit);

  FieldView list = *this;
  list.field_ = &field_->message->fields.front();
  list.member_ = false;
  if (json_) return list.each_in_json(visit);
  wire::Fault fault;
  if (!wire::find_bytes(bytes_, number_, fault, list.bytes_))
    return error(ErrorCode::Decode, fault.message);
  list.number_ = list.field_->number;
  return list.each_in_protobuf(visit);
}

Result<void> FieldView::each_in_json(
    const std::function<bool(std::string_view key, const FieldView& value)>& visit) const {
  json::Cursor at(bytes_);
  const bool list = field_->cardinality == Cardinality::List;
  const auto wrong = [&](std::string_view expected) {
    return error(ErrorCode::Decode,
                 "expected " + std::string(expected) + " at offset " + std::to_string(at.offset()));
  };
  if (!at.enter(list ? '[' : '{')) return wrong(list ? "an array" : "an object");
  FieldView value = *this;
  value.member_ = true;
  for (;;) {
    std::string_view key;
    const auto more = list ? at.next_element() : at.next_member(key);
    if (more == json::Cursor::More::No) return {};
    if (more == json::Cursor::More::Wrong || !at.skip(value.bytes_))
      return wrong(list ? "an element" : "a member");
    value.exists_ = value.bytes_ != "null";
    const bool escaped = key.find('\\') != std::string_view::npos;
    if (!(escaped ? visit(json::key_text(key), value) : visit(key, value))) return {};
  }
}

Result<void> FieldView::each_in_protobuf(
    const std::function<bool(std::string_view key, const FieldView& value)>& visit) const {
  FieldView value = *this;
  value.member_ = true;
  if (detail::wire_type(field_->kind, Cardinality::Plain) != wire::Bytes)
    return error(ErrorCode::InvalidArgument,
                 "is a list of numbers, which can only be read as a whole");
  wire::Fault fault;
  wire::Fields fields(bytes_);
  for (const wire::Field& field : fields) {
    if (field.number() != number_) continue;
    std::string_view key;
    value.bytes_ = field.whole();
    if (field_->cardinality != Cardinality::List) {
      if (!fields.expect_bytes(field)) break;
      wire::Field part;
      if (!wire::read_map_entry(field.value, fault, key, part))
        return error(ErrorCode::Decode, fault.message);
      value.bytes_ = part.whole();
      value.number_ = 2;
    }
    if (!visit(key, value)) return {};
  }
  if (fields.fault()) return error(ErrorCode::Decode, fields.fault().message);
  return {};
}

}  // namespace kube::meta
