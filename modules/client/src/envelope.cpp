// SPDX-License-Identifier: Apache-2.0
//
// Reads apiVersion and kind of an object in either encoding.
#include "envelope.hpp"

#include <kube/client/content.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/json/reader.hpp>

namespace kube {
namespace {

// The first pass only detects an error; this one finds it.
Error explain(std::string_view text) {
  if (const auto mistake = json::find_syntax_error(text)) return mistake->to_error();
  return {ErrorCode::Decode, "json: expected an object"};
}

// Returns the key of the next member, unescaped: in `storage` when it has escapes.
std::string_view key_of(json::Reader& reader, std::string& storage) {
  const std::string_view key = reader.key();
  if (key.find('\\') == std::string_view::npos) return key;
  storage.clear();
  reader.read_key_text(storage);
  return storage;
}

// Reads a string member; null and other types count as absent.
void read_text(json::Reader& reader, std::string& out) {
  if (reader.peek() != '"') {
    reader.skip();
    return;
  }
  out.clear();
  reader.read_string(out);
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

}  // namespace kube
