// SPDX-License-Identifier: Apache-2.0
//
// The rules of a built-in kind beyond its schema: one record for each kind, with data and with pure
// functions of JSON documents. A null function does nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/names/group_version.hpp>
#include <kube/names/validation.hpp>

namespace kube::serving {

/// The input for a cell of a table.
struct CellInput {
  const json::Value& object;
  WallTime now;
  std::vector<const json::Value*> found{};  ///< The values at the column's path, without nulls.
  std::string_view argument{};              ///< Cell::argument.
};

using CellRule = json::Value (*)(const CellInput& input);
using TimeRule = std::string_view (*)(const json::Value& object);

/// How the cells of a column are made. A column without a rule shows the value at its path.
struct Cell {
  std::string_view column;
  CellRule rule;
  std::string_view argument{};  ///< For the rule: often the text for a missing value.
  /// For a cell that is the time since one that is not at the column's path: returns that time.
  TimeRule time = nullptr;
};

/// A selectable field whose value is not the text at the path that its label names.
struct FieldRule {
  std::string_view label;
  std::string_view path;
  std::string_view absent{};  ///< The value for an object without the field.
};

/// Converts between a version and the stored one, whose fields differ. The caller converts
/// metadata, kind and apiVersion.
struct Conversion {
  std::string_view version;  ///< The served version.
  void (*to_stored)(json::Value& object);
  void (*from_stored)(json::Object& object);
  /// Returns the stored name of a selectable field; null: the name is the same.
  std::string (*stored_field)(std::string_view label) = nullptr;
  /// Whether the rules of the stored version's types hold, and there are none for the served one's.
  bool validated_as_stored = false;
};

/// Whether the server counts the changes of objects in metadata.generation.
enum class Generation : std::uint8_t {
  WithStatus,  ///< If the kind has a status.
  Always,
  Never,
  First,    ///< A new object has 1; changes are not counted.
  Changes,  ///< Changes are counted from 0.
};

/// The members of metadata that a write of the status can change.
inline constexpr std::string_view kStatusMetadata[] = {"labels", "annotations", "finalizers"};

/// A built-in resource that the server itself uses.
struct OwnResource {
  std::string_view group;
  std::string_view version;
  std::string_view resource;
  std::string_view kind;

  meta::GroupVersionKind gvk() const {
    return {std::string(group), std::string(version), std::string(kind)};
  }
  meta::GroupResource group_resource() const { return {std::string(group), std::string(resource)}; }
  bool is(std::string_view other_group, std::string_view other_resource) const {
    return group == other_group && resource == other_resource;
  }
  /// The collection of its objects.
  std::string storage() const { return std::string(group).append("/").append(resource); }
};

/// What a request to a subresource does.
enum class SubresourceForm : std::uint8_t {
  Status,     ///< Reads and writes the object's status.
  Ephemeral,  ///< Reads and writes a pod's ephemeral containers.
  Resize,     ///< Reads and writes the resources of a pod and of its containers.
  Change,     ///< A POST changes the object; the response is a Status.
  Replace,    ///< A PUT of the object changes the part that belongs to the subresource.
  Removal,    ///< A POST deletes the object, if allowed; the response is a Status.
  Issue,      ///< A POST does not change the object; the response is the completed document.
};

/// The object for which a document is completed.
struct IssueInput {
  std::string name;
  std::string namespace_;
  std::string uid;  ///< A new one.
  WallTime now;
};

struct SubresourceRules {
  std::string_view name;
  SubresourceForm form;
  /// Returns the errors in the document of a POST.
  meta::FieldErrors (*validate)(const json::Value& document) = nullptr;
  /// Returns the object after the request.
  Result<json::Value> (*change)(const json::Value& object, const json::Value& document,
                                const std::string& now) = nullptr;
  /// Whether a removal is allowed. `guards` are the objects of that resource in the object's
  /// namespace whose spec.selector selects it.
  const OwnResource* guards = nullptr;
  Result<void> (*allow)(const std::vector<json::Value>& guards) = nullptr;
  /// Says in the object why it is removed, for those who see it before it is gone.
  void (*mark)(json::Value& object, const std::string& now) = nullptr;
  void (*issue)(json::Value& document, const IssueInput& input) = nullptr;
};

/// The response to a POST of a review.
enum class Review : std::uint8_t { None, Self, SelfRules, SelfAccess, Access, Token };

struct KindRules {
  std::string_view group{};
  std::string_view resource{};

