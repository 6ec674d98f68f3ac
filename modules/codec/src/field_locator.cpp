// SPDX-License-Identifier: Apache-2.0
//
// Compiles the path of a field, and finds the field in JSON. field_locator_protobuf.cpp finds it in
// protobuf.
#include <algorithm>
#include <charconv>

#include <kube/codec/field_view.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/wire.hpp>
#include <kube/json/cursor.hpp>
#include <kube/names/go_text.hpp>

#include "field_path.hpp"
#include "type_facts.hpp"

namespace kube::meta {
namespace {

bool is_container(Cardinality cardinality) {
  return cardinality == Cardinality::List || cardinality == Cardinality::Map;
}

// Returns the field of a key, and appends the numbers of the inlined messages that enclose it in
// protobuf.
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

}  // namespace

// Adds the parts of a path to a locator, one by one.
class FieldLocator::Compiler {
 public:
  Compiler(const TypeDescriptor& type, std::string_view path, Members members)
      : message_(&type), members_(members) {
    made_.text_ = path;
    made_.type_ = label_of(type);
  }

  Result<FieldLocator> run() {
    std::vector<PathPart> parts;
    if (!split_path(made_.text_, parts)) return wrong(std::string(kPathSyntax));
    for (const PathPart& part : parts) {
      if (auto added = add(part); !added) return added.error();
      const FieldDescriptor& now = *made_.field_;
      message_ = is_single() && now.kind == ValueKind::Message &&
                         now.message->json_form == JsonForm::Object
                     ? now.message
                     : nullptr;
    }
    return std::move(made_);
  }

 private:
  Error wrong(const std::string& what) const {
    return Error(ErrorCode::InvalidArgument, "path " + go::quote(made_.text_) + " of " +
                                                 std::string(made_.type_) + ": " + what);
  }

  // Whether the path so far leads to one value.
  bool is_single() const {
    return made_.member_ || (made_.field_ != nullptr && !is_container(made_.field_->cardinality));
  }
  bool is_whole(Cardinality cardinality) const {
    return made_.field_ != nullptr && !made_.member_ && made_.field_->cardinality == cardinality;
  }

  Result<void> add(const PathPart& part) {
    if (part.bracket && is_single() && made_.field_->kind == ValueKind::Message &&
        made_.field_->message->json_form == JsonForm::List) {
      // JSON has the list itself where protobuf has the message.
      made_.field_ = &made_.field_->message->fields.front();
      made_.steps_.push_back(
          {.kind = Step::Kind::Nested, .number = made_.field_->number, .repeated = true});
      made_.member_ = false;
    }
    if (is_whole(Cardinality::List)) return add_index(part);
    if (is_whole(Cardinality::Map)) {
      if (members_ == Members::Every && part.is_every()) {
        made_.steps_.push_back({.kind = Step::Kind::EveryMember, .number = 2});
        made_.member_ = true;
        return {};
      }
      made_.steps_.push_back({.kind = Step::Kind::Key, .number = 2, .key = part.text});
      made_.member_ = true;
      return {};
    }
    return add_field(part);
  }

  Result<void> add_index(const PathPart& part) {
    if (members_ == Members::Every) {
      if (!part.is_every()) return wrong(go::quote(part.text) + " follows a list, expected [*]");
      made_.steps_.push_back({.kind = Step::Kind::EveryElement, .number = made_.field_->number});
      made_.member_ = true;
      return {};
    }
    const std::string& text = part.text;
    std::size_t index = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (!part.bracket || code != std::errc() || end != text.data() + text.size())
      return wrong(go::quote(text) + " follows a list, expected [index]");
    if (detail::wire_type(made_.field_->kind, Cardinality::Plain) != wire::Bytes)
      return wrong("an index can't select an element of a list of numbers");
    made_.steps_.push_back(
        {.kind = Step::Kind::Element, .number = made_.field_->number, .index = index});
    made_.member_ = true;
    return {};
  }

  Result<void> add_field(const PathPart& part) {
    if (part.bracket)
      return wrong("[" + part.text + "] follows a field that is neither a list nor a map");
    std::vector<std::uint32_t> around;
    const FieldDescriptor* found =
        message_ == nullptr ? nullptr : find_field(*message_, part.text, around);
    if (found == nullptr) {
      return wrong(std::string(message_ == nullptr ? made_.field_->json : message_->name) +
                   " has no field " + go::quote(part.text));
    }
    for (const std::uint32_t number : around)
      made_.steps_.push_back({.kind = Step::Kind::Nested, .number = number});
    made_.steps_.push_back(
        {.number = found->number, .key = part.text, .repeated = is_container(found->cardinality)});
    made_.field_ = found;
    made_.member_ = false;
    return {};
  }

  FieldLocator made_;
  const TypeDescriptor* message_;  // the next part names a field of it; null if it can't
  const Members members_;
};

Result<FieldLocator> FieldLocator::compile(const TypeDescriptor& type, std::string_view path) {
  return compile(type, path, Members::One);
}
Result<FieldLocator> FieldLocator::compile(const TypeDescriptor& type, std::string_view path,
                                           Members members) {
  return Compiler(type, path, members).run();
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

}  // namespace kube::meta
