// SPDX-License-Identifier: Apache-2.0
//
// An object in the store: its JSON text, and the values that lists, watches and selectors need, so
// that they never parse the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>
#include <kube/names/label_terms.hpp>

#include "resources/resource.hpp"

namespace kube::serving {

/// An object's protobuf message, in the type of the first request for it.
struct EncodedMessage {
  std::once_flag made{};
  const meta::TypeDescriptor* type = nullptr;
  std::string own{};
  std::string_view bytes{};  ///< Empty: the object does not fit the type.
};

/// Immutable once it is stored. Its bytes are `own`, or belong to another owner that lives as long
/// (storage/borrowed_object.hpp).
///
/// Invariants of `body`:
/// 1. It is the object's JSON without the leading `{"kind":...,"apiVersion":...,`, so that any
///    version of the kind can be put before it.
/// 2. Its `metadata` member is at metadata_at, metadata_size bytes long.
/// 3. The digits of metadata.resourceVersion start at revision_at.
/// 4. Only an object that borrows a message has none.
struct StoredObject {
  std::string namespace_{};
  std::string name{};
  std::string uid{};
  std::uint64_t revision = 0;
  bool terminating = false;           ///< metadata.deletionTimestamp is set.
  labels::SortedLabels labels{};      ///< Texts of the bytes that it borrows, or of label_text.
  std::string label_text{};           ///< See set_labels().
  std::vector<std::string> fields{};  ///< Values of Resource::stored_fields.
  std::string own{};
  std::string_view body{};
  bool borrowed = false;
  /// The reference server stores less of it than it shows: the next write is one, whatever it says.
  bool is_unfinished = false;
  std::size_t body_at = 0;  ///< The bytes before the body, of a borrowed JSON text.
  std::size_t metadata_at = 0;
  std::size_t metadata_size = 0;
  std::size_t revision_at = 0;
  std::size_t revision_size = 0;
  /// For a custom resource: the schema that checked and completed it.
  std::shared_ptr<const CustomSchema> schema{};
  /// Encoded on first use.
  mutable EncodedMessage message{};

  /// Whether others send its bytes from where they lie; smaller ones are faster copied.
  bool is_worth_borrowing() const {
    constexpr std::size_t kSmall = std::size_t{2} << 10U;
    return borrowed && size() > kSmall;
  }
  /// The number of bytes of the form in which it is held.
  std::size_t size() const { return body.empty() ? message.bytes.size() : body.size(); }
  /// "namespace/name", or the name alone: the order of lists.
  std::string key() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
};

using ObjectPtr = std::shared_ptr<const StoredObject>;

/// Returns an object to be stored, in the resource's stored version. `content` has an object
/// `metadata` with a name; kind, apiVersion and metadata.resourceVersion in it are ignored.
std::unique_ptr<StoredObject> prepare_object(const json::Value& content, const Resource& resource);

/// Gives an object labels whose texts it keeps itself.
void set_labels(const std::vector<std::pair<std::string, std::string>>& labels,
                StoredObject& object);

/// Sets the revision of a prepared object. Called once.
void set_revision(StoredObject& object, std::uint64_t revision);
/// Instead of set_revision(): shows a text that a client wrote, in the response to a dry run.
void show_revision(StoredObject& object, std::string_view text);
/// Instead of set_revision(): removes the revision, for the response to a dry run.
void drop_revision(StoredObject& object);

/// Whether the body is what a read of `resource` shows: false for a version whose fields differ,
/// and for a custom resource stored under another schema.
bool reads_as_stored(const StoredObject& object, const Resource& resource);

/// Returns the document in the version of `resource`.
Result<json::Value> decode_object(const StoredObject& object, const Resource& resource);
/// Returns the document in the version in which it is stored.
Result<json::Value> decode_stored(const StoredObject& given, const Resource& resource);

/// Returns an object as its metadata alone shows it, if that has less than the whole object
/// (KindRules::whole_annotation); else null.
std::unique_ptr<StoredObject> without_whole_annotation(const StoredObject& object,
                                                       const Resource& resource);

/// Returns the bare message of a type: that of the resource, or of the metadata alone. It is
/// encoded once for the first type requested and kept with the object; for other types (versions of
/// the kind with other fields) it is encoded again in `scratch`.
/// @pre The object has its revision.
/// @throws std::runtime_error for an object that does not fit the type. Stored objects fit.
std::string_view protobuf_message(const StoredObject& object, const Resource& resource,
                                  const meta::TypeDescriptor& type, std::string& scratch);

/// Appends the body with another revision, as the events of a deletion show it.
void append_body(const StoredObject& object, std::uint64_t revision, std::string& out);

/// Returns the object, or `scratch`, made from its message, when it has no JSON.
/// @throws std::runtime_error for a message that is not of the resource's type.
const StoredObject& with_json(const StoredObject& object, const Resource& resource,
                              std::optional<StoredObject>& scratch);

/// Returns the value of a selectable field: strings as they are, numbers and booleans in JSON,
/// `absent` for missing or structured values.
std::string field_text(const json::Value& content, const StoredField& field);

}  // namespace kube::serving
