// SPDX-License-Identifier: Apache-2.0
#include "storage/stored_object.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <kube/codec/transcode.hpp>
#include <kube/json/writer.hpp>

#include "documents/metadata.hpp"

namespace kube::serving {
namespace {

// The members before resourceVersion in metadata. All are strings, whose quotes are escaped, so
// that the first `"resourceVersion":"` in a body is the one of metadata.
constexpr std::array<std::string_view, 4> kMetadataHead = {"name", "generateName", "namespace",
                                                           "uid"};
constexpr std::string_view kRevisionKey = "\"resourceVersion\":\"";

bool in_head(std::string_view key) {
  for (const std::string_view name : kMetadataHead) {
    if (name == key) return true;
  }
  return false;
}

void append_member(std::string_view key, const json::Value& value, std::string& out) {
  json::write_string(key, out);
  out += ':';
  json::dump_to(value, out);
}

/// Writes `"metadata":{...}` in Kubernetes' order and returns the offset of the revision.
std::size_t append_metadata(const json::Object& metadata, std::string& out) {
  out += "\"metadata\":{";
  for (const std::string_view key : kMetadataHead) {
    const json::Value* value = metadata.find(key);
    if (value == nullptr || value->string_or_empty().empty()) continue;
    append_member(key, *value, out);
    out += ',';
  }
  out += kRevisionKey;
  const std::size_t revision_at = out.size();
  out += '"';
  for (const auto& [key, value] : metadata) {
    if (in_head(key) || key == "resourceVersion" || key == "selfLink" || value.is_null()) continue;
    out += ',';
    append_member(key, value, out);
  }
  out += '}';
  return revision_at;
}

Result<std::string> make_message(const StoredObject& object, const Resource& resource,
                                 const meta::TypeDescriptor& type) {
  if (!resource.is_typed()) {
    return meta::json_to_message(
        type,
        "{" + std::string(object.body.substr(object.metadata_at, object.metadata_size)) + "}");
  }
  if (reads_as_stored(object, resource))
    return meta::json_to_message(type, "{" + std::string(object.body));
  const auto content = decode_object(object, resource);
  if (!content) return content.error();
  return meta::json_to_message(type, json::dump(*content));
}

std::string_view member_text(const json::Object& metadata, std::string_view key) {
  const json::Value* value = metadata.find(key);
  return value == nullptr ? std::string_view{} : value->string_or_empty();
}

}  // namespace

std::string field_text(const json::Value& content, const StoredField& field) {
  const json::Value* value = &content;
  for (const std::string& step : field.path) {
    const json::Object* object = value->if_object();
    value = object == nullptr ? nullptr : object->find(step);
    if (value == nullptr) return field.absent;
  }
  if (value->is_string()) return *value->if_string();
  if (value->is_bool() || value->is_number()) return json::dump(*value);
  return field.absent;
}

std::unique_ptr<StoredObject> prepare_object(const json::Value& content, const Resource& resource) {
  auto out = std::make_unique<StoredObject>();
  static const json::Object empty;
  const json::Value* metadata_value = content.at_path({"metadata"});
  const json::Object& metadata = metadata_value != nullptr && metadata_value->is_object()
                                     ? *metadata_value->if_object()
                                     : empty;
  out->name = member_text(metadata, "name");
  out->namespace_ = member_text(metadata, "namespace");
  out->uid = member_text(metadata, "uid");
  out->terminating = !member_text(metadata, "deletionTimestamp").empty();
  if (const json::Value* labels = metadata.find("labels");
      labels != nullptr && labels->is_object()) {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const auto& [key, value] : *labels->if_object()) {
      texts.emplace_back(key, value.string_or_empty());
    }
    set_labels(texts, *out);
  }
  out->schema = resource.schema;
  out->fields.reserve(resource.stored_fields.size());
  for (const StoredField& field : resource.stored_fields) {
    out->fields.push_back(field_text(content, field));
  }
  out->revision_at = append_metadata(metadata, out->own);
  out->metadata_size = out->own.size();
  for (const auto& [key, value] : *content.if_object()) {
    if (key == "kind" || key == "apiVersion" || key == "metadata") continue;
    out->own += ',';
    append_member(key, value, out->own);
  }
  out->own += '}';
  out->body = out->own;
  return out;
}

