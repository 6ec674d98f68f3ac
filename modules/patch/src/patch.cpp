// SPDX-License-Identifier: Apache-2.0
#include <kube/patch/patch.hpp>

#include "patch_preconditions.hpp"

namespace kube {

std::string_view Patch::content_type() const {
  switch (type_) {
    case Type::Json:
      return "application/json-patch+json";
    case Type::Merge:
      return "application/merge-patch+json";
    case Type::StrategicMerge:
      return "application/strategic-merge-patch+json";
    case Type::Apply:
      break;
  }
  return "application/apply-patch+yaml";
}

Result<Patch> Patch::json_text(std::string_view operations) {
  return parsed(Type::Json, operations);
}
Result<Patch> Patch::merge_text(std::string_view document) {
  return parsed(Type::Merge, document);
}
Result<Patch> Patch::strategic_merge_text(std::string_view document) {
  return parsed(Type::StrategicMerge, document);
}
Result<Patch> Patch::apply_text(std::string_view document) {
  return parsed(Type::Apply, document);
}

Result<Patch> Patch::parsed(Type type, std::string_view text) {
  Result<json::Value> document = json::parse(text);
  if (!document) return document.error();
  const bool is_json_patch = type == Type::Json;
  if (is_json_patch ? !document->is_array() : !document->is_object()) {
    return Error(ErrorCode::Decode, std::string("expected ") +
                                        (is_json_patch ? "an array of operations" : "an object") +
                                        ", but found " + std::string(document->type_name()));
  }
  return Patch(type, *std::move(document));
}

namespace meta {

namespace {

constexpr std::string_view kConflict = "PatchConflict";
constexpr std::string_view kPreconditionFailed = "PreconditionFailed";

bool has_reason(const Error& error, std::string_view reason) {
  return error.code() == ErrorCode::InvalidArgument && error.reason() == reason;
}

}  // namespace

PatchPrecondition require_key_unchanged(std::string key) {
  return
      [key = std::move(key)](const json::Value& patch) { return patch.at_path({key}) == nullptr; };
}

PatchPrecondition require_metadata_key_unchanged(std::string key) {
  return [key = std::move(key)](const json::Value& patch) {
    return patch.at_path({"metadata", key}) == nullptr;
  };
}

bool is_precondition_failed(const Error& error) {
  return has_reason(error, kPreconditionFailed);
}
bool is_patch_conflict(const Error& error) {
  return has_reason(error, kConflict);
}
bool is_unknown_directive(const Error& error) {
  return has_reason(error, detail::kUnknownDirective);
}
bool is_wrong_directive(const Error& error) {
  return has_reason(error, detail::kWrongDirective);
}
bool is_list_of_lists(const Error& error) {
  return has_reason(error, detail::kListOfLists);
}

namespace detail {

Result<json::Value> checked(json::Value patch,
                            const std::vector<PatchPrecondition>& preconditions) {
  for (const PatchPrecondition& holds : preconditions) {
    if (holds(patch)) continue;
    return Error(ErrorCode::InvalidArgument,
                 "precondition failed for a patch of " + member_names(patch))
        .with_reason(std::string(kPreconditionFailed));
  }
  return patch;
}

Error invalid_patch(std::string what, std::string_view reason) {
  return Error(ErrorCode::InvalidArgument, std::move(what)).with_reason(std::string(reason));
}

Error wrong_directive(std::string_view of) {
  return invalid_patch("invalid patch format of " + std::string(of), kWrongDirective);
}

Error patch_conflict(const json::Value& patch, const json::Value& changed) {
  return Error(ErrorCode::InvalidArgument,
               "patch of " + member_names(patch) +
                   " conflicts with changes made from original to current of " +
                   member_names(changed))
      .with_reason(std::string(kConflict));
}

std::string member_names(const json::Value& object) {
  const json::Object* members = object.if_object();
  if (members == nullptr) return std::string(object.type_name());
  std::string out = "[";
  for (const auto& [name, value] : *members) {
    if (out.size() > 1) out += ' ';
    out += name;
  }
  return out + ']';
}

Result<json::Object> document_object(const json::Value& document) {
  if (document.is_null()) return json::Object{};
  if (const json::Object* object = document.if_object()) return *object;
  return Error(ErrorCode::InvalidArgument, "invalid JSON document: expected an object, but found " +
                                               std::string(document.type_name()));
}

}  // namespace detail

}  // namespace meta
}  // namespace kube
