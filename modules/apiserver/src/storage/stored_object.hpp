// SPDX-License-Identifier: Apache-2.0
//
// An object as the store holds it: its JSON text, and beside it what lists, watches and selectors
// need, so that they never parse the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>
#include <kube/names/label_terms.hpp>

#include "resources/resource.hpp"

namespace kube::apiserver {

/// An object's protobuf message, of the type in which it was asked for first.
struct EncodedMessage {
  std::once_flag made{};
  const meta::TypeDescriptor* type = nullptr;
  std::string bytes{};  ///< Empty: the object does not fit the type.
};

/// Immutable once it is stored.
///
/// Invariants of `body`:
/// 1. It is the object's JSON without the leading `{"kind":...,"apiVersion":...,`, so that any
///    version of the kind can be put before it.
/// 2. It starts with the `metadata` member, metadata_size bytes long.
/// 3. The digits of metadata.resourceVersion start at revision_at.
struct StoredObject {
  std::string namespace_{};
  std::string name{};
  std::string uid{};
  std::uint64_t revision = 0;
  bool terminating = false;  ///< metadata.deletionTimestamp is set.
  labels::SortedLabels labels{};
  std::vector<std::string> fields{};  ///< Values of Resource::stored_fields.
  std::string body{};
  std::size_t metadata_size = 0;
  std::size_t revision_at = 0;
  std::size_t revision_size = 0;
  /// Of a custom resource: the schema that it was checked and completed with.
  std::shared_ptr<const CustomSchema> schema{};
  /// Made by the first who asks for it.
  mutable EncodedMessage message{};

  /// "namespace/name", or the name alone: the order of lists.
  std::string key() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
};

using ObjectPtr = std::shared_ptr<const StoredObject>;

/// An object to be stored, in the resource's stored version. `content` has an object `metadata`
/// with a name; kind, apiVersion and metadata.resourceVersion in it are ignored.
std::unique_ptr<StoredObject> prepare_object(const json::Value& content, const Resource& resource);

/// Gives a prepared object its revision. Once.
void set_revision(StoredObject& object, std::uint64_t revision);
/// Or leaves it without one, as the answer to a dry run has it. Once.
void drop_revision(StoredObject& object);

/// Whether the body is what a read of `resource` shows: not so for a version whose fields differ,
/// and for a custom resource stored under another schema.
bool reads_as_stored(const StoredObject& object, const Resource& resource);

/// The document, in the version of `resource`.
Result<json::Value> decode_object(const StoredObject& object, const Resource& resource);
/// The document in the version in which it is stored.
Result<json::Value> decode_stored(const StoredObject& object, const Resource& resource);

/// The bare message of a type: that of the resource, or of the metadata alone. Made once for the
/// type that is asked for first and kept beside the object; of other types (versions of the kind
/// with other fields) made anew in `scratch`.
/// @pre The object has its revision.
/// @throws std::runtime_error for an object that does not fit the type. What is stored does.
std::string_view protobuf_message(const StoredObject& object, const Resource& resource,
                                  const meta::TypeDescriptor& type, std::string& scratch);

/// Appends the body with another revision in its place, as the events of a deletion show it.
void append_body(const StoredObject& object, std::uint64_t revision, std::string& out);

/// The text that a selectable field has: strings as they are, numbers and booleans in JSON,
/// `absent` for what is missing or structured.
std::string field_text(const json::Value& content, const StoredField& field);

}  // namespace kube::apiserver
