// SPDX-License-Identifier: Apache-2.0
#include "requests/patching.hpp"

#include <chrono>
#include <utility>

#include <kube/api/types.hpp>
#include <kube/codec/codec.hpp>
#include <kube/names/go_text.hpp>
#include <kube/patch/patch.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "forms/negotiation.hpp"

namespace kube::apiserver {
namespace {

constexpr std::string_view kJsonPatch = "application/json-patch+json";
constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";
constexpr std::size_t kMaxOperations = 10'000;

// The real server does not say what was wrong.
Error unprocessable() {
  return meta::generic_server_error(422, "", {}, "", "", std::chrono::seconds(0), false);
}

// The words of the JSON reader of Go, which names Go's types.
Error wrong_shape(const json::Value& value, std::string_view into,
                  std::string_view before = "error decoding patch: ") {
  return meta::bad_request_error(std::string(before) +
                                 go::cannot_unmarshal(go::json_kind(value), into));
}

Result<void> check_operations(const json::Value& patch) {
  if (patch.is_null()) return {};
  const json::Array* operations = patch.if_array();
  if (operations == nullptr) return wrong_shape(patch, "value of type []handlers.jsonPatchOp");
  for (const json::Value& operation : *operations) {
    if (operation.is_null()) continue;
    if (!operation.is_object()) return wrong_shape(operation, "value of type handlers.jsonPatchOp");
    for (const auto& [name, member] : *operation.if_object()) {
      const bool is_text = name == "op" || name == "path" || name == "from";
      if (is_text && !member.is_string() && !member.is_null())
        return wrong_shape(member, "struct field jsonPatchOp." + name + " of type string");
    }
  }
  if (operations->size() <= kMaxOperations) return {};
  return meta::request_entity_too_large_error("The allowed maximum operations in a JSON patch is " +
                                              std::to_string(kMaxOperations) + ", got " +
                                              std::to_string(operations->size()));
}

Result<void> check_shape(PatchFormat format, const json::Value& patch) {
  if (format == PatchFormat::Json) return check_operations(patch);
  if (patch.is_object()) return {};
  const bool strategic = format == PatchFormat::StrategicMerge;
  if (!patch.is_null()) {
    return wrong_shape(patch, "value of type map[string]interface {}",
                       strategic ? "" : "error decoding patch: ");
  }
  if (strategic) return {};
  return meta::bad_request_error("Invalid JSON Patch");
}

// For a kind without known merge keys: turns a strategic patch into a merge patch.
void drop_directives(json::Value& patch) {
  if (json::Object* members = patch.if_object()) {
    std::vector<std::string> directives;
    for (auto& [key, value] : *members) {
      if (key.starts_with('$')) {
        directives.push_back(key);
      } else {
        drop_directives(value);
      }
    }
    for (const std::string& key : directives) members->erase(key);
  } else if (json::Array* items = patch.if_array()) {
    std::erase_if(*items,
                  [](const json::Value& item) { return item.string_at({"$patch"}) == "delete"; });
    for (json::Value& item : *items) drop_directives(item);
  }
}

/// Returns the first object with a directive that there is none of.
const json::Value* unknown_directive(const json::Value& patch) {
  if (const json::Object* members = patch.if_object()) {
    const json::Value* directive = members->find("$patch");
    if (directive != nullptr) {
      const std::string_view word = directive->string_or_empty();
      if (word != "replace" && word != "delete" && word != "merge") return &patch;
    }
    for (const auto& [key, member] : *members) {
      if (const json::Value* found = unknown_directive(member)) return found;
    }
  } else if (const json::Array* items = patch.if_array()) {
    for (const json::Value& item : *items) {
      if (const json::Value* found = unknown_directive(item)) return found;
    }
  }
  return nullptr;
}

// What the reference server expects of clients is a 400 or a 422, and all else a 500.
Error unmergeable(const Error& error, const json::Value& patch, const meta::GroupVersionKind& gvk) {
  const std::string& why = error.message();
  if (meta::is_list_of_lists(error)) {
    return meta::generic_server_error(422, "", {}, "", why, std::chrono::seconds(0), false);
  }
  if (meta::is_wrong_directive(error)) return meta::bad_request_error(why);
  const json::Value* odd = meta::is_unknown_directive(error) ? unknown_directive(patch) : nullptr;
  if (odd == nullptr || is_confidential(gvk.kind)) return unexplained(why);
  return unexplained("unknown patch type: " + go::value_text(*odd->at_path({"$patch"})) +
                     " in map: " + go::value_text(*odd));
}

}  // namespace

Result<PatchFormat> patch_format(std::string_view content_type, const Resource& resource) {
  const std::string type = bare_media_type(content_type);
  if (type == kJsonPatch) return PatchFormat::Json;
  if (type == kMergePatch) return PatchFormat::Merge;
  if (resource.is_custom()) return unsupported_media_type({kJsonPatch, kMergePatch});
  if (type == kStrategicPatch) return PatchFormat::StrategicMerge;
  return meta::error_from_status(meta::make_status(meta::StatusReason::UnsupportedMediaType,
                                                   "415: Unsupported Media Type",
                                                   meta::StatusDetails{}));
}

Result<json::Value> read_patch(const std::string& body) {
  auto patch = json::parse(body);
  if (!patch) return meta::bad_request_error("invalid JSON patch");
  return patch;
}

std::vector<std::string> patch_problems(PatchFormat format, std::string_view body) {
  return format == PatchFormat::Json ? meta::json_patch_problems(body)
                                     : meta::duplicate_fields(body);
}

Result<json::Value> apply_patch(PatchFormat format, const json::Value& document,
                                const json::Value& patch, const meta::GroupVersionKind& gvk) {
  if (auto shape = check_shape(format, patch); !shape) return shape.error();
  if (format == PatchFormat::Merge)
    return meta::apply_merge_patch(document, patch, meta::MergePatchRules::ApiServer);
  if (format == PatchFormat::Json) {
    if (patch.is_null()) return document;
    auto patched = meta::apply_json_patch(document, patch, meta::JsonPatchRules::ApiServer);
    if (!patched) return unprocessable();
    return patched;
  }
  if (patch.is_null()) return document;
  if (const meta::TypeDescriptor* type = api::find_type(gvk)) {
    auto patched = meta::apply_strategic_merge_patch(document, patch, *type,
                                                     meta::StrategicPatchRules::ApiServer);
    if (!patched) return unmergeable(patched.error(), patch, gvk);
    return patched;
  }
  json::Value merge = patch;
  drop_directives(merge);
  return meta::apply_merge_patch(document, merge);
}

}  // namespace kube::apiserver
