// SPDX-License-Identifier: Apache-2.0
#include "forms/protobuf_encoding.hpp"

#include <stdexcept>
#include <utility>

#include <kube/api/types.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/transcode.hpp>
#include <kube/codec/watch_frames.hpp>
#include <kube/codec/wire.hpp>

#include "forms/json_encoding.hpp"

namespace kube::serving {
namespace {

constexpr std::uint32_t kMetadata = 1;         // in every kind
constexpr std::uint32_t kItems = 2;            // in every list
constexpr std::uint32_t kResourceVersion = 6;  // in ObjectMeta

/// Returns the metadata field, with which each message written by this server begins.
meta::wire::Field metadata_field(std::string_view message) {
  meta::wire::Fields fields(message);
  for (const meta::wire::Field& field : fields) {
    if (field.number() == kMetadata) return field;
    break;
  }
  return {};
}

std::string_view whole_metadata(std::string_view message) {
  const meta::wire::Field field = metadata_field(message);
  return field.begin == nullptr ? std::string_view() : field.whole();
}

/// Returns the message with another resourceVersion.
std::string at_revision(std::string_view message, std::uint64_t revision) {
  const meta::wire::Field metadata = metadata_field(message);
  std::string changed;
  meta::wire::Fields fields(metadata.value);
  for (const meta::wire::Field& field : fields) {
    if (field.number() == kResourceVersion) {
      meta::wire::append_field(kResourceVersion, std::to_string(revision), changed);
    } else {
      changed += field.whole();
    }
  }
  std::string out;
  meta::wire::append_field(kMetadata, changed, out);
  out += message.substr(metadata.begin == nullptr ? 0 : metadata.whole().size());
  return out;
}

void write_object_envelope(std::string_view api_version, std::string_view kind,
                           std::string_view message, std::string& out) {
  meta::write_envelope({.api_version = api_version, .kind = kind, .raw = message}, out);
}

// An object that does not fit its type's message is never stored.
std::string must(Result<std::string> message) {
  if (!message) throw std::runtime_error("encode protobuf: " + message.error().message());
  return *std::move(message);
}

class ProtobufBase : public Encoding {
 public:
  ProtobufBase() : Encoding(MediaType::Protobuf) {}
  std::string_view watch_content_type() const override {
    return "application/vnd.kubernetes.protobuf;stream=watch";
  }

  void object(const Resource& resource, const StoredObject& object,
              std::string& out) const override {
    std::string scratch;
    enveloped(resource, message(resource, object, scratch), out);
  }

  bool needs_sizes() const override { return true; }
  std::size_t item_size(const Resource& resource, const StoredObject& object) const override {
    std::string scratch;
    const std::size_t size = message(resource, object, scratch).size();
    return 1 + meta::wire::varint_size(size) + size;
  }
  void list_item(const Resource& resource, const StoredObject& object, bool,
                 std::string& out) const override {
    std::string scratch;
    meta::wire::append_field(kItems, message(resource, object, scratch), out);
  }
  void list_tail(std::string& out) const override { out += kTail; }

  void event(const Resource& resource, EventType type, const StoredObject& object,
             std::uint64_t revision, bool, std::string& out) const override {
    std::string scratch;
    std::string_view shown = message(resource, object, scratch);
    std::string changed;
    if (revision != object.revision) {
      changed = at_revision(shown, revision);
      shown = changed;
    }
    std::string whole;
    enveloped(resource, shown, whole);
    meta::write_watch_frame({event_name(type), whole}, out);
  }

  void bookmark(const Resource& resource, std::uint64_t revision, bool initial_end, bool,
                std::string& out) const override {
    std::string json = "{\"metadata\":";
    append_bookmark_metadata(revision, initial_end, json);
    json += '}';
    std::string whole;
    enveloped(resource, must(meta::json_to_message(type_of(resource), json)), whole);
    meta::write_watch_frame({"BOOKMARK", whole}, out);
  }

  void error_event(const json::Value& status, std::string& out) const override {
    static const meta::TypeDescriptor& type = *api::find_type("v1", "Status");
    std::string whole;
    const std::string message = must(meta::json_to_message(type, json::dump(status)));
    write_object_envelope("v1", "Status", message, whole);
    meta::write_watch_frame({"ERROR", whole}, out);
  }

 protected:
  virtual const meta::TypeDescriptor& type_of(const Resource& resource) const = 0;
  virtual std::string_view message(const Resource& resource, const StoredObject& object,
                                   std::string& scratch) const = 0;
  virtual void enveloped(const Resource& resource, std::string_view message,
                         std::string& out) const = 0;

  /// Appends the envelope's head and the list's metadata; items and tail follow.
  static void begin_list(const meta::TypeDescriptor& type, std::string_view kind,
                         std::string_view api_version, const ListFacts& facts, std::string& out) {
    std::string json = "{\"metadata\":";
    append_list_metadata(facts, json);
    json += '}';
    const std::string metadata = must(meta::json_to_message(type, json));
    // The envelope of an empty message ends with the message's length, 0, and the tail.
    std::string envelope;
    write_object_envelope(api_version, kind, {}, envelope);
    envelope.resize(envelope.size() - kTail.size() - 1);
    out += envelope;
    meta::wire::append_varint(metadata.size() + facts.items_size, out);
    out += metadata;
  }

