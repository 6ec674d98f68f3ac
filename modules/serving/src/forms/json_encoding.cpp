// SPDX-License-Identifier: Apache-2.0
#include "forms/json_encoding.hpp"

#include <memory>
#include <optional>

#include <kube/json/writer.hpp>

namespace kube::serving {
namespace {

// `named`: with kind and apiVersion.
void append_converted(const Resource& resource, const StoredObject& object, std::uint64_t revision,
                      bool named, std::string& out) {
  Result<json::Value> content = decode_object(object, resource);
  if (!content) return;  // the server wrote the stored text, so it parses
  if (!named) {
    for (const std::string_view key : {"kind", "apiVersion"}) content->if_object()->erase(key);
  }
  if (revision != object.revision) {
    content->ensure_path({"metadata", "resourceVersion"}) = std::to_string(revision);
  }
  json::dump_to(*content, out);
}

class JsonBase : public Encoding {
 public:
  using Encoding::Encoding;
  void list_tail(std::string& out) const override { out += "]}\n"; }

  void event(const Resource& resource, EventType type, const StoredObject& object,
             std::uint64_t revision, bool, std::string& out) const override {
    out += "{\"type\":\"";
    out += event_name(type);
    out += "\",\"object\":";
    document(resource, object, revision, out);
    out += "}\n";
  }

  void object(const Resource& resource, const StoredObject& object,
              std::string& out) const override {
    document(resource, object, object.revision, out);
  }

  void bookmark(const Resource& resource, std::uint64_t revision, bool initial_end, bool,
                std::string& out) const override {
    out += "{\"type\":\"BOOKMARK\",\"object\":{";
    type_meta(resource, out);
    out += ",\"metadata\":";
    append_bookmark_metadata(revision, initial_end, out);
    out += "}}\n";
  }

  void error_event(const json::Value& status, std::string& out) const override {
    out += "{\"type\":\"ERROR\",\"object\":";
    json::dump_to(status, out);
    out += "}\n";
  }

 protected:
  virtual void type_meta(const Resource& resource, std::string& out) const = 0;
  virtual void document(const Resource& resource, const StoredObject& object,
                        std::uint64_t revision, std::string& out) const = 0;

  static void begin_list(std::string_view kind, std::string_view api_version,
                         const ListFacts& facts, std::string& out, bool with_token = false) {
    out += '{';
    append_type_meta(kind, api_version, out);
    out += ",\"metadata\":";
    append_list_metadata(facts, out, with_token);
    out += ",\"items\":[";
  }
};

class PlainJson final : public JsonBase {
 public:
  using JsonBase::JsonBase;

  bool is_as_sent(const Resource& resource, const StoredObject& object) const {
    return media() == MediaType::Json && object.is_worth_borrowing() && !object.body.empty() &&
           reads_as_stored(object, resource);
  }
  static std::string typed_head(const Resource& resource) {
    std::string out = "{";
    append_type_meta(resource.gvk.kind, resource.gvk.api_version(), out);
    return out += ',';
  }
  void list_head(const Resource& resource, const ListFacts& facts,
                 std::string& out) const override {
    // Lists of custom resources have a token, the last ones an empty one.
    begin_list(resource.list_kind, resource.gvk.api_version(), facts, out, resource.is_custom());
  }

  std::optional<Around> around_object(const Resource& resource,
                                      const StoredObject& object) const override {
    if (!is_as_sent(resource, object)) return std::nullopt;
    return Around{typed_head(resource), object.body, "\n"};
  }
  std::optional<Around> around_item(const Resource& resource, const StoredObject& object,
                                    bool first) const override {
    if (!is_as_sent(resource, object)) return std::nullopt;
    std::string before = first ? "" : ",";
    before += resource.is_custom() ? typed_head(resource) : "{";
    return Around{std::move(before), object.body, ""};
  }
  std::optional<Around> around_event(const Resource& resource, EventType type,
                                     const StoredObject& object,
                                     std::uint64_t revision) const override {
    if (revision != object.revision || !is_as_sent(resource, object)) return std::nullopt;
    std::string before = "{\"type\":\"";
    before.append(event_name(type)).append("\",\"object\":").append(typed_head(resource));
    return Around{std::move(before), object.body, "}\n"};
  }

