// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/protobuf.hpp>
#include <kube/codec/watch_frames.hpp>

#include "statement_writers.hpp"

namespace kube::lying {
namespace {

// Field numbers of the messages.
constexpr std::uint32_t kMetadata = 1;
constexpr std::uint32_t kSpec = 2;
constexpr std::uint32_t kStatus = 3;

void put_varint(std::uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}
void put_number(std::uint32_t field, std::uint64_t value, std::string& out) {
  put_varint(std::uint64_t{field} << 3, out);
  put_varint(value, out);
}
void put_text(std::uint32_t field, std::string_view text, std::string& out) {
  put_varint(std::uint64_t{field} << 3 | 2, out);
  put_varint(text.size(), out);
  out += text;
}
void put_said(std::uint32_t field, const Said& said, std::string& out) {
  if (said.as == Said::As::Text) put_text(field, said.text, out);
  if (said.as == Said::As::Other) put_number(field, said.text.size(), out);
}
void put_pair(std::uint32_t field, std::string_view key, std::string_view value, std::string& out) {
  std::string entry;
  put_text(1, key, entry);
  put_text(2, value, entry);
  put_text(field, entry, out);
}

std::string metadata_of(const ObjectStatement& object, const std::string& initial_events_end) {
  std::string out;
  put_said(1, object.name, out);
  put_said(3, object.namespace_, out);
  put_said(5, object.uid, out);
  put_said(6, object.version, out);
  if (object.shape == Shape::BadUtf8) {
    put_pair(11, "app", "\xc3\x28\xff", out);
  } else if (object.shape == Shape::Labels) {
    put_number(11, 1, out);
  } else if (!object.app.empty()) {
    put_pair(11, "app", object.app, out);
  }
  if (object.padding != 0) put_pair(12, "padding", std::string(object.padding, 'p'), out);
  if (!initial_events_end.empty()) {
    put_pair(12, "k8s.io/initial-events-end", initial_events_end, out);
  }
  return out;
}

// The bare message; what is no object in JSON is broken in one way or another.
std::string message_of(const ObjectStatement& object, const std::string& initial_events_end) {
  std::string out;
  switch (object.shape) {
    case Shape::Null:
    case Shape::Empty:
      return out;
    case Shape::Number:
      return std::string(1, '\x11');
    case Shape::Text:
      return "object";
    case Shape::Array:
      return std::string(8, '\xff');
    case Shape::NullMetadata:
      put_number(kMetadata, 0, out);
      break;
    case Shape::TextMetadata:
      put_text(kMetadata, "name", out);
      break;
    case Shape::ListMetadata:
      put_text(kMetadata, std::string(3, '\xff'), out);
      break;
    case Shape::NoMetadata:
      break;
    default:
      put_text(kMetadata, metadata_of(object, initial_events_end), out);
  }
  if (object.shape == Shape::TwiceMetadata) {
    std::string second;
    put_text(1, "twice", second);
    put_text(kMetadata, second, out);
  }
  if (!object.node.empty()) {
    std::string spec;
    put_text(10, object.node, spec);
    put_text(kSpec, spec, out);
  }
  if (object.shape == Shape::Deep) {
    std::string nested;
    for (std::size_t i = 0; i < kTooDeep; ++i) {
      std::string outer;
      put_text(1, nested, outer);
      nested = std::move(outer);
    }
    put_text(kStatus, nested, out);
  }
  return out;
}

std::string enveloped(std::string_view kind, std::string_view raw) {
  std::string out;
  meta::write_envelope(
      {.api_version = "v1", .kind = kind, .raw = raw, .content_encoding = {}, .content_type = {}},
      out);
  return out;
}

}  // namespace

std::string write_protobuf(const ListStatement& list) {
  std::string metadata;
  put_said(2, list.version, metadata);
  put_said(3, list.token, metadata);
  std::string raw;
  if (!list.metadata_instead) put_text(1, metadata, raw);
  if (list.envelope_padding != 0) put_text(9, std::string(list.envelope_padding, 'p'), raw);
  if (!list.items_instead) {
    for (int i = 0; i < (list.items_twice ? 2 : 1); ++i) {
      for (const ObjectStatement& item : list.items) put_text(2, message_of(item, {}), raw);
    }
  }
  return enveloped(list.kind, raw);
}

std::string write_protobuf(const StatusStatement& status) {
  if (!status.instead.empty()) return status.instead;
  std::string details;
  if (!status.cause.empty()) {
    std::string cause;
    put_text(1, status.cause, cause);
    put_text(4, cause, details);
  }
  if (status.retry_after) {
    put_number(5, static_cast<std::uint64_t>(*status.retry_after), details);
  }
  std::string raw;
  put_text(1, {}, raw);
  put_text(2, "Failure", raw);
  if (status.message) put_text(3, *status.message, raw);
  put_text(4, status.reason, raw);
  if (!details.empty()) put_text(5, details, raw);
  put_number(6, static_cast<std::uint64_t>(status.code), raw);
  return enveloped("Status", raw);
}

std::string write_protobuf(const EventStatement& event) {
  std::string object;
  if (event.status) {
    object = write_protobuf(*event.status);
  } else if (event.object) {
    object = enveloped(event.object->shape == Shape::OtherKind ? "Service" : "Pod",
                       message_of(*event.object, event.initial_events_end));
  }
  std::string out;
  meta::write_watch_frame({event.type.text, object}, out);
  return out;
}

std::string write(const ListStatement& list, Encoding encoding) {
  return encoding == Encoding::Json ? write_json(list) : write_protobuf(list);
}
std::string write(const EventStatement& event, Encoding encoding) {
  return encoding == Encoding::Json ? write_json(event) : write_protobuf(event);
}
std::string write(const StatusStatement& status, Encoding encoding) {
  return encoding == Encoding::Json ? write_json(status) : write_protobuf(status);
}

}  // namespace kube::lying