  meta::NameRule name_rule = meta::NameRule::DnsSubdomain;
  Generation generation = Generation::WithStatus;
  /// The members of metadata whose changes count as those of the spec do.
  std::span<const std::string_view> counted_metadata{};
  std::span<const std::string_view> status_metadata = kStatusMetadata;
  bool create_on_update = false;        ///< A PUT of a missing object creates it.
  bool unconditional_update = true;     ///< A PUT needs no resourceVersion.
  bool returns_deleted_object = false;  ///< DELETE returns the object instead of a Status.
  bool status_on_create = false;        ///< A new object may have a status.
  bool named_by_uid = false;            ///< A new object without a name gets a UUID.
  bool stored_unfinished = false;       ///< The first write stores a default that reads have set.
  bool counts_dropped = false;          ///< What a feature that is off drops counts as a change.
  /// Where an empty list, map or text of bytes that replaces nothing counts as a change: the server
  /// tells what is empty from what is not there.
  std::string_view counts_emptied{};
  /// The metadata of a new object are looked at when all else is right, or by a rule of its type.
  bool metadata_last = false;
  bool scalable = false;            ///< Its scale is spec.replicas, with spec.selector.
  bool orphans_dependents = false;  ///< A deletion without a policy orphans dependents.
  bool ignores_dependents = false;  ///< A policy for dependents changes nothing.
  bool plain_table = false;         ///< Its tables have no columns of its own.
  bool unnamed_age = false;         ///< The last cell of its rows is an age without a column.
  bool deleted_first = false;       ///< Before other objects of a terminating namespace.
  /// The group whose collection has the objects, if it is another one.
  std::optional<std::string_view> stored_group{};
  /// An annotation that whole objects have, and their metadata alone does not.
  std::string_view whole_annotation{};
  /// Where the reference server keeps the objects, below /registry/; empty: the plural.
  std::string_view registry{};
  /// Sent with each response.
  std::string_view deprecation_warning{};
  /// Sent with the response to a DELETE without a policy for dependents.
  std::string_view deletion_warning{};
  std::span<const std::string_view> protected_names{};  ///< They cannot be deleted.
  std::span<const FieldRule> fields{};
  /// The error for the label of a field that can't select; null: that of all kinds.
  std::string (*unknown_field)(std::string_view label) = nullptr;
  std::span<const Conversion> conversions{};
  std::span<const Cell> cells{};
  /// The subresources with other rules than those of all kinds.
  std::span<const SubresourceRules> subresources{};
  Review review = Review::None;
  /// A POST acts on a subresource of another resource's object, which the document names.
  const OwnResource* posted_to = nullptr;
  std::string_view posted_as{};

  /// Returns why the reference server can't bring a document into its own type; empty: it can.
  std::string (*unreadable)(const json::Value& document) = nullptr;
  /// Completes a new object, or a loaded one with an empty status.
  void (*prepare_create)(json::Value& object) = nullptr;
  /// Completes an object that is loaded with its status.
  void (*prepare_load)(json::Value& object) = nullptr;
  /// Completes each write after that. `before` is null for a new object.
  void (*prepare)(json::Value& object, const json::Value* before, const std::string& now) = nullptr;
  /// Keeps what a write to the main part may leave out. `after` has its defaults.
  void (*keep_main)(const json::Value& before, json::Value& after) = nullptr;
  /// Keeps what a write to the status may leave out.
  void (*keep_status)(const json::Value& before, json::Value& after) = nullptr;
  /// Returns the errors in an object, and the changes that no write may make. `before` is null for
  /// a new object; `emptied` are the paths of empty lists and maps that a client sent.
  meta::FieldErrors (*validate)(const json::Value& object, const json::Value* before,
                                std::span<const std::string> emptied) = nullptr;
  /// Returns further changes that a write to the main part may not make, though subresources may.
  meta::FieldErrors (*validate_main)(const json::Value& after, const json::Value& before) = nullptr;
  /// Makes equal in both specs what a write to the main part may change. What differs then is
  /// refused with `fixed_spec`, and shown.
  void (*level_specs)(json::Object& next, json::Object& old, const json::Value& before) = nullptr;
  std::string_view fixed_spec{};

