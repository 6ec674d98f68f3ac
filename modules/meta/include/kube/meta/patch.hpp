// SPDX-License-Identifier: Apache-2.0
//
// Patches: what a client sends, and what a server does with it.
#pragma once

#include <string>
#include <string_view>

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
  static Patch strategic_merge(json::Value document) { return {Type::StrategicMerge, std::move(document)}; }
  /// Server-side apply; PatchOptions::field_manager is required.
  static Patch apply(json::Value document) { return {Type::Apply, std::move(document)}; }

  Type type() const { return type_; }
  const json::Value& document() const { return document_; }
  /// "application/merge-patch+json", ...
  std::string_view content_type() const;

 private:
  Patch(Type type, json::Value document) : type_(type), document_(std::move(document)) {}
  Type type_;
  json::Value document_;
};

namespace meta {

struct TypeDescriptor;

/// Applies RFC 6902 operations; InvalidArgument names the operation and the path.
Result<json::Value> apply_json_patch(const json::Value& document, const json::Value& operations);
/// Applies RFC 7386; cannot fail.
json::Value apply_merge_patch(const json::Value& document, const json::Value& patch);
/// Applies a strategic merge patch with the merge keys of the type (clients-and-config.md SMP-01...).
Result<json::Value> apply_strategic_merge_patch(const json::Value& document, const json::Value& patch,
                                                const TypeDescriptor& type);
/// The merge patch that turns `from` into `to`.
json::Value create_merge_patch(const json::Value& from, const json::Value& to);

}  // namespace meta
}  // namespace kube
