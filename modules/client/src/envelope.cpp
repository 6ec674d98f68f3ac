// SPDX-License-Identifier: Apache-2.0
#include "envelope.hpp"

#include <functional>

#include <kube/json/text.hpp>
#include <simdjson.h>

namespace kube {
namespace {

namespace ondemand = simdjson::ondemand;

// simdjson's words are short; a second look at the text finds the offset.
Error explain(std::string_view text, simdjson::error_code code) {
  if (const auto mistake = json::find_syntax_error(text)) return mistake->to_error();
  return {ErrorCode::Decode, std::string("json: ") + simdjson::error_message(code)};
}

Error wrong_type(std::string_view what, std::string_view expected) {
  return {ErrorCode::Decode,
          std::string(what) + ": expected " + std::string(expected)};
}

using Visit = std::function<simdjson::error_code(std::string_view key, ondemand::value value)>;

// Calls visit for each member of an object until it returns an error.
simdjson::error_code for_each_member(ondemand::object object, const Visit& visit) {
  for (auto field : object) {
    std::string_view key;
    if (auto code = field.unescaped_key().get(key)) return code;
    ondemand::value value;
    if (auto code = field.value().get(value)) return code;
    if (auto code = visit(key, value)) return code;
  }
  return simdjson::SUCCESS;
}

// Reads a string member; null counts as absent.
simdjson::error_code read_text(ondemand::value value, std::string& out) {
  std::string_view text;
  if (auto code = value.get_string().get(text)) {
    bool is_null = false;
    if (value.is_null().get(is_null) == simdjson::SUCCESS && is_null) return simdjson::SUCCESS;
    return code;
  }
  out.assign(text);
  return simdjson::SUCCESS;
}

// The text of an object value.
simdjson::error_code raw_object(ondemand::value value, std::string_view& out) {
  ondemand::object object;
  if (auto code = value.get_object().get(object)) return code;
  return object.raw_json().get(out);
}

simdjson::error_code read_list_info(ondemand::value value, ListInfo& info) {
  ondemand::object object;
  if (auto code = value.get_object().get(object)) return code;
  return for_each_member(object, [&](std::string_view key, ondemand::value member) {
    if (key == "resourceVersion") return read_text(member, info.resource_version);
    if (key == "continue") return read_text(member, info.continue_);
    if (key == "remainingItemCount") {
      std::int64_t count = 0;
      if (member.get_int64().get(count) == simdjson::SUCCESS) info.remaining_item_count = count;
    }
    return simdjson::SUCCESS;
  });
}

// Keeps a text readable for simdjson and its offsets those of the caller's text.
class Document {
 public:
  explicit Document(std::string_view text) : text_(text), padded_(text) {}

  // Calls visit for each top-level member. `stop` ends it early without an error.
  Result<void> members(const Visit& visit) {
    ondemand::document document;
    ondemand::object object;
    auto code = parser_.iterate(padded_.data(), padded_.size(), padded_.capacity()).get(document);
    if (!code) code = document.get_object().get(object);
    if (!code) code = for_each_member(object, visit);
    if (!code && !document.at_end()) code = simdjson::TRAILING_CONTENT;
    if (code == stop) return {};
    if (code) return explain(text_, code);
    return {};
  }

  std::size_t offset_of(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - padded_.data());
  }

  // An error code that can't come from the calls above.
  static constexpr simdjson::error_code stop = simdjson::NUM_ERROR_CODES;

 private:
  std::string_view text_;
  json::PaddedText padded_;
  ondemand::parser parser_;
};

}  // namespace

Result<TypeNames> type_names(std::string_view object) {
  TypeNames names;
  bool has_kind = false;
  bool has_version = false;
  Document document(object);
  auto read = document.members([&](std::string_view key, ondemand::value value) {
    simdjson::error_code code = simdjson::SUCCESS;
    if (key == "kind") {
      code = read_text(value, names.kind);
      has_kind = true;
    } else if (key == "apiVersion") {
      code = read_text(value, names.api_version);
      has_version = true;
    }
    return !code && has_kind && has_version ? Document::stop : code;
  });
  if (!read) return read.error();
  return names;
}

Result<ListParts> split_list(std::string_view list) {
  ListParts parts;
  bool has_items = false;
  bool items_wrong = false;
  Document document(list);
  auto read = document.members([&](std::string_view key, ondemand::value value) {
    if (key == "kind") return read_text(value, parts.type.kind);
    if (key == "apiVersion") return read_text(value, parts.type.api_version);
    if (key == "metadata") return read_list_info(value, parts.info);
    if (key != "items") return simdjson::SUCCESS;
    has_items = true;
    bool is_null = false;
    if (value.is_null().get(is_null) == simdjson::SUCCESS && is_null) return simdjson::SUCCESS;
    ondemand::array items;
    if (auto code = value.get_array().get(items)) {
      items_wrong = true;
      return code;
    }
    for (auto element : items) {
      ondemand::value item;
      std::string_view text;
      if (auto code = element.get(item)) return code;
      if (auto code = raw_object(item, text)) return code;
      parts.items.emplace_back(document.offset_of(text), text.size());
    }
    return simdjson::SUCCESS;
  });
  if (!read) {
    return items_wrong ? wrong_type("items", "an array") : read.error();
  }
  if (!has_items) return wrong_type("not a list", "an object with items");
  return parts;
}

Result<EventParts> split_event(std::string_view event) {
  EventParts parts;
  Document document(event);
  auto read = document.members([&](std::string_view key, ondemand::value value) {
    if (key == "type") return read_text(value, parts.type);
    if (key != "object") return simdjson::SUCCESS;
    std::string_view object;
    if (auto code = raw_object(value, object)) return code;
    parts.object = event.substr(document.offset_of(object), object.size());
    return simdjson::SUCCESS;
  });
  if (!read) return read.error();
  if (parts.type.empty()) return wrong_type("watch event without type", "ADDED, MODIFIED, ...");
  if (parts.object.empty()) return wrong_type("watch event without object", "an object");
  return parts;
}

}  // namespace kube
