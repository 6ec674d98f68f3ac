// SPDX-License-Identifier: Apache-2.0
#include "encoding.hpp"

#include <kube/json/writer.hpp>
#include <kube/json/yaml.hpp>

#include "conversion.hpp"

namespace kube::apiserver {
namespace {

std::string_view event_name(EventType type) {
  switch (type) {
    case EventType::Added:
      return "ADDED";
    case EventType::Modified:
      return "MODIFIED";
    case EventType::Deleted:
      return "DELETED";
  }
  return "ERROR";
}

void append_type_meta(std::string_view kind, std::string_view api_version, std::string& out) {
  out += "\"kind\":";
  json::write_string(kind, out);
  out += ",\"apiVersion\":";
  json::write_string(api_version, out);
}

void append_list_head(std::string_view kind, std::string_view api_version, const ListFacts& facts,
                      std::string& out) {
  out += '{';
  append_type_meta(kind, api_version, out);
  out += ",\"metadata\":{\"resourceVersion\":\"";
  json::write_uint(facts.revision, out);
  out += '"';
  if (!facts.continue_.empty()) {
    out += ",\"continue\":";
    json::write_string(facts.continue_, out);
  }
  if (facts.remaining != 0) {
    out += ",\"remainingItemCount\":";
    json::write_uint(facts.remaining, out);
  }
  out += "},\"items\":[";
}

class JsonBase : public Encoding {
 public:
  std::string_view content_type() const override { return "application/json"; }
  std::string_view watch_content_type() const override { return "application/json"; }
  void list_tail(std::string& out) const override { out += "]}\n"; }

  void event(const Resource& resource, EventType type, const StoredObject& object,
             std::uint64_t revision, std::string& out) const override {
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

  void bookmark(const Resource& resource, std::uint64_t revision, bool initial_end,
                std::string& out) const override {
    out += "{\"type\":\"BOOKMARK\",\"object\":{";
    type_meta(resource, out);
    out += ",\"metadata\":{\"resourceVersion\":\"";
    json::write_uint(revision, out);
    out += '"';
    if (initial_end) out += ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}";
    out += "}}}\n";
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
};

class PlainJson final : public JsonBase {
 public:
  void list_head(const Resource& resource, const ListFacts& facts,
                 std::string& out) const override {
    append_list_head(resource.list_kind, resource.gvk.api_version(), facts, out);
  }

  // Items of a typed list go without kind and apiVersion, those of custom resources with them.
  void list_item(const Resource& resource, const StoredObject& object, bool first,
                 std::string& out) const override {
    if (!first) out += ',';
    if (resource.is_custom() || !reads_as_stored(object, resource)) {
      document(resource, object, object.revision, out);
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
    if (!reads_as_stored(object, resource)) {
      converted(resource, object, revision, out);
      return;
    }
    out += '{';
    type_meta(resource, out);
    out += ',';
    if (revision == object.revision) {
      out += object.body;
    } else {
      append_body(object, revision, out);
    }
  }

 private:
  static void converted(const Resource& resource, const StoredObject& object,
                        std::uint64_t revision, std::string& out) {
    Result<json::Value> content = decode_object(object, resource);
    if (!content) return;  // stored text is our own and always reads
    if (revision != object.revision) {
      content->ensure_path({"metadata", "resourceVersion"}) = std::to_string(revision);
    }
    json::dump_to(*content, out);
  }
};

class MetadataJson final : public JsonBase {
 public:
  void list_head(const Resource&, const ListFacts& facts, std::string& out) const override {
    append_list_head("PartialObjectMetadataList", "meta.k8s.io/v1", facts, out);
  }
  void list_item(const Resource& resource, const StoredObject& object, bool first,
                 std::string& out) const override {
    if (!first) out += ',';
    document(resource, object, object.revision, out);
  }

 protected:
  void type_meta(const Resource&, std::string& out) const override {
    append_type_meta("PartialObjectMetadata", "meta.k8s.io/v1", out);
  }
  void document(const Resource& resource, const StoredObject& object, std::uint64_t revision,
                std::string& out) const override {
    const std::string_view body = object.body;
    out += '{';
    type_meta(resource, out);
    out += ',';
    if (revision == object.revision) {
      out += body.substr(0, object.metadata_size);
      out += '}';
      return;
    }
    out += body.substr(0, object.revision_at);
    json::write_uint(revision, out);
    const std::size_t rest = object.revision_at + object.revision_size;
    out += body.substr(rest, object.metadata_size - rest);
    out += '}';
  }
};

}  // namespace

const Encoding& json_encoding(Transform transform) {
  static const PlainJson plain;
  static const MetadataJson metadata;
  if (transform == Transform::None) return plain;
  return metadata;
}

std::string to_media(std::string json, MediaType media) {
  if (media == MediaType::Yaml) {
    if (auto value = json::parse(json)) return yaml::dump(*value);
  }
  if (!json.ends_with('\n')) json += '\n';
  return json;
}

}  // namespace kube::apiserver