  /// Returns the seconds between a deletion and the removal; null: 0.
  std::int64_t (*grace)(const json::Value& object, std::optional<std::int64_t> wanted) = nullptr;
  /// Marks an object that is being deleted, instead of setting its metadata's grace period.
  void (*mark_deleted)(json::Value& object) = nullptr;
  /// Whether the object is held by something other than finalizers and the grace period.
  bool (*is_held)(const json::Value& object) = nullptr;

  /// Returns the "conditions" of a table's row, as JSON; empty: none.
  std::string_view (*row_conditions)(const json::Value& object) = nullptr;
};

/// Returns the rules of a built-in kind; empty ones for a kind without rules.
const KindRules& find_kind(std::string_view group, std::string_view resource);
/// Returns the rules of all custom resources.
const KindRules& custom_kind();

/// Returns the rule for a column; null: the cell is the value at its path.
const Cell* find_cell(const KindRules& kind, std::string_view column);

/// Whether messages must not quote bodies of the kind.
bool is_confidential(std::string_view kind);

namespace builtin {
inline constexpr OwnResource kNamespaces{"", "v1", "namespaces", "Namespace"};
inline constexpr OwnResource kServices{"", "v1", "services", "Service"};
inline constexpr OwnResource kPods{"", "v1", "pods", "Pod"};
inline constexpr OwnResource kDisruptionBudgets{"policy", "v1", "poddisruptionbudgets",
                                                "PodDisruptionBudget"};
inline constexpr OwnResource kNodes{"", "v1", "nodes", "Node"};
inline constexpr OwnResource kIngresses{"networking.k8s.io", "v1", "ingresses", "Ingress"};
inline constexpr OwnResource kIngressClasses{"networking.k8s.io", "v1", "ingressclasses",
                                             "IngressClass"};
inline constexpr OwnResource kStorageClasses{"storage.k8s.io", "v1", "storageclasses",
                                             "StorageClass"};
inline constexpr OwnResource kRuntimeClasses{"node.k8s.io", "v1", "runtimeclasses", "RuntimeClass"};
inline constexpr OwnResource kSigningRequests{
    "certificates.k8s.io", "v1", "certificatesigningrequests", "CertificateSigningRequest"};
inline constexpr OwnResource kVolumes{"", "v1", "persistentvolumes", "PersistentVolume"};
inline constexpr OwnResource kVolumeClaims{"", "v1", "persistentvolumeclaims",
                                           "PersistentVolumeClaim"};
inline constexpr OwnResource kVolumeAttributesClasses{
    "storage.k8s.io", "v1", "volumeattributesclasses", "VolumeAttributesClass"};
inline constexpr OwnResource kPriorityClasses{"scheduling.k8s.io", "v1", "priorityclasses",
                                              "PriorityClass"};
inline constexpr OwnResource kResourceClaims{"resource.k8s.io", "v1", "resourceclaims",
                                             "ResourceClaim"};
inline constexpr OwnResource kResourceClaimTemplates{
    "resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate"};
inline constexpr OwnResource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                          "CustomResourceDefinition"};
inline constexpr OwnResource kApiServices{"apiregistration.k8s.io", "v1", "apiservices",
                                          "APIService"};
inline constexpr OwnResource kEndpointSlices{"discovery.k8s.io", "v1", "endpointslices",
                                             "EndpointSlice"};
inline constexpr OwnResource kFlowSchemas{"flowcontrol.apiserver.k8s.io", "v1", "flowschemas",
                                          "FlowSchema"};
inline constexpr OwnResource kPriorityLevels{"flowcontrol.apiserver.k8s.io", "v1",
                                             "prioritylevelconfigurations",
                                             "PriorityLevelConfiguration"};
/// The kind of the scale subresource; it has no collection.
inline constexpr OwnResource kScale{"autoscaling", "v1", "", "Scale"};
}  // namespace builtin

}  // namespace kube::serving
