// SPDX-License-Identifier: Apache-2.0
//
// Patches: what a client sends, what a server does with it, and how to compute one.
//
// Nothing here changes its arguments. Documents come from json::parse, which bounds their depth;
// results are bounded the same way.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube {

/// A patch document and its kind. Made by the factories only, so wrong pairs do not exist.
class Patch {
 public:
  enum class Type { Json, Merge, StrategicMerge, Apply };
  /// RFC 6902: an array of operations.
  static Patch json(json::Value operations) { return {Type::Json, std::move(operations)}; }
  /// RFC 7386.
  static Patch merge(json::Value document) { return {Type::Merge, std::move(document)}; }
  /// Kubernetes' own, with merge keys from the type; built-in types only.
  static Patch strategic_merge(json::Value document) {
    return {Type::StrategicMerge, std::move(document)};
  }
  /// Server-side apply; PatchOptions::field_manager is required.
  static Patch apply(json::Value document) { return {Type::Apply, std::move(document)}; }

  Type type() const { return type_; }
  const json::Value& document() const& { return document_; }
  json::Value document() && { return std::move(document_); }
  json::Value document() const&& { return document_; }
  /// "application/merge-patch+json", ...
  std::string_view content_type() const;

 private:
  Patch(Type type, json::Value document) : type_(type), document_(std::move(document)) {}
  Type type_;
  json::Value document_;
};

namespace meta {

struct TypeDescriptor;

/// Applies RFC 6902 operations, all or none. As in API servers, copies are limited to 3 MiB in all,
/// an index below zero counts from the end of its array (to add at -1 appends), and a test for null
/// holds for a member that isn't there.
/// @par Errors   InvalidArgument: "operation 2 (replace "/spec/x"): ...", counted from 0.
Result<json::Value> apply_json_patch(const json::Value& document, const json::Value& operations);

/// What strict reading says of the text of RFC 6902 operations, in the words of the API server:
/// `json patch unknown field "[0].foo"`, `json patch duplicate field "[1].value.a"`; one each, the
/// first 100. Whether the text is a patch is not checked.
std::vector<std::string> json_patch_problems(std::string_view operations);

/// Applies RFC 7386; cannot fail.
json::Value apply_merge_patch(const json::Value& document, const json::Value& patch);

/// Applies a strategic merge patch with the merge keys of the type (checks SMP).
/// Null counts as an empty document.
/// @par Errors   InvalidArgument: an item without its merge key, an unknown directive, an object or
///               list that the type has no field for, ...; what is wrong, without values.
Result<json::Value> apply_strategic_merge_patch(const json::Value& document,
                                                const json::Value& patch,
                                                const TypeDescriptor& type);

/// A condition on a computed patch.
using PatchPrecondition = std::function<bool(const json::Value& patch)>;
/// The patch leaves the top-level member alone.
PatchPrecondition require_key_unchanged(std::string key);
/// The patch leaves metadata.<key> alone.
PatchPrecondition require_metadata_key_unchanged(std::string key);

/// A patch was asked for that a precondition forbids.
bool is_precondition_failed(const Error& error);
/// A three-way patch was asked for whose changes contradict those made meanwhile.
bool is_patch_conflict(const Error& error);

/// The merge patch that turns `from` into `to`. (Except for null members of `to`, which a merge
/// patch can't express.)
json::Value create_merge_patch(const json::Value& from, const json::Value& to);

/// The merge patch that brings to `current` what is added or changed in `modified`, and removes
/// what `original` had and `modified` has no more: kubectl apply's, for types without merge keys.
/// Null counts as an empty document.
/// @par Errors   is_patch_conflict, is_precondition_failed; InvalidArgument for a document that is
///               no object.
Result<json::Value> create_three_way_json_merge_patch(
    const json::Value& original, const json::Value& modified, const json::Value& current,
    const std::vector<PatchPrecondition>& preconditions = {});

/// The strategic merge patch that turns `original` into `modified`; {} when they are equal. Null
/// counts as an empty document.
/// @par Errors   As apply_strategic_merge_patch; is_precondition_failed.
Result<json::Value> create_two_way_merge_patch(
    const json::Value& original, const json::Value& modified, const TypeDescriptor& type,
    const std::vector<PatchPrecondition>& preconditions = {});

/// As create_three_way_json_merge_patch, as a strategic merge patch. Without `overwrite`, a key
/// that `current` has changed from `original` in another way than the patch would is a conflict.
Result<json::Value> create_three_way_merge_patch(
    const json::Value& original, const json::Value& modified, const json::Value& current,
    const TypeDescriptor& type, bool overwrite = true,
    const std::vector<PatchPrecondition>& preconditions = {});

}  // namespace meta
}  // namespace kube
