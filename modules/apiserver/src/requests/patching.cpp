// SPDX-License-Identifier: Apache-2.0
#include "requests/patching.hpp"

#include <utility>

#include <kube/api/types.hpp>
#include <kube/codec/codec.hpp>
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

Error unprocessable(std::string_view why) {
  std::string message = "the server rejected our request due to an error in our request: ";
  message += why;
  return meta::error_from_status(meta::make_status(meta::StatusReason::Invalid, message));
}

Error wrong_shape(std::string_view why) {
  return meta::bad_request_error("error decoding patch: " + std::string(why));
}

Result<void> check_operations(const json::Value& patch) {
  if (!patch.is_array()) return wrong_shape("a JSON patch is a list of operations");
  const json::Array& operations = *patch.if_array();
  if (operations.size() > kMaxOperations) {
    return meta::request_entity_too_large_error(
        "the allowed maximum operations in a JSON patch is " + std::to_string(kMaxOperations) +
        ", got " + std::to_string(operations.size()));
  }
  for (const json::Value& operation : operations) {
    const json::Object* members = operation.if_object();
    const json::Value* op = members == nullptr ? nullptr : members->find("op");
    const json::Value* path = members == nullptr ? nullptr : members->find("path");
    if (op == nullptr || !op->is_string() || path == nullptr || !path->is_string()) {
      return wrong_shape("an operation of a JSON patch has the strings \"op\" and \"path\"");
    }
  }
  return {};
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

}  // namespace

Result<PatchFormat> patch_format(std::string_view content_type, const Resource& resource) {
  const std::string type = bare_media_type(content_type);
  if (type == kJsonPatch) return PatchFormat::Json;
  if (type == kMergePatch) return PatchFormat::Merge;
  if (resource.is_custom()) return unsupported_media_type({kJsonPatch, kMergePatch});
  if (type == kStrategicPatch) return PatchFormat::StrategicMerge;
  return unsupported_media_type({kJsonPatch, kMergePatch, kStrategicPatch});
}

Result<json::Value> read_patch(PatchFormat format, const std::string& body) {
  auto patch = json::parse(body);
  if (!patch) return meta::bad_request_error("invalid JSON patch: " + patch.error().message());
  if (format == PatchFormat::Json) {
    if (auto checked = check_operations(*patch); !checked) return checked.error();
  } else if (!patch->is_object()) {
    return wrong_shape("a merge patch is an object");
  }
  return patch;
}

std::vector<std::string> patch_problems(PatchFormat format, std::string_view body) {
  return format == PatchFormat::Json ? meta::json_patch_problems(body)
                                     : meta::duplicate_fields(body);
}

Result<json::Value> apply_patch(PatchFormat format, const json::Value& document,
                                const json::Value& patch, const meta::GroupVersionKind& gvk) {
  if (format == PatchFormat::Merge) return meta::apply_merge_patch(document, patch);
  if (format == PatchFormat::Json) {
    auto patched = meta::apply_json_patch(document, patch);
    if (!patched) return unprocessable(patched.error().message());
    return patched;
  }
  if (const meta::TypeDescriptor* type = api::find_type(gvk)) {
    auto patched = meta::apply_strategic_merge_patch(document, patch, *type);
    if (!patched) return meta::bad_request_error(patched.error().message());
    return patched;
  }
  json::Value merge = patch;
  drop_directives(merge);
  return meta::apply_merge_patch(document, merge);
}

}  // namespace kube::apiserver
