// SPDX-License-Identifier: Apache-2.0
#include "forms/protobuf_encoding.hpp"

#include <stdexcept>
#include <utility>

#include <kube/api/types.hpp>
#include <kube/codec/watch_frames.hpp>
#include <kube/codec/wire.hpp>

#include "documents/typed_codec.hpp"
#include "forms/json_encoding.hpp"

namespace kube::apiserver {
namespace {

constexpr char kMetadataTag = 0x0a;         // field 1 of every kind
constexpr char kItemsTag = 0x12;            // field 2 of every list
constexpr char kResourceVersionTag = 0x32;  // field 6 of ObjectMeta

/// Walks over a message of our own making; only its length-delimited fields are of interest.
class Walker {
 public:
  explicit Walker(std::string_view message) : message_(message) {}

  std::size_t at() const { return at_; }
  bool done() const { return at_ >= message_.size(); }
  char tag() { return message_[at_++]; }
  std::string_view text() {
    const std::size_t size = varint();
    const std::string_view found = message_.substr(at_, size);
    at_ += found.size();
    return found;
  }
  void skip(char tag) {
    if ((tag & 7) == 0) {
      varint();
    } else {
      text();
    }
  }

 private:
  std::size_t varint() {
    std::size_t value = 0;
    for (unsigned shift = 0; at_ < message_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(message_[at_++]);
      value |= static_cast<std::size_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  std::string_view message_;
  std::size_t at_ = 0;
};

/// The metadata field at the beginning of a message, with its tag.
std::string_view metadata_field(std::string_view message) {
  Walker walker(message);
  if (walker.done() || walker.tag() != kMetadataTag) return {};
  walker.text();
  return message.substr(0, walker.at());
}

/// The message with another resourceVersion.
std::string at_revision(std::string_view message, std::uint64_t revision) {
  const std::string_view field = metadata_field(message);
  Walker outer(field);
  outer.tag();
  const std::string_view metadata = outer.text();
  Walker walker(metadata);
  std::size_t begin = 0;
  std::size_t end = 0;
  while (!walker.done()) {
    begin = walker.at();
    const char tag = walker.tag();
    walker.skip(tag);
    end = walker.at();
    if (tag == kResourceVersionTag) break;
  }
  const std::string digits = std::to_string(revision);
  std::string changed(metadata.substr(0, begin));
  changed += kResourceVersionTag;
  meta::wire::append_varint(digits.size(), changed);
  changed += digits;
  changed += metadata.substr(end);
  std::string out(1, kMetadataTag);
  meta::wire::append_varint(changed.size(), out);
  out += changed;
  out += message.substr(field.size());
  return out;
}

// What can't be said in the type's message never gets into the store.
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
    const std::string_view item = message(resource, object, scratch);
    out += kItemsTag;
    meta::wire::append_varint(item.size(), out);
    out += item;
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
    enveloped(resource, must(json_to_message(type_of(resource), json)), whole);
    meta::write_watch_frame({"BOOKMARK", whole}, out);
  }

  void error_event(const json::Value& status, std::string& out) const override {
    static const meta::TypeDescriptor& type = *api::find_type("v1", "Status");
    std::string whole;
    const std::string message = must(json_to_message(type, json::dump(status)));
    write_object_envelope("v1", "Status", message, whole);
    meta::write_watch_frame({"ERROR", whole}, out);
  }

 protected:
  virtual const meta::TypeDescriptor& type_of(const Resource& resource) const = 0;
  virtual std::string_view message(const Resource& resource, const StoredObject& object,
                                   std::string& scratch) const = 0;
  virtual void enveloped(const Resource& resource, std::string_view message,
                         std::string& out) const = 0;

  /// The envelope's head and the list's metadata; items and tail follow.
  static void begin_list(const meta::TypeDescriptor& type, std::string_view kind,
                         std::string_view api_version, const ListFacts& facts, std::string& out) {
    std::string json = "{\"metadata\":";
    append_list_metadata(facts, json);
    json += '}';
    const std::string metadata = must(json_to_message(type, json));
    // The envelope of an empty message ends with that and the tail.
    std::string envelope;
    write_object_envelope(api_version, kind, {}, envelope);
    envelope.resize(envelope.size() - kTail.size() - 1);
    out += envelope;
    meta::wire::append_varint(metadata.size() + facts.items_size, out);
    out += metadata;
  }

 private:
  /// contentEncoding and contentType, both empty.
  static constexpr std::string_view kTail{"\x1a\0\x22\0", 4};
};

class PlainProtobuf final : public ProtobufBase {
 public:
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
  // A whole message begins with the metadata, which is all that this one has.
  std::string_view message(const Resource& resource, const StoredObject& object,
                           std::string& scratch) const override {
    const meta::TypeDescriptor& type = resource.is_typed() ? *resource.type : type_;
    return metadata_field(protobuf_message(object, resource, type, scratch));
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

}  // namespace kube::apiserver
