// SPDX-License-Identifier: Apache-2.0
//
// Patches: the ones that clients send, and functions that apply and compute them.
//
// Pure functions: any thread may call them. They do not recurse deeper than json::kMaxDepth for
// documents from json::parse(); their results keep that bound.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>

namespace kube {

/// A patch document and its kind, made by a factory for each kind.
///
/// @par Thread safety   A value.
class Patch {
 public:
  enum class Type { Json, Merge, StrategicMerge, Apply };
  /// RFC 6902: an array of operations.
  static Patch json(json::Value operations) { return {Type::Json, std::move(operations)}; }
  /// RFC 7386.
  static Patch merge(json::Value document) { return {Type::Merge, std::move(document)}; }
  /// Kubernetes' own form, with merge keys of the type; for built-in types only.
  static Patch strategic_merge(json::Value document) {
    return {Type::StrategicMerge, std::move(document)};
  }
  /// Server-side apply; PatchOptions::field_manager is required.
  static Patch apply(json::Value document) { return {Type::Apply, std::move(document)}; }

  /// Read the patch from its JSON.
  /// @par Errors   Decode: not JSON; not an array of operations, of the others not an object.
  static Result<Patch> json_text(std::string_view operations);
  static Result<Patch> merge_text(std::string_view document);
  static Result<Patch> strategic_merge_text(std::string_view document);
  static Result<Patch> apply_text(std::string_view document);
  template <AnyText T>
  static Patch json(const T& text) = delete;  // Use json_text().
  template <AnyText T>
  static Patch merge(const T& text) = delete;  // Use merge_text().
  template <AnyText T>
  static Patch strategic_merge(const T& text) = delete;  // Use strategic_merge_text().
  template <AnyText T>
  static Patch apply(const T& text) = delete;  // Use apply_text().

  Type type() const { return type_; }
  const json::Value& document() const& { return document_; }
  json::Value document() && { return std::move(document_); }
  json::Value document() const&& { return document_; }
  /// "application/merge-patch+json", ...
  std::string_view content_type() const;

 private:
  Patch(Type type, json::Value document) : type_(type), document_(std::move(document)) {}
  static Result<Patch> parsed(Type type, std::string_view text);

