// SPDX-License-Identifier: Apache-2.0
//
// kube::Unstructured: any API object as a JSON document with accessors for what all have in common.
// Nothing is lost in a read and write.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <kube/json/value.hpp>
#include <kube/meta/group_version.hpp>
#include <kube/meta/labels.hpp>
#include <kube/meta/object_key.hpp>

namespace kube {

/// A regular value. Accessors answer "" (or nothing) for what is absent or of another type.
class Unstructured {
 public:
  Unstructured() : content(json::Object{}) {}
  explicit Unstructured(json::Value value) : content(std::move(value)) {}

  json::Value content;  ///< An object.

  std::string_view api_version() const;
  std::string_view kind() const;
  meta::GroupVersionKind gvk() const;
  void set_gvk(const meta::GroupVersionKind& gvk);

  std::string_view name() const;
  std::string_view namespace_() const;
  std::string_view uid() const;
  std::string_view resource_version() const;
  std::string_view generate_name() const;
  ObjectKey key() const;
  void set_name(std::string_view name);
  void set_namespace(std::string_view name);
  void set_resource_version(std::string_view version);

  labels::Set labels() const;
  labels::Set annotations() const;
  void set_label(std::string_view key, std::string_view value);
  void set_annotation(std::string_view key, std::string_view value);
  bool is_being_deleted() const;  ///< metadata.deletionTimestamp is set

  bool operator==(const Unstructured&) const = default;
};

/// Reads a JSON object that has apiVersion and kind; Decode otherwise, naming what is missing.
Result<Unstructured> unstructured_from_json(std::string_view text);

}  // namespace kube
