// SPDX-License-Identifier: Apache-2.0
//
// What the server knows of a built-in kind beyond its schema: one record a kind, made of data and
// of pure functions of JSON documents. A function that is null does nothing.
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

namespace kube::apiserver {

/// What a cell of a table is made of.
struct CellInput {
  const json::Value& object;
  WallTime now;
  std::vector<const json::Value*> found{};  ///< By the column's path, without nulls.
  std::string_view argument{};              ///< Cell::argument.
};

using CellRule = json::Value (*)(const CellInput& input);

/// How the cells of a column are made. A column without one shows the value at its path.
struct Cell {
  std::string_view column;
  CellRule rule;
  std::string_view argument{};  ///< For the rule: often the text for a value that is not there.
};

/// A selectable field whose value is not simply the text at the path that its label is.
struct FieldRule {
  std::string_view label;
  std::string_view path;
  std::string_view absent{};  ///< The value of an object without the field.
};

/// Between a version and the stored one whose fields differ. Metadata, kind and apiVersion are the
/// caller's.
struct Conversion {
  std::string_view version;  ///< The served one.
  void (*to_stored)(json::Object& object);
  void (*from_stored)(json::Object& object);
  /// The stored name of a selectable field; null: the same.
  std::string (*stored_field)(std::string_view label) = nullptr;
};

/// Whether the server counts the changes of objects in metadata.generation.
enum class Generation : std::uint8_t { WithStatus, Always, Never };

/// A built-in resource that the server itself works with.
struct OwnResource {
  std::string_view group;
  std::string_view version;
  std::string_view resource;
  std::string_view kind;

  meta::GroupVersionKind gvk() const {
    return {std::string(group), std::string(version), std::string(kind)};
  }
  meta::GroupResource group_resource() const { return {std::string(group), std::string(resource)}; }
  /// The collection of its objects.
  std::string storage() const { return std::string(group).append("/").append(resource); }
};

/// What a request to a subresource does.
enum class SubresourceForm : std::uint8_t {
  Status,      ///< Reads and writes the object's status.
  Containers,  ///< Reads and writes the object, of which the containers may change.
  Change,      ///< A POST changes the object; the answer is a Status.
  Replace,     ///< A PUT of the object changes what is the subresource's of it.
  Removal,     ///< A POST deletes the object, when that is allowed; the answer is a Status.
  Issue,       ///< A POST leaves the object alone; the answer is the document, completed.
};

/// The object for which a document is completed.
struct IssueInput {
  std::string name;
  std::string namespace_;
  std::string uid;  ///< A fresh one.
  WallTime now;
};

struct SubresourceRules {
  std::string_view name;
  SubresourceForm form;
  /// What is wrong with the document of a POST.
  meta::FieldErrors (*validate)(const json::Value& document) = nullptr;
  /// The object after the request.
  Result<json::Value> (*change)(const json::Value& object, const json::Value& document,
                                const std::string& now) = nullptr;
  /// Whether a removal is allowed by those objects of `guards` in the object's namespace whose
  /// spec.selector selects it.
  const OwnResource* guards = nullptr;
  Result<void> (*allow)(const std::vector<json::Value>& guards) = nullptr;
  void (*issue)(json::Value& document, const IssueInput& input) = nullptr;
};

/// What a POST of a review is answered by.
enum class Review : std::uint8_t { None, Self, SelfRules, SelfAccess, Access, Token };

struct KindRules {
  std::string_view group{};
  std::string_view resource{};

  meta::NameRule name_rule = meta::NameRule::DnsSubdomain;
  Generation generation = Generation::WithStatus;
  bool create_on_update = false;        ///< A PUT of a missing object creates it.
  bool unconditional_update = true;     ///< A PUT needs no resourceVersion.
  bool returns_deleted_object = false;  ///< DELETE answers with the object instead of a Status.
  bool status_on_create = false;        ///< A new object may come with its status.
  bool scalable = false;                ///< Its scale is spec.replicas, with spec.selector.
  bool orphans_dependents = false;      ///< A deletion that does not say leaves dependents.
  bool deleted_first = false;           ///< Before other objects of a terminating namespace.
  /// The group whose collection holds the objects, where it is another one.
  std::optional<std::string_view> stored_group{};
  /// Sent with an answer to DELETE that does not say what becomes of dependents.
  std::string_view deletion_warning{};
  std::span<const std::string_view> protected_names{};  ///< They cannot be deleted.
  std::span<const FieldRule> fields{};
  std::span<const Conversion> conversions{};
  std::span<const Cell> cells{};
  /// Those that are not the same for all kinds.
  std::span<const SubresourceRules> subresources{};
  Review review = Review::None;
  /// A POST is one to the subresource of another resource's object, which the document names.
  const OwnResource* posted_to = nullptr;
  std::string_view posted_as{};

  /// On create and update; `object` is of the served version.
  void (*defaults)(json::Value& object) = nullptr;
  /// What only a new object gets, or one that is loaded and whose status says nothing.
  void (*prepare_create)(json::Value& object) = nullptr;
  /// What an object gets that is loaded with its status.
  void (*prepare_load)(json::Value& object) = nullptr;
  /// What each write gets after that. `before`: null for a new object.
  void (*prepare)(json::Value& object, const json::Value* before, const std::string& now) = nullptr;
  /// Keeps what a write to the main part may leave out. `after` has its defaults.
  void (*keep_main)(const json::Value& before, json::Value& after) = nullptr;
  /// Keeps what a write to the status may leave out.
  void (*keep_status)(const json::Value& before, json::Value& after) = nullptr;
  /// What is wrong with an object, and what may not change whatever part is written. `before`: null
  /// for a new object.
  meta::FieldErrors (*validate)(const json::Value& object, const json::Value* before) = nullptr;
  /// What a write to the main part may not change beside that, though subresources may.
  meta::FieldErrors (*validate_main)(const json::Value& after, const json::Value& before) = nullptr;

  /// The seconds between a deletion and the end; null: none.
  std::int64_t (*grace)(const json::Value& object, std::optional<std::int64_t> wanted) = nullptr;
  /// Marks an object that is being deleted, instead of its metadata's grace period.
  void (*mark_deleted)(json::Value& object) = nullptr;
  /// Whether something beside finalizers and the grace period holds a terminating object.
  bool (*is_held)(const json::Value& object) = nullptr;

  /// The "conditions" of a table's row, as JSON; empty: none.
  std::string_view (*row_conditions)(const json::Value& object) = nullptr;
};

/// The record of a built-in kind; one that says nothing for a kind without.
const KindRules& find_kind(std::string_view group, std::string_view resource);
/// That of all custom resources.
const KindRules& custom_kind();

/// How the cells of a column are made; null: the value at its path.
const Cell* find_cell(const KindRules& kind, std::string_view column);

/// No message shows a part of a body of the kind.
bool is_confidential(std::string_view kind);

namespace builtin {
inline constexpr OwnResource kNamespaces{"", "v1", "namespaces", "Namespace"};
inline constexpr OwnResource kServices{"", "v1", "services", "Service"};
inline constexpr OwnResource kPods{"", "v1", "pods", "Pod"};
inline constexpr OwnResource kDisruptionBudgets{"policy", "v1", "poddisruptionbudgets",
                                                "PodDisruptionBudget"};
inline constexpr OwnResource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                          "CustomResourceDefinition"};
/// Of the subresource scale; it has no collection.
inline constexpr OwnResource kScale{"autoscaling", "v1", "", "Scale"};
}  // namespace builtin

}  // namespace kube::apiserver