 protected:
  /// contentEncoding and contentType, both empty.
  static constexpr std::string_view kTail{"\x1a\0\x22\0", 4};
};

class PlainProtobuf final : public ProtobufBase {
 public:
  std::optional<Around> around_object(const Resource& resource,
                                      const StoredObject& object) const override {
    if (!is_as_sent(resource, object)) return std::nullopt;
    return Around{envelope_head(resource, object), object.message.bytes, kTail};
  }
  std::optional<Around> around_item(const Resource& resource, const StoredObject& object,
                                    bool) const override {
    if (!is_as_sent(resource, object)) return std::nullopt;
    Around out{{}, object.message.bytes, {}};
    append_bytes_tag(kItems, object.message.bytes.size(), out.before);
    return out;
  }
  std::optional<Around> around_event(const Resource& resource, EventType type,
                                     const StoredObject& object,
                                     std::uint64_t revision) const override {
    if (revision != object.revision || !is_as_sent(resource, object)) return std::nullopt;
    const std::string head = envelope_head(resource, object);
    // WatchEvent: type, and a RawExtension with the envelope.
    const std::size_t whole = head.size() + object.message.bytes.size() + kTail.size();
    std::string raw;
    append_bytes_tag(1, whole, raw);
    std::string frame;
    meta::wire::append_field(1, event_name(type), frame);
    append_bytes_tag(2, raw.size() + whole, frame);
    frame += raw;
    Around out{{}, object.message.bytes, kTail};
    const std::size_t length = frame.size() + whole;
    for (int shift = 24; shift >= 0; shift -= 8) {
      out.before += static_cast<char>(length >> static_cast<unsigned>(shift) & 0xffU);
    }
    out.before.append(frame).append(head);
    return out;
  }

  void list_head(const Resource& resource, const ListFacts& facts,
                 std::string& out) const override {
    begin_list(*resource.list_type, resource.list_kind, resource.gvk.api_version(), facts, out);
  }

 protected:
  const meta::TypeDescriptor& type_of(const Resource& resource) const override {
    return *resource.type;
  }
  std::string_view message(const Resource& resource, const StoredObject& object,
                           std::string& scratch) const override {
    return protobuf_message(object, resource, *resource.type, scratch);
  }
  void enveloped(const Resource& resource, std::string_view message,
                 std::string& out) const override {
    write_object_envelope(resource.gvk.api_version(), resource.gvk.kind, message, out);
  }

 private:
  static bool is_as_sent(const Resource& resource, const StoredObject& object) {
    return object.is_worth_borrowing() && object.body.empty() &&
           object.message.type == resource.type;
  }
  static void append_bytes_tag(std::uint32_t number, std::size_t size, std::string& out) {
    meta::wire::append_varint(number << 3U | meta::wire::Bytes, out);
    meta::wire::append_varint(size, out);
  }
  /// The envelope before the message.
  static std::string envelope_head(const Resource& resource, const StoredObject& object) {
    std::string out;
    write_object_envelope(resource.gvk.api_version(), resource.gvk.kind, {}, out);
    // That of an empty message ends with the message's length, 0, and the tail.
    out.resize(out.size() - kTail.size() - 1);
    meta::wire::append_varint(object.message.bytes.size(), out);
    return out;
  }
};

class MetadataProtobuf final : public ProtobufBase {
 public:
  explicit MetadataProtobuf(std::string_view version)
      : api_version_("meta.k8s.io/" + std::string(version)),
        type_(*api::find_type("meta.k8s.io/v1", "PartialObjectMetadata")),
        list_type_(*api::find_type("meta.k8s.io/v1", "PartialObjectMetadataList")) {}

  void list_head(const Resource&, const ListFacts& facts, std::string& out) const override {
    begin_list(list_type_, "PartialObjectMetadataList", api_version_, facts, out);
  }

 protected:
  const meta::TypeDescriptor& type_of(const Resource&) const override { return type_; }
  // A whole message begins with the metadata, the only part that this one needs.
  std::string_view message(const Resource& resource, const StoredObject& object,
                           std::string& scratch) const override {
    const meta::TypeDescriptor& type = resource.is_typed() ? *resource.type : type_;
    if (const auto bare = without_whole_annotation(object, resource)) {
      std::string unused;
      return scratch = whole_metadata(protobuf_message(*bare, resource, type, unused));
    }
    return whole_metadata(protobuf_message(object, resource, type, scratch));
  }
  void enveloped(const Resource&, std::string_view message, std::string& out) const override {
    write_object_envelope(api_version_, "PartialObjectMetadata", message, out);
  }

 private:
  const std::string api_version_;
  const meta::TypeDescriptor& type_;
  const meta::TypeDescriptor& list_type_;
};

}  // namespace

EncodingPtr make_protobuf_encoding(const Accepted& accepted) {
  if (accepted.transform == Transform::None) return std::make_shared<const PlainProtobuf>();
  return std::make_shared<const MetadataProtobuf>(accepted.meta_version);
}

}  // namespace kube::serving
