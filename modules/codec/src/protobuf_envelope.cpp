// SPDX-License-Identifier: Apache-2.0
//
// The magic and the runtime.Unknown around a message.
#include <kube/codec/protobuf.hpp>

#include <kube/codec/wire.hpp>
#include <kube/names/go_text.hpp>
#include "protobuf_decode.hpp"
#include "protobuf_encode.hpp"
#include "type_facts.hpp"

namespace kube::meta {
namespace {

constexpr std::string_view kContentType = "application/vnd.kubernetes.protobuf";

// Write the parts of an envelope before and after the message.
void put_head(std::string_view api_version, std::string_view kind, wire::Output& out) {
  const std::size_t before = out.size();
  out.text_field(18, kind);
  out.text_field(10, api_version);
  out.close(before, 10);
  out.bytes(kProtobufMagic);
}
void put_tail(std::string_view content_encoding, std::string_view content_type, wire::Output& out) {
  out.text_field(34, content_type);
  out.text_field(26, content_encoding);
}

}  // namespace

Result<Unknown> open_envelope(std::string_view bytes) {
  if (!is_protobuf(bytes)) {
    return Error(ErrorCode::Decode,
                 "provided data does not appear to be a protobuf message, expected prefix [107 56 "
                 "115 0]");
  }
  const auto wrong = [&](const wire::Fields& fields) {
    return fields.error(bytes).with_context("read runtime.Unknown");
  };
  Unknown unknown;
  wire::Fields fields(bytes.substr(kProtobufMagic.size()));
  for (const wire::Field& field : fields) {
    if (field.number() > 4 || !fields.expect_bytes(field)) continue;
    if (field.number() != 1) {
      (field.number() == 2   ? unknown.raw
       : field.number() == 3 ? unknown.content_encoding
                             : unknown.content_type) = field.value;
      continue;
    }
    wire::Fields type(field.value);
    for (const wire::Field& part : type) {
      if (part.number() > 4 || !type.expect_bytes(part)) continue;
      if (part.number() == 1) unknown.api_version = part.value;
      if (part.number() == 2) unknown.kind = part.value;
    }
    if (type.fault()) return wrong(type);
  }
  if (fields.fault()) return wrong(fields);
  // Callers compute offsets from it.
  if (unknown.raw.data() == nullptr) unknown.raw = bytes.substr(bytes.size());
  return unknown;
}

void write_envelope(const Unknown& unknown, std::string& out) {
  wire::Output tail;
  put_tail(unknown.content_encoding, unknown.content_type, tail);
  wire::Output head;
  head.varint(unknown.raw.size());
  head.byte(18);
  put_head(unknown.api_version, unknown.kind, head);
  out.reserve(out.size() + head.size() + unknown.raw.size() + tail.size());
  out += head.text();
  out += unknown.raw;
  out += tail.text();
}

Result<void> read_enveloped(std::string_view bytes, const TypeDescriptor& type, void* object) {
  const auto failed = [&](std::string message) {
    return Error(ErrorCode::Decode, std::move(message))
        .with_context("read " + std::string(label_of(type)));
  };
  if (!has_protobuf(type)) return failed("the type has no protobuf form");
  const auto unknown = open_envelope(bytes);
  if (!unknown) return unknown.error().with_context("read " + std::string(label_of(type)));
  const auto expected = [&](std::string_view what, std::string_view wanted,
                            std::string_view found) {
    return failed(std::string(what) + ": expected " + go::quote(wanted) + ", found " +
                  go::quote(found) + " at offset " +
                  std::to_string(static_cast<std::size_t>(found.data() - bytes.data())));
  };
  if (!type.kind.empty()) {
    const std::string version = api_version_of(type);
    if (!unknown->api_version.empty() && unknown->api_version != version)
      return expected("apiVersion", version, unknown->api_version);
    if (!unknown->kind.empty() && unknown->kind != type.kind)
      return expected("kind", type.kind, unknown->kind);
  }
  if (!unknown->content_type.empty() && unknown->content_type != kContentType)
    return expected("contentType", kContentType, unknown->content_type);
  if (!unknown->content_encoding.empty())
    return expected("contentEncoding", "", unknown->content_encoding);
  return read_protobuf_at(static_cast<std::size_t>(unknown->raw.data() - bytes.data()),
                          unknown->raw, type, object);
}

Result<void> write_enveloped(const void* object, const TypeDescriptor& type, std::string& out) {
  if (!has_protobuf(type)) {
    return Error(ErrorCode::InvalidArgument,
                 std::string(label_of(type)) + " has no protobuf form, only JSON");
  }
  wire::Output written;
  put_tail({}, {}, written);
  const std::size_t before = written.size();
  write_message_backwards(object, type, written);
  written.close(before, 18);
  put_head(api_version_of(type), type.kind, written);
  out += written.text();
  return {};
}

}  // namespace kube::meta
