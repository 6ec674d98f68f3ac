// SPDX-License-Identifier: Apache-2.0
#include "envelope.hpp"

#include <charconv>

#include <kube/json/reader.hpp>
#include <kube/meta/detail/wire.hpp>
#include <kube/meta/list_meta.hpp>
#include <kube/meta/protobuf.hpp>

namespace kube {
namespace {

Error wrong_type(std::string_view what, std::string_view expected) {
  return {ErrorCode::Decode, std::string(what) + ": expected " + std::string(expected)};
}

// The reader knows that something is wrong; a second look at the text finds out what.
Error explain(std::string_view text) {
  if (const auto mistake = json::find_syntax_error(text)) return mistake->to_error();
  return wrong_type("json", "an object");
}

// The key of the member in front, its escapes resolved: into `storage`, if there are any.
std::string_view key_of(json::Reader& reader, std::string& storage) {
  const std::string_view key = reader.key();
  if (key.find('\\') == std::string_view::npos) return key;
  storage.clear();
  reader.read_key_text(storage);
  return storage;
}

// Reads a string member; of another type it counts as absent, as null does.
void read_text(json::Reader& reader, std::string& out) {
  if (reader.peek() != '"') {
    reader.skip();
    return;
  }
  out.clear();
  reader.read_string(out);
}

void read_count(json::Reader& reader, std::optional<std::int64_t>& out) {
  std::string_view text;
  if (!reader.skip(text)) return;
  std::int64_t count = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (code == std::errc{} && end == text.data() + text.size()) out = count;
}

void read_list_info(json::Reader& reader, ListInfo& info) {
  if (reader.peek() != '{') {
    reader.skip();
    return;
  }
  std::string storage;
  for (bool more = reader.begin_object(); more; more = reader.next_member()) {
    const std::string_view key = key_of(reader, storage);
    if (key == "resourceVersion") {
      read_text(reader, info.resource_version);
    } else if (key == "continue") {
      read_text(reader, info.continue_);
    } else if (key == "remainingItemCount") {
      read_count(reader, info.remaining_item_count);
    } else {
      reader.skip();
    }
  }
}

Result<void> read_items(json::Reader& reader, ListParts& parts) {
  if (reader.peek() == 'n') {
    reader.read_null();
    return {};
  }
  if (reader.peek() != '[') return wrong_type("items", "an array");
  for (bool more = reader.begin_array(); more; more = reader.next_element()) {
    if (reader.peek() == '\0') {
      reader.fail();  // cut off here, which the text tells
      break;
    }
    if (reader.peek() != '{') {
      return wrong_type("items[" + std::to_string(parts.items.size()) + "]", "an object");
    }
    const std::size_t offset = reader.offset();
    std::string_view item;
    if (!reader.skip(item)) break;
    parts.items.emplace_back(offset, item.size());
  }
  return {};
}

// A list message: 1 is its metadata, 2 each item, of every kind of list.
Result<ListParts> split_protobuf_list(std::string_view list) {
  const Result<meta::Unknown> unknown = meta::open_envelope(list);
  if (!unknown) return unknown.error();
  ListParts parts;
  parts.encoding = Encoding::Protobuf;
  parts.type = {std::string(unknown->api_version), std::string(unknown->kind)};
  if (!parts.type.kind.ends_with("List")) {
    return wrong_type("not a list", "a list, found kind \"" + parts.type.kind + "\"");
  }
  namespace wire = meta::wire;
  wire::Fault fault;
  const wire::At begin = wire::begin_of(list);
  const wire::At message = wire::begin_of(unknown->raw);
  // Parts of a message that comes in several are one behind the other.
  std::string metadata_bytes;
  const auto read = [&](std::uint32_t tag, wire::At at, wire::At end) -> wire::At {
    if (tag != 10 && tag != 18) return at;
    std::size_t length = 0;
    at = wire::read_length(at, end, length, fault);
    if (at == nullptr) return nullptr;
    if (tag == 18) {
      parts.items.emplace_back(static_cast<std::size_t>(at - begin), length);
    } else {
      metadata_bytes += wire::view(at, at + length);
    }
    return at + length;
  };
  if (wire::read_fields(message, message + unknown->raw.size(), fault, {10, 18}, read) == nullptr &&
      !unknown->raw.empty()) {
    return Error(ErrorCode::Decode,
                 fault.message + " at offset " + std::to_string(fault.at - begin) + " of the list");
  }
  meta::ListMeta metadata;
  if (auto done = meta::read_protobuf(metadata_bytes, meta::ListMeta::descriptor(), &metadata);
      !done) {
    return done.error().with_context("metadata of the list");
  }
  parts.info = {std::move(metadata.resource_version), std::move(metadata.continue_),
                metadata.remaining_item_count};
  return parts;
}

}  // namespace

Result<TypeNames> type_names(std::string_view object) {
  TypeNames names;
  if (encoding_of(object) == Encoding::Protobuf) {
    const Result<meta::Unknown> unknown = meta::open_envelope(object);
    if (!unknown) return unknown.error();
    names = {std::string(unknown->api_version), std::string(unknown->kind)};
    return names;
  }
  json::Reader reader(object);
  if (reader.failed() || reader.peek() != '{') return explain(object);
  int found = 0;
  std::string storage;
  for (bool more = reader.begin_object(); more && found < 2;) {
    const std::string_view key = key_of(reader, storage);
    if (key == "kind") {
      read_text(reader, names.kind);
      ++found;
    } else if (key == "apiVersion") {
      read_text(reader, names.api_version);
      ++found;
    } else {
      reader.skip();
    }
    if (found < 2) more = reader.next_member();
  }
  if (reader.failed()) return explain(object);
  return names;
}

Result<ListParts> split_list(std::string_view list) {
  if (encoding_of(list) == Encoding::Protobuf) return split_protobuf_list(list);
  ListParts parts;
  bool has_items = false;
  json::Reader reader(list);
  if (reader.failed() || reader.peek() != '{') return explain(list);
  std::string storage;
  for (bool more = reader.begin_object(); more; more = reader.next_member()) {
    const std::string_view key = key_of(reader, storage);
    if (key == "kind") {
      read_text(reader, parts.type.kind);
    } else if (key == "apiVersion") {
      read_text(reader, parts.type.api_version);
    } else if (key == "metadata") {
      read_list_info(reader, parts.info);
    } else if (key == "items") {
      if (has_items) return wrong_type("items", "them once");
      has_items = true;
      if (auto read = read_items(reader, parts); !read) return read.error();
    } else {
      reader.skip();
    }
  }
  if (!reader.at_end()) return explain(list);
  // Whoever writes lists in Go leaves an empty one out where the type allows it.
  if (!has_items && !parts.type.kind.ends_with("List"))
    return wrong_type("not a list", "an object with items");
  return parts;
}

Result<EventParts> split_event(std::string_view event) {
  EventParts parts;
  json::Reader reader(event);
  if (reader.failed() || reader.peek() != '{') return explain(event);
  std::string storage;
  for (bool more = reader.begin_object(); more; more = reader.next_member()) {
    const std::string_view key = key_of(reader, storage);
    if (key == "type") {
      read_text(reader, parts.type);
    } else if (key == "object" && reader.peek() == '{') {
      const std::size_t offset = reader.offset();
      std::string_view object;
      if (!reader.skip(object)) break;
      parts.object = event.substr(offset, object.size());
    } else {
      reader.skip();
    }
  }
  if (!reader.at_end()) return explain(event);
  if (parts.object.empty()) return wrong_type("watch event without object", "an object");
  return parts;
}

}  // namespace kube