void set_labels(const std::vector<std::pair<std::string, std::string>>& labels,
                StoredObject& object) {
  std::size_t size = 0;
  for (const auto& [key, value] : labels) size += key.size() + value.size();
  object.label_text.clear();
  object.label_text.reserve(size);
  object.labels.clear();
  object.labels.reserve(labels.size());
  const auto keep = [&](const std::string& text) {
    object.label_text += text;
    return std::string_view(object.label_text).substr(object.label_text.size() - text.size());
  };
  for (const auto& [key, value] : labels) {
    const std::string_view kept = keep(key);
    object.labels.emplace_back(kept, keep(value));
  }
  std::ranges::sort(object.labels);
}

void insert_revision(StoredObject& object, std::string_view text) {
  object.own.reserve(object.own.size() + text.size());
  object.own.insert(object.revision_at, text);
  object.own.shrink_to_fit();
  object.body = object.own;
  object.metadata_size += text.size();
  object.revision_size = text.size();
}

void set_revision(StoredObject& object, std::uint64_t revision) {
  insert_revision(object, std::to_string(revision));
  object.revision = revision;
}

void show_revision(StoredObject& object, std::string_view text) {
  std::string quoted;
  json::write_string(text, quoted);
  insert_revision(object, std::string_view(quoted).substr(1, quoted.size() - 2));
}

void drop_revision(StoredObject& object) {
  // A name precedes it, hence a comma.
  const std::size_t begin = object.revision_at - kRevisionKey.size() - 1;
  object.own.erase(begin, kRevisionKey.size() + 2);
  object.body = object.own;
  object.metadata_size -= kRevisionKey.size() + 2;
}

void append_body(const StoredObject& object, std::uint64_t revision, std::string& out) {
  const std::string_view body = object.body;
  out.append(body.substr(0, object.revision_at));
  json::write_uint(revision, out);
  out.append(body.substr(object.revision_at + object.revision_size));
}

Result<json::Value> decode_stored(const StoredObject& given, const Resource& resource) {
  std::optional<StoredObject> scratch;
  const StoredObject& object = with_json(given, resource, scratch);
  std::string text = "{\"kind\":";
  json::write_string(resource.stored_gvk.kind, text);
  text += ",\"apiVersion\":";
  json::write_string(resource.stored_gvk.api_version(), text);
  text += ',';
  text += object.body;
  return json::parse(text);
}

std::unique_ptr<StoredObject> without_whole_annotation(const StoredObject& object,
                                                       const Resource& resource) {
  const std::string_view annotation = resource.kind->whole_annotation;
  if (annotation.empty()) return nullptr;
  auto content = decode_stored(object, resource);
  const bool has = content && content->at_path({"metadata", "annotations", annotation}) != nullptr;
  if (!has) return nullptr;
  take_annotation(*content, annotation);
  auto out = prepare_object(*content, resource);
  set_revision(*out, object.revision);
  return out;
}

bool reads_as_stored(const StoredObject& object, const Resource& resource) {
  return resource.conversion == nullptr && object.schema == resource.schema;
}

std::string_view protobuf_message(const StoredObject& object, const Resource& resource,
                                  const meta::TypeDescriptor& type, std::string& scratch) {
  EncodedMessage& kept = object.message;
  // The bytes of a borrowed object are held once, by their owner.
  if (!object.borrowed) {
    std::call_once(kept.made, [&] {
      kept.type = &type;
      if (auto message = make_message(object, resource, type)) {
        message->shrink_to_fit();
        kept.own = *std::move(message);
        kept.bytes = kept.own;
      }
    });
  }
  if (kept.type == &type && !kept.bytes.empty()) return kept.bytes;
  auto message = make_message(object, resource, type);
  if (!message) {
    throw std::runtime_error("encode " + object.key() +
                             " in protobuf: " + message.error().message());
  }
  return scratch = *std::move(message);
}

Result<json::Value> decode_object(const StoredObject& object, const Resource& resource) {
  Result<json::Value> stored = decode_stored(object, resource);
  if (!stored) return stored;
  json::Object& content = *stored->if_object();
  content.set("kind", resource.gvk.kind);
  content.set("apiVersion", resource.gvk.api_version());
  if (resource.conversion != nullptr) resource.conversion->from_stored(content);
  // If defaults have become too large since then, some are missing: the object must stay readable.
  if (object.schema != resource.schema && resource.schema)
    static_cast<void>(resource.schema->rules.prune_and_default(*stored).has_value());
  return stored;
}

}  // namespace kube::serving
