// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/field_view.hpp>

#include <algorithm>
#include <array>
#include <charconv>

#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/json/cursor.hpp>

#include <kube/codec/wire.hpp>
#include <kube/names/go_text.hpp>
#include "type_facts.hpp"

namespace kube::meta {
namespace {

bool is_whole(const wire::Fields& fields, wire::Fault& fault) {
  if (fields.fault()) fault = fields.fault();
  return !fields.fault();
}

// What follows is false for a message that is wrong.

// The first and the last field with the number; their tags are 0 if there is none.
bool find_fields(std::string_view message, std::uint32_t number, wire::Fault& fault,
                 wire::Field& first, wire::Field& last) {
  wire::Fields fields(message);
  for (const wire::Field& field : fields) {
    if (field.number() != number) continue;
    if (first.tag == 0) first = field;
    last = field;
  }
  return is_whole(fields, fault);
}

// The value of the last field with the number.
bool find_bytes(std::string_view message, std::uint32_t number, wire::Fault& fault,
                std::string_view& out) {
  wire::Fields fields(message);
  for (const wire::Field& field : fields) {
    if (field.number() == number && fields.expect_bytes(field)) out = field.value;
  }
  return is_whole(fields, fault);
}

bool read_map_entry(std::string_view entry, wire::Fault& fault, std::string_view& key,
                    wire::Field& value) {
  wire::Fields fields(entry);
  for (const wire::Field& field : fields) {
    if (field.number() == 1 && fields.expect_bytes(field)) key = field.value;
    if (field.number() == 2) value = field;
  }
  return is_whole(fields, fault);
}

bool find_element(std::string_view message, std::uint32_t number, std::size_t index,
                  wire::Fault& fault, wire::Field& out) {
  wire::Fields fields(message);
  for (const wire::Field& field : fields) {
    if (field.number() != number || index-- != 0) continue;
    out = field;
    break;
  }
  return is_whole(fields, fault);
}

// The value of the last entry with the key.
bool find_entry(std::string_view message, std::uint32_t number, std::string_view key,
                wire::Fault& fault, bool& exists, wire::Field& out) {
  wire::Fields fields(message);
  for (const wire::Field& field : fields) {
    if (field.number() != number || !fields.expect_bytes(field)) continue;
    std::string_view found;
    wire::Field value;
    if (!read_map_entry(field.value, fault, found, value)) return false;
    if (found != key) continue;
    exists = true;
    out = value;
  }
  return is_whole(fields, fault);
}

// The field of a key, and the numbers of the inlined messages that protobuf has around it.
const FieldDescriptor* find_field(const TypeDescriptor& type, std::string_view key,
                                  std::vector<std::uint32_t>& around) {
  for (const FieldDescriptor& field : type.fields) {
    if (!field.inline_) {
      if (!key.empty() && field.json == key) return &field;
      continue;
    }
    around.push_back(field.number);
    if (const FieldDescriptor* inner = find_field(*field.message, key, around)) return inner;
    around.pop_back();
  }
  return nullptr;
}

// The parts of a path: names, and what stands in brackets.
struct Part {
  std::string text;
  bool bracket;
};
// Takes a text up to the quote that it begins with. Behind a backslash any character stands for
// itself, as in kubectl's JSON paths.
bool take_quoted(std::string_view& path, std::string& text) {
  const char quote = path.front();
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i] == quote) {
      path.remove_prefix(i + 1);
      return true;
    }
    if (path[i] == '\\' && ++i == path.size()) return false;
    text += path[i];
  }
  return false;
}
bool split_path(std::string_view path, std::vector<Part>& parts) {
  while (!path.empty()) {
    if (path.front() == '[') {
      path.remove_prefix(1);
      std::string& text = parts.emplace_back(Part{{}, true}).text;
      if (path.starts_with('\'') || path.starts_with('"')) {
        if (!take_quoted(path, text)) return false;
      } else {
        text = path.substr(0, path.find(']'));
        path.remove_prefix(text.size());
      }
      if (!path.starts_with(']')) return false;
      path.remove_prefix(1);
      continue;
    }
    if (!parts.empty()) {
      if (path.front() != '.') return false;
      path.remove_prefix(1);
    }
    const std::size_t length = std::min(path.find_first_of(".["), path.size());
    if (length == 0) return false;
    parts.push_back({std::string(path.substr(0, length)), false});
    path.remove_prefix(length);
  }
  return !parts.empty();
}

}  // namespace

