// SPDX-License-Identifier: Apache-2.0
//
// What the server knows about a built-in or custom resource that it serves: names, verbs,
// subresources, selectable fields, and the rules for writing its objects.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>
#include <kube/names/group_version.hpp>
#include <kube/validation/structural_schema.hpp>

#include "kinds/kind.hpp"
#include "resources/verbs.hpp"

namespace kube::serving {

class TableColumns;

/// The schema of one version of a custom resource.
struct CustomSchema {
  json::Value source{};  ///< The openAPIV3Schema in the definition.
  meta::StructuralSchema rules;
  bool with_status = false;      ///< The version has a status subresource.
  std::string stored_version{};  ///< In which its objects are stored.
  /// For a status that is written by itself; null when the schema does not describe it.
  std::shared_ptr<const meta::SchemaValidator> status{};
};

struct Subresource {
  std::string name{};
  meta::GroupVersionKind gvk{};  ///< The document that it reads or returns.
  VerbSet verbs = 0;
};

/// A field that selectors may name. Its value is read when an object is stored.
struct SelectableField {
  std::string label{};    ///< As selectors write it.
  std::size_t value = 0;  ///< Index into StoredObject::fields.
};

/// How a selectable field's value is read from a stored object.
struct StoredField {
  std::vector<std::string> path{};
  std::string absent{};  ///< The value for an object without the field.
};

/// Paths of a scale subresource within the object.
struct ScalePaths {
  std::vector<std::string> spec_replicas{};
  std::vector<std::string> status_replicas{};
  /// Path of a LabelSelector or a map; for custom resources of a string, or empty.
  std::vector<std::string> selector{};
};

/// One served resource of one version. Immutable once it is in a ResourceTable.
struct Resource {
  meta::GroupVersionKind gvk{};
  std::string list_kind{};
  std::string plural{};
  std::string singular{};
  bool namespaced = true;
  VerbSet verbs = 0;
  std::vector<std::string> short_names{};
  std::vector<std::string> categories{};
  std::vector<Subresource> subresources{};

  std::vector<SelectableField> fields{};
  /// The rules of its kind; never null.
  const KindRules* kind = &find_kind({}, {});
  bool has_generation = false;  ///< The server counts changes.
  std::optional<ScalePaths> scale{};

  /// The collection of the objects: all versions of a resource share one.
  std::string storage{};
  /// The kind and version in which the objects are stored.
  meta::GroupVersionKind stored_gvk{};
  /// The selectable fields in the stored version.
  std::vector<StoredField> stored_fields{};
  /// Converts between this version and the stored one; null when only apiVersion differs.
  const Conversion* conversion = nullptr;
  /// Only a webhook could convert its objects to this version, or to the stored one; none is
  /// called.
  bool needs_webhook = false;
  /// For a built-in kind; null for custom resources.
  const meta::TypeDescriptor* type = nullptr;
  const meta::TypeDescriptor* list_type = nullptr;
  /// For a custom resource; null for built-in ones.
  std::shared_ptr<const CustomSchema> schema{};
  std::string definition_uid{};  ///< Of the definition of a custom resource.
  /// The columns of its tables; never null.
  std::shared_ptr<const TableColumns> columns{};
  std::string storage_version_hash{};
  std::string deprecation_warning{};  ///< Sent with each response when not empty.

  meta::GroupResource group_resource() const { return {gvk.group, plural}; }
  meta::GroupVersion group_version() const { return gvk.group_version(); }
  bool is_custom() const { return schema != nullptr; }
  /// Whether its objects have a protobuf form.
  bool is_typed() const { return type != nullptr; }
  const Subresource* find_subresource(std::string_view name) const;
  bool has_status() const { return find_subresource("status") != nullptr; }
};

}  // namespace kube::serving