  Type type_;
  json::Value document_;
};

namespace meta {

struct TypeDescriptor;

/// What an operation on a member that is not there does.
enum class JsonPatchRules {
  Rfc6902,  ///< `replace` and `copy` fail.
  /// As kube-apiserver: `replace` sets it, and a copy of it is null, as is an absent "value"; what
  /// is before the first "/" of a path is ignored, and a "~" without 0 or 1 stands for itself; the
  /// whole document can be tested, and replaced by an object or array, but not added, removed,
  /// moved or copied.
  ApiServer,
};

/// Applies JSON patch operations, all or none. As in API servers, the copies may have at most 3 MiB
/// together, a negative index counts from the end of its array (adding at -1 appends), and a test
/// for null succeeds for a missing member.
/// @par Errors   InvalidArgument, naming the operation, counted from 0: `operation 2 (replace
///   "/spec/x"): ...`.
Result<json::Value> apply_json_patch(const json::Value& document, const json::Value& operations,
                                     JsonPatchRules rules = JsonPatchRules::Rfc6902);
template <class D, class P>
requires AnyText<D, P> Result<json::Value> apply_json_patch(
    const D& document, const P& operations, JsonPatchRules rules = JsonPatchRules::Rfc6902)
= delete;  // json::parse() them first.

/// Returns the problems of strict reading in the text of RFC 6902 operations, at most 100, in the
/// words of the API server: `json patch unknown field "[0].foo"`, `json patch duplicate field
/// "[1].value.a"`. It does not check whether the text is a patch.
std::vector<std::string> json_patch_problems(std::string_view operations);

/// What becomes of nulls in the objects of a list.
enum class MergePatchRules {
  Rfc7386,    ///< They are values.
  ApiServer,  ///< They are dropped, except those of a list in the place of an object.
};

/// Applies RFC 7386; cannot fail.
json::Value apply_merge_patch(const json::Value& document, const json::Value& patch,
                              MergePatchRules rules = MergePatchRules::Rfc7386);
template <class D, class P>
requires AnyText<D, P> json::Value apply_merge_patch(
    const D& document, const P& patch, MergePatchRules rules = MergePatchRules::Rfc7386)
= delete;  // json::parse() them first.

/// What becomes of directives and nulls that there is nothing to merge with.
enum class StrategicPatchRules {
  Clean,      ///< The result has none.
  ApiServer,  ///< What a patch adds as a whole keeps the directives in it but `$patch`: API servers
              ///< say of them that they are unknown fields. What it replaces, and a new item of a
              ///< list that is merged, is taken as it is, with nulls: a null in a map is a value.
};

/// Applies a strategic merge patch with the merge keys of the type (checks SMP).
/// Null counts as an empty document.
/// @par Errors   InvalidArgument for an item without its merge key, an unknown directive, an object
///   or list that the type has no field for, and so on; the message has names, but no values.
Result<json::Value> apply_strategic_merge_patch(
    const json::Value& document, const json::Value& patch, const TypeDescriptor& type,
    StrategicPatchRules rules = StrategicPatchRules::Clean);
template <class D, class P>
requires AnyText<D, P> Result<json::Value> apply_strategic_merge_patch(
    const D& document, const P& patch, const TypeDescriptor& type,
    StrategicPatchRules rules = StrategicPatchRules::Clean)
= delete;  // json::parse() them first.

/// A condition on a computed patch.
using PatchPrecondition = std::function<bool(const json::Value& patch)>;
/// Requires that the patch does not change the top-level member.
PatchPrecondition require_key_unchanged(std::string key);
/// Requires that the patch does not change metadata.<key>.
PatchPrecondition require_metadata_key_unchanged(std::string key);

/// Whether a precondition rejected the patch that was computed.
bool is_precondition_failed(const Error& error);
/// Whether a three-way patch conflicts with changes from `original` to `current`.
bool is_patch_conflict(const Error& error);
/// Why a strategic merge patch can't be applied, for servers, which answer each in another way: a
/// directive that there is none of, one with a wrong value, a list of lists.
bool is_unknown_directive(const Error& error);
bool is_wrong_directive(const Error& error);
bool is_list_of_lists(const Error& error);

/// Returns the merge patch that turns `from` into `to`, except for null members of `to`, which a
/// merge patch can't express.
json::Value create_merge_patch(const json::Value& from, const json::Value& to);
template <class F, class T>
requires AnyText<F, T> json::Value create_merge_patch(const F& from, const T& to)
= delete;  // json::parse() them first.

/// Returns the merge patch that adds to `current` what `modified` adds or changes, and removes what
/// `original` has and `modified` lacks: the patch of kubectl apply for types without merge keys.
/// Null counts as an empty document.
/// @par Errors   is_patch_conflict() and is_precondition_failed(); InvalidArgument for a document
///   that is not an object.
Result<json::Value> create_three_way_json_merge_patch(
    const json::Value& original, const json::Value& modified, const json::Value& current,
    const std::vector<PatchPrecondition>& preconditions = {});
template <class O, class M, class C>
requires AnyText<O, M, C> Result<json::Value> create_three_way_json_merge_patch(
    const O& original, const M& modified, const C& current,
    const std::vector<PatchPrecondition>& preconditions = {})
= delete;  // json::parse() them first.

/// Returns the strategic merge patch that turns `original` into `modified`; {} when they are equal.
/// Null counts as an empty document.
/// @par Errors   As apply_strategic_merge_patch(); is_precondition_failed().
Result<json::Value> create_two_way_merge_patch(
    const json::Value& original, const json::Value& modified, const TypeDescriptor& type,
    const std::vector<PatchPrecondition>& preconditions = {});
template <class O, class M>
requires AnyText<O, M> Result<json::Value> create_two_way_merge_patch(
    const O& original, const M& modified, const TypeDescriptor& type,
    const std::vector<PatchPrecondition>& preconditions = {})
= delete;  // json::parse() them first.

/// As create_three_way_json_merge_patch(), as a strategic merge patch. Without `overwrite`, a key
/// that `current` changed from `original` in another way than the patch does is a conflict.
/// @par Errors   As create_two_way_merge_patch(); is_patch_conflict().
Result<json::Value> create_three_way_merge_patch(
    const json::Value& original, const json::Value& modified, const json::Value& current,
    const TypeDescriptor& type, bool overwrite = true,
    const std::vector<PatchPrecondition>& preconditions = {});
template <class O, class M, class C>
requires AnyText<O, M, C> Result<json::Value> create_three_way_merge_patch(
    const O& original, const M& modified, const C& current, const TypeDescriptor& type,
    bool overwrite = true, const std::vector<PatchPrecondition>& preconditions = {})
= delete;  // json::parse() them first.

}  // namespace meta
}  // namespace kube