Result<FieldLocator> FieldLocator::compile(const TypeDescriptor& type, std::string_view path) {
  const auto wrong = [&](const std::string& what) {
    return Error(ErrorCode::InvalidArgument,
                 "path " + go::quote(path) + " of " + std::string(label_of(type)) + ": " + what);
  };
  FieldLocator made;
  made.text_ = path;
  made.type_ = label_of(type);
  std::vector<Part> parts;
  if (!split_path(path, parts))
    return wrong("expected names with dots between them, [index], ['key']");

  const TypeDescriptor* in = &type;
  for (const auto& [text, bracket] : parts) {
    const FieldDescriptor* field = made.field_;
    const bool single =
        made.member_ || (field != nullptr && field->cardinality != Cardinality::List &&
                         field->cardinality != Cardinality::Map);
    if (bracket && single && field->kind == ValueKind::Message &&
        field->message->json_form == JsonForm::List) {
      // The list that the message stands for.
      field = made.field_ = &field->message->fields.front();
      made.steps_.push_back(
          {.kind = Step::Kind::Nested, .number = field->number, .repeated = true});
      made.member_ = false;
    }
    const bool is_list =
        field != nullptr && !made.member_ && field->cardinality == Cardinality::List;
    const bool is_map = field != nullptr && !made.member_ && field->cardinality == Cardinality::Map;
    if (is_list) {
      std::size_t index = 0;
      const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), index);
      if (!bracket || code != std::errc() || end != text.data() + text.size())
        return wrong(go::quote(text) + " stands behind a list, expected [index]");
      if (detail::wire_type(field->kind, Cardinality::Plain) != wire::Bytes)
        return wrong("single elements of a list of numbers can't be looked up");
      made.steps_.push_back({.kind = Step::Kind::Element, .number = field->number, .index = index});
      made.member_ = true;
    } else if (is_map) {
      made.steps_.push_back({.kind = Step::Kind::Key, .number = 2, .key = text});
      made.member_ = true;
    } else {
      if (bracket) return wrong("[" + text + "] stands behind what is no list or map");
      std::vector<std::uint32_t> around;
      const FieldDescriptor* found = in == nullptr ? nullptr : find_field(*in, text, around);
      if (found == nullptr) {
        return wrong((in == nullptr ? std::string(field->json) : std::string(in->name)) +
                     " has no field " + go::quote(text));
      }
      for (const std::uint32_t number : around)
        made.steps_.push_back({.kind = Step::Kind::Nested, .number = number});
      made.steps_.push_back({.number = found->number,
                             .key = text,
                             .repeated = found->cardinality == Cardinality::List ||
                                         found->cardinality == Cardinality::Map});
      made.field_ = found;
      made.member_ = false;
    }
    const FieldDescriptor& now = *made.field_;
    const bool one = made.member_ ||
                     (now.cardinality != Cardinality::List && now.cardinality != Cardinality::Map);
    in = one && now.kind == ValueKind::Message && now.message->json_form == JsonForm::Object
             ? now.message
             : nullptr;
  }
  return made;
}

FieldView FieldLocator::start(bool json) const {
  FieldView view;
  view.json_ = json;
  view.field_ = field_;
  view.member_ = member_;
  return view;
}

Result<FieldView> FieldLocator::find(std::string_view object) const {
  if (!is_protobuf(object)) return find_in_json(object);
  const auto unknown = open_envelope(object);
  if (!unknown) return unknown.error();
  return find_in_message(unknown->raw);
}

Result<FieldView> FieldLocator::find_in_json(std::string_view text) const {
  json::Cursor at(text);
  const auto wrong = [&](std::string_view expected) {
    return Error(ErrorCode::Decode, text_ + ": expected " + std::string(expected) + " at offset " +
                                        std::to_string(at.offset()))
        .with_context("read " + std::string(type_));
  };
  FieldView view = start(true);
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::Nested) continue;
    const bool element = step.kind == Step::Kind::Element;
    if (at.peek() == 'n') return view;
    if (!at.enter(element ? '[' : '{')) return wrong(element ? "an array" : "an object");
    std::string_view key;
    for (std::size_t index = 0;; ++index) {
      const auto more = element ? at.next_element() : at.next_member(key);
      if (more == json::Cursor::More::No) return view;
      if (more == json::Cursor::More::Wrong) return wrong(element ? "an element" : "a member");
      if (element ? index == step.index : json::is_key(key, step.key)) break;
      std::string_view passed;
      if (!at.skip(passed)) return wrong("a value");
    }
  }
  if (!at.skip(view.bytes_)) return wrong("a value");
  view.exists_ = view.bytes_ != "null";
  return view;
}