  // Items of a typed list have no kind and apiVersion; those of custom resources do.
  void list_item(const Resource& resource, const StoredObject& given, bool first,
                 std::string& out) const override {
    std::optional<StoredObject> scratch;
    const StoredObject& object = with_json(given, resource, scratch);
    if (!first) out += ',';
    if (resource.is_custom()) {
      append_document(resource, object, object.revision, out);
    } else if (!reads_as_stored(object, resource)) {
      append_converted(resource, object, object.revision, false, out);
    } else {
      out += '{';
      out += object.body;
    }
  }

 protected:
  void type_meta(const Resource& resource, std::string& out) const override {
    append_type_meta(resource.gvk.kind, resource.gvk.api_version(), out);
  }
  void document(const Resource& resource, const StoredObject& object, std::uint64_t revision,
                std::string& out) const override {
    append_document(resource, object, revision, out);
  }
};

class MetadataJson final : public JsonBase {
 public:
  explicit MetadataJson(const Accepted& accepted)
      : JsonBase(accepted.media),
        api_version_("meta.k8s.io/" + std::string(accepted.meta_version)) {}

  void list_head(const Resource&, const ListFacts& facts, std::string& out) const override {
    begin_list("PartialObjectMetadataList", api_version_, facts, out);
  }
  void list_item(const Resource& resource, const StoredObject& object, bool first,
                 std::string& out) const override {
    if (!first) out += ',';
    document(resource, object, object.revision, out);
  }

 protected:
  void type_meta(const Resource&, std::string& out) const override {
    append_type_meta("PartialObjectMetadata", api_version_, out);
  }
  void document(const Resource& resource, const StoredObject& object, std::uint64_t revision,
                std::string& out) const override {
    append_partial_metadata(resource, object, revision, api_version_, out);
  }

 private:
  const std::string api_version_;
};

}  // namespace

EncodingPtr make_json_encoding(const Accepted& accepted) {
  if (accepted.transform == Transform::None) {
    return std::make_shared<const PlainJson>(accepted.media);
  }
  return std::make_shared<const MetadataJson>(accepted);
}

void append_document(const Resource& resource, const StoredObject& given, std::uint64_t revision,
                     std::string& out) {
  std::optional<StoredObject> scratch;
  const StoredObject& object = with_json(given, resource, scratch);
  if (!reads_as_stored(object, resource)) {
    append_converted(resource, object, revision, true, out);
    return;
  }
  out += '{';
  append_type_meta(resource.gvk.kind, resource.gvk.api_version(), out);
  out += ',';
  if (revision == object.revision) {
    out += object.body;
  } else {
    append_body(object, revision, out);
  }
}

void append_partial_metadata(const Resource& resource, const StoredObject& given,
                             std::uint64_t revision, std::string_view api_version,
                             std::string& out) {
  const std::unique_ptr<StoredObject> bare = without_whole_annotation(given, resource);
  std::optional<StoredObject> scratch;
  const StoredObject& object = with_json(bare ? *bare : given, resource, scratch);
  const std::string_view body = object.body;
  const std::size_t begin = object.metadata_at;
  const std::size_t end = begin + object.metadata_size;
  out += '{';
  append_type_meta("PartialObjectMetadata", api_version, out);
  out += ',';
  if (revision == object.revision) {
    out += body.substr(begin, object.metadata_size);
  } else {
    out += body.substr(begin, object.revision_at - begin);
    json::write_uint(revision, out);
    const std::size_t rest = object.revision_at + object.revision_size;
    out += body.substr(rest, end - rest);
  }
  out += '}';
}

void append_type_meta(std::string_view kind, std::string_view api_version, std::string& out) {
  out += "\"kind\":";
  json::write_string(kind, out);
  out += ",\"apiVersion\":";
  json::write_string(api_version, out);
}

void append_list_metadata(const ListFacts& facts, std::string& out, bool with_token) {
  out += "{\"resourceVersion\":\"";
  json::write_uint(facts.revision, out);
  out += '"';
  if (with_token || !facts.continue_.empty()) {
    out += ",\"continue\":";
    json::write_string(facts.continue_, out);
  }
  if (facts.remaining != 0) {
    out += ",\"remainingItemCount\":";
    json::write_uint(facts.remaining, out);
  }
  out += '}';
}

void append_bookmark_metadata(std::uint64_t revision, bool initial_end, std::string& out) {
  out += "{\"resourceVersion\":\"";
  json::write_uint(revision, out);
  out += '"';
  if (initial_end) out += ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}";
  out += '}';
}

}  // namespace kube::serving
