// SPDX-License-Identifier: Apache-2.0
//
// kube::Unstructured: any API object as a JSON document, with accessors for the fields that all
// objects have. Reading and writing it loses nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>
#include <kube/names/group_version.hpp>
#include <kube/names/labels.hpp>
#include <kube/names/object_key.hpp>

namespace kube {

/// An API object as JSON. Accessors return "" (or an empty result) for a field that is absent or of
/// another type; setters make missing parents, and remove the field when given an empty value.
/// Views point into the content and live until it changes; they do not compile for a temporary.
/// Fields of spec and status have get() and set(); nested.hpp reads them as types.
///
/// @par Thread safety   A value.
class Unstructured {
 public:
  Unstructured() : content(json::Object{}) {}
  explicit Unstructured(json::Value value) : content(std::move(value)) {}
  template <AnyText T>
  explicit Unstructured(const T& text) = delete;  // Use unstructured_from_json().

  json::Value content;  ///< An object.

  std::string_view api_version() const&;
  std::string_view kind() const&;
  meta::GroupVersionKind gvk() const;
  void set_gvk(const meta::GroupVersionKind& gvk);

  std::string_view name() const&;
  std::string_view namespace_() const&;
  std::string_view uid() const&;
  std::string_view resource_version() const&;
  std::string_view generate_name() const&;
  std::string_view self_link() const&;
  std::int64_t generation() const;
  std::string_view creation_timestamp() const&;  ///< RFC 3339
  std::string_view deletion_timestamp() const&;  ///< RFC 3339
  std::optional<std::int64_t> deletion_grace_period_seconds() const;
  ObjectKey key() const;
  void set_api_version(std::string_view version);
  void set_kind(std::string_view kind);
  void set_name(std::string_view name);
  void set_namespace(std::string_view name);
  void set_uid(std::string_view uid);
  void set_resource_version(std::string_view version);
  void set_generate_name(std::string_view prefix);
  void set_self_link(std::string_view link);
  void set_generation(std::int64_t generation);  ///< 0 removes it.
  void set_creation_timestamp(std::string_view time);
  void set_deletion_timestamp(std::string_view time);
  void set_deletion_grace_period_seconds(std::optional<std::int64_t> seconds);

  labels::Set labels() const;
  labels::Set annotations() const;
  void set_labels(const labels::Set& labels);
  void set_annotations(const labels::Set& annotations);
  void set_label(std::string_view key, std::string_view value);
  void set_annotation(std::string_view key, std::string_view value);
  bool is_being_deleted() const;  ///< metadata.deletionTimestamp is set

  std::vector<std::string> finalizers() const;
  void set_finalizers(const std::vector<std::string>& finalizers);
  /// As on the wire; empty when the object has none.
  json::Array owner_references() const;
  void set_owner_references(json::Array references);
  json::Array managed_fields() const;
  void set_managed_fields(json::Array entries);

  /// Returns the field at a path such as {"spec", "size", "width"}, which may be null; nullptr when
  /// there is none.
  const json::Value* get(json::Value::Path path) const& { return content.at_path(path); }
  /// Sets the field; makes the parents that are missing.
  /// @par Errors   InvalidArgument when a parent is another value than an object, null too, naming
  ///   it, and for an empty path. The object is then unchanged.
  Result<void> set(json::Value::Path path, json::Value value);

  /// Whether it is a list: `items` is an array.
  bool is_list() const;
  std::string_view continue_() const&;
  std::optional<std::int64_t> remaining_item_count() const;
  /// Returns copies of the items; one without kind or apiVersion takes those of the list, without
  /// the suffix "List".
  /// @par Errors   Decode when this is not a list, or when an item is not an object, naming it.
  Result<std::vector<Unstructured>> items() const;

  // Name the Unstructured first: these point into it.
  std::string_view api_version() const&& = delete;
  std::string_view kind() const&& = delete;
  std::string_view name() const&& = delete;
  std::string_view namespace_() const&& = delete;
  std::string_view uid() const&& = delete;
  std::string_view resource_version() const&& = delete;
  std::string_view generate_name() const&& = delete;
  std::string_view self_link() const&& = delete;
  std::string_view creation_timestamp() const&& = delete;
  std::string_view deletion_timestamp() const&& = delete;
  std::string_view continue_() const&& = delete;
  const json::Value* get(json::Value::Path path) const&& = delete;

  bool operator==(const Unstructured&) const = default;
};

/// Copies from `existing` the metadata that an update of the status may not change:
/// deletionTimestamp, generation, selfLink, labels, annotations, finalizers and ownerReferences.
/// managedFields remain.
void reset_object_meta_for_status(Unstructured& object, const Unstructured& existing);

/// Calls `visit` for each item of a list, in order, without copies.
/// @par Errors   The first error that `visit` returns, which ends the loop; Decode when `list` is
///   not a list, or when an item is not an object, naming it.
Result<void> each_list_item(const json::Value& list,
                            const std::function<Result<void>(const json::Value& item)>& visit);
template <AnyText T, class Visit>
Result<void> each_list_item(const T& text, const Visit& visit) = delete;  // json::parse() it first.

/// Reads a JSON object that has a kind. The apiVersion may be absent, as in client-go.
/// @par Errors   Decode for invalid JSON, for another value than an object, and without a kind;
///   does not show the text, which may be a Secret.
Result<Unstructured> unstructured_from_json(std::string_view text);

}  // namespace kube