Result<FieldView> FieldLocator::find_in_message(std::string_view message) const {
  FieldView view = start(false);
  wire::Fault fault;
  std::string_view in = message;
  const auto wrong = [&]() -> Error {
    const std::string where =
        view.merged_
            ? ""
            : " at offset " +
                  std::to_string(static_cast<std::size_t>(fault.at - wire::begin_of(message)));
    return Error(ErrorCode::Decode, text_ + ": " + fault.message + where)
        .with_context("read " + std::string(type_));
  };
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.number == 0) return view;  // JSON has it, protobuf does not
    wire::Field first;
    wire::Field last;
    const Step* inner = step.repeated && i + 1 < steps_.size() ? &steps_[i + 1] : nullptr;
    if (inner == nullptr) {
      if (!find_fields(in, step.number, fault, first, last)) return wrong();
    } else if (inner->kind == Step::Kind::Element) {
      if (!find_element(in, step.number, inner->index, fault, first)) return wrong();
      last = first;
      ++i;
    } else {
      // An entry without a value has the zero value.
      if (!find_entry(in, step.number, inner->key, fault, view.exists_, first)) return wrong();
      if (!view.exists_) return view;
      last = first;
      ++i;
    }
    const bool ends = i + 1 == steps_.size();
    if (first.tag == 0) {
      view.exists_ = view.exists_ && ends;
      return view;
    }
    if (ends) {
      view.exists_ = true;
      view.number_ = inner != nullptr ? inner->number : step.number;
      view.bytes_ = wire::view(wire::begin_of(first.whole()),
                               wire::begin_of(last.whole()) + last.whole().size());
      return view;
    }
    view.exists_ = false;
    std::string_view next;
    if (first.whole().data() == last.whole().data()) {
      if (!find_bytes(first.whole(), first.number(), fault, next)) return wrong();
    } else {
      // A message in several pieces is all of them together.
      auto merged = std::make_shared<std::string>();
      wire::Fields fields(in);
      for (const wire::Field& field : fields) {
        if (field.number() == step.number && fields.expect_bytes(field)) *merged += field.value;
      }
      if (!is_whole(fields, fault)) return wrong();
      next = *merged;
      // What is still to be read may lie in an earlier one.
      view.merged_ = std::move(merged);
    }
    in = next;
  }
  return view;
}

Error FieldView::error(ErrorCode code, const std::string& what) const {
  return Error(code, "field " + go::quote(field_->json) + ": " + what);
}

Cardinality FieldView::cardinality() const {
  if (member_ || field_->cardinality == Cardinality::Optional) return Cardinality::Plain;
  return field_->cardinality;
}

Result<std::string_view> FieldView::text(std::string& scratch) const& {
  if (field_->kind != ValueKind::String || cardinality() != Cardinality::Plain)
    return error(ErrorCode::InvalidArgument, "is no field of strings");
  if (!exists_ || bytes_.empty()) return std::string_view();
  if (json_) {
    if (bytes_.front() == '"' && bytes_.find('\\') == std::string_view::npos)
      return bytes_.substr(1, bytes_.size() - 2);
  } else {
    std::string_view found;
    wire::Fault fault;
    if (!find_bytes(bytes_, number_, fault, found)) return error(ErrorCode::Decode, fault.message);
    return found;
  }
  if (auto read = read_into({ValueKind::String}, &scratch); !read) return read.error();
  return std::string_view(scratch);
}

Result<void> FieldView::read_into(const detail::ReadAs& as, void* value) const {
  const bool strings = as.kind == ValueKind::String && field_->kind == ValueKind::Bytes;
  if ((as.kind != field_->kind && !strings) || as.cardinality != cardinality() ||
      (as.kind == ValueKind::Message && as.message != field_->message)) {
    return error(ErrorCode::InvalidArgument, "is not of the type that is asked for");
  }
  if (!exists_ || bytes_.empty()) return {};
  // A type of this one field, which is the whole object.
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
    return error(ErrorCode::InvalidArgument, "is no list or map");
  if (!exists_) return {};
  if (!list_form) return json_ ? each_in_json(visit) : each_in_protobuf(visit);

  FieldView list = *this;
  list.field_ = &field_->message->fields.front();
  list.member_ = false;
  if (json_) return list.each_in_json(visit);
  wire::Fault fault;
  if (!find_bytes(bytes_, number_, fault, list.bytes_))
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
    return error(ErrorCode::InvalidArgument, "is of numbers, which are to be read as a whole");
  wire::Fault fault;
  wire::Fields fields(bytes_);
  for (const wire::Field& field : fields) {
    if (field.number() != number_) continue;
    std::string_view key;
    value.bytes_ = field.whole();
    if (field_->cardinality != Cardinality::List) {
      if (!fields.expect_bytes(field)) break;
      wire::Field part;
      if (!read_map_entry(field.value, fault, key, part))
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
