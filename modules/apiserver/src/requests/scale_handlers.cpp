// SPDX-License-Identifier: Apache-2.0
#include "requests/scale_handlers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kube/api/resources.hpp>
#include <kube/api/types.hpp>
#include <kube/codec/normalize.hpp>
#include <kube/names/label_selector.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "forms/negotiation.hpp"
#include "reading/responses.hpp"
#include "requests/patched_text.hpp"
#include "requests/patching.hpp"
#include "requests/request_body.hpp"
#include "requests/write_handlers.hpp"

namespace kube::apiserver {
namespace {

const meta::GroupVersionKind kScaleKind = builtin::kScale.gvk();

/// Returns a path as the reference server writes it: ".spec.replicas".
std::string path_text(const std::vector<std::string>& path, std::size_t steps) {
  std::string out;
  for (std::size_t i = 0; i < steps; ++i) out.append(".").append(path[i]);
  return out;
}

Error not_as_expected(const std::vector<std::string>& path, std::size_t steps,
                      const json::Value& value, std::string_view expected) {
  const std::string shown = value.is_string() ? *value.if_string() : json::dump(value);
  return meta::internal_error(path_text(path, steps) + " accessor error: " + shown +
                              " is not of the expected type " + std::string(expected));
}

/// Returns the value at a path: null for an empty path, a missing member, and a path through null.
/// @par Errors   An internal error for a path through a value that is not an object.
Result<const json::Value*> find(const json::Value& object, const std::vector<std::string>& path) {
  const json::Value* value = path.empty() ? nullptr : &object;
  for (std::size_t i = 0; value != nullptr && i < path.size(); ++i) {
    if (value->is_null()) return nullptr;
    const json::Object* members = value->if_object();
    if (members == nullptr) return not_as_expected(path, i, *value, "object");
    value = members->find(path[i]);
  }
  return value;
}

void put(json::Value& object, const std::vector<std::string>& path, json::Value value) {
  json::Value* at = &object;
  for (const std::string& step : path) {
    if (!at->is_object()) *at = json::Object{};
    at = &(*at->if_object())[step];
  }
  *at = std::move(value);
}

/// Empty when missing. Only a custom resource, whose schema is free, can have another value than a
/// number there; a number too large for a Scale is cut to its lower 32 bits, as in the reference
/// server.
Result<std::optional<std::int64_t>> replicas_at(const json::Value& object,
                                                const std::vector<std::string>& path) {
  const auto found = find(object, path);
  if (!found) return found.error();
  if (*found == nullptr) return std::optional<std::int64_t>{};
  const std::int64_t* number = (*found)->if_int();
  if (number == nullptr) return not_as_expected(path, path.size(), **found, "integer");
  return std::optional<std::int64_t>(static_cast<std::int32_t>(*number));
}

/// Returns the selector of a built-in kind, a LabelSelector or a plain map, as text.
std::string selector_text(const json::Object& selector) {
  if (selector.contains("matchLabels") || selector.contains("matchExpressions")) {
    const auto parsed = labels::from_label_selector(selector);
    return parsed ? parsed->to_string() : std::string{};
  }
  labels::Set set;
  for (const auto& [key, value] : selector) set.emplace(key, value.string_or_empty());
  return labels::Selector::from_set(set).to_string();
}

/// Empty when there is none. A custom resource has its selector as text.
Result<std::string> selector_of(const Resource& resource, const json::Value& object) {
  const std::vector<std::string>& path = resource.scale->selector;
  const auto found = find(object, path);
  if (!found) return found.error();
  if (*found == nullptr) return std::string{};
  if (resource.is_custom()) {
    const std::string* text = (*found)->if_string();
    if (text == nullptr) return not_as_expected(path, path.size(), **found, "string");
    return *text;
  }
  const json::Object* members = (*found)->if_object();
  return members == nullptr ? std::string{} : selector_text(*members);
}

/// Whether an object without replicas has a Scale: reading one of a custom resource fails, writing
/// it does not.
enum class ScaleUse : std::uint8_t { Read, Write };

Result<json::Value> scale_of(const Resource& resource, const json::Value& object, ScaleUse use) {
  const ScalePaths& paths = *resource.scale;
  const auto wanted = replicas_at(object, paths.spec_replicas);
  if (!wanted) return wanted.error();
  if (!*wanted && resource.is_custom() && use == ScaleUse::Read) {
    return meta::internal_error("the spec replicas field \"" +
                                path_text(paths.spec_replicas, paths.spec_replicas.size()) +
                                "\" does not exist");
  }
  const auto present = replicas_at(object, paths.status_replicas);
  if (!present) return present.error();
  auto selector = selector_of(resource, object);
  if (!selector) return selector.error();

  json::Object metadata;
  for (const std::string_view key :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    copy_member(*find_metadata(object), metadata, key);
  }
  json::Object status{{"replicas", present->value_or(0)}};
  if (!selector->empty()) status.set("selector", *std::move(selector));
  json::Value scale = json::Object{{"kind", kScaleKind.kind},
                                   {"apiVersion", kScaleKind.api_version()},
                                   {"metadata", std::move(metadata)},
                                   {"spec", json::Object{{"replicas", wanted->value_or(0)}}},
                                   {"status", std::move(status)}};
  if (auto fits = meta::normalize_to_type(*api::find_type(kScaleKind), scale); !fits)
    return fits.error();
  return scale;
}

Result<HttpResponse> scale_response(const Resource& resource, const StoredObject& stored,
                                    ScaleUse use, MediaType media) {
  const auto object = decode_object(stored, resource);
  if (!object) return object.error();
  const auto scale = scale_of(resource, *object, use);
  if (!scale) return scale.error();
  return document_response(200, *scale, media);
}

// The reference server has a table for the Scales of its own kinds.
constexpr api::PrinterColumn kScaleColumns[] = {
    {"Name", "string", "", 0, ".metadata.name", ""},
    {"Desired", "integer", "", 0, ".spec.replicas", ""},
    {"Available", "integer", "", 0, ".status.replicas", ""},
    {"Age", "string", "", 0, ".metadata.creationTimestamp", ""}};

bool wants_table(const ResourceRequest& request) {
  if (request.resource->is_custom()) return false;
  const auto accepted = negotiate(request.http.accept, ResponseShape::Object, true);
  return accepted && accepted->transform == Transform::Table;
}

Result<HttpResponse> scale_table(ApiContext& api, const ResourceRequest& request) {
  const auto encoding = choose_encoding(api, request, ResponseShape::Object);
  if (!encoding) return encoding.error();
  const auto stored = api.objects.get(*request.resource, request.key());
  if (!stored) return stored.error();
  const auto object = decode_object(**stored, *request.resource);
  if (!object) return object.error();
  auto scale = scale_of(*request.resource, *object, ScaleUse::Read);
  if (!scale) return scale.error();
  Resource shape;
  shape.gvk = kScaleKind;
  shape.stored_gvk = kScaleKind;
  shape.type = api::find_type(kScaleKind);
  shape.columns = TableColumns::of_builtin(*shape.kind, kScaleColumns, shape.type);
  return object_response(200, shape, *pretend(shape, *std::move(scale), (*stored)->revision),
                         **encoding);
}

/// Returns the object with the replicas of a Scale; checks the Scale's resourceVersion.
Result<json::Value> with_scale(const Resource& resource, const json::Value& object,
                               const json::Value& scale) {
  const std::int64_t replicas = scale.int_at({"spec", "replicas"}).value_or(0);
  const std::string name(metadata_text(object, "name"));
  if (replicas < 0 && resource.is_custom()) {
    return meta::invalid_error(
        resource.gvk.group_kind(), name,
        {meta::FieldError::invalid(meta::FieldPath(path_text(resource.scale->spec_replicas,
                                                             resource.scale->spec_replicas.size())),
                                   replicas, "should be a non-negative integer")});
  }
  if (replicas < 0) {
    return meta::invalid_error(
        kScaleKind.group_kind(), name,
        {meta::FieldError::invalid(meta::FieldPath("spec").child("replicas"), replicas,
                                   "must be greater than or equal to 0")});
  }
  const std::string_view version = metadata_text(scale, "resourceVersion");
  if (!version.empty() && version != metadata_text(object, "resourceVersion")) {
    return meta::optimistic_lock_error(resource.group_resource(), name);
  }
  if (resource.scale->spec_replicas.empty()) {
    return meta::internal_error("the definition of the resource has no specReplicasPath");
  }
  json::Value next = object;
  put(next, resource.scale->spec_replicas, replicas);
  return next;
}

/// Returns the new Scale from the current one.
using ScaleChange = std::function<Result<json::Value>(const json::Value& scale)>;

Result<HttpResponse> change_scale(ApiContext& api, const ResourceRequest& request,
                                  const PatchOptions& options, const Accepted& accepted,
                                  const ScaleChange& change) {
  const Resource& resource = *request.resource;
  Resource shape;
  shape.gvk = kScaleKind;
  shape.namespaced = resource.namespaced;
  const auto update = [&](const json::Value& current) -> Result<json::Value> {
    const auto before = scale_of(resource, current, ScaleUse::Write);
    if (!before) return before.error();
    auto changed = change(*before);
    if (!changed) return changed;
    auto scale = check_document(shape, *std::move(changed));
    if (!scale) return scale;
    if (auto fits = meta::normalize_to_type(*api::find_type(kScaleKind), *scale); !fits) {
      return not_handled(kScaleKind, kScaleKind, fits.error().message());
    }
    if (auto match = match_path(request, *scale); !match) return match.error();
    return with_scale(resource, current, *scale);
  };
  const auto updated =
      api.objects.update(resource, request.key(), Part::Whole, update, !options.dry_run.empty());
  if (!updated) return updated.error();
  return scale_response(resource, **updated, ScaleUse::Write, accepted.media);
}

// A result that is no Scale is shown, as that of a patch of the object itself is.
Result<json::Value> patched_scale(PatchFormat format, const json::Value& scale,
                                  const json::Value& patch) {
  auto patched = apply_patch(format, scale, patch, kScaleKind);
  if (!patched || format == PatchFormat::StrategicMerge) return patched;
  Resource shape;
  shape.gvk = kScaleKind;
  shape.type = api::find_type(kScaleKind);
  json::Value copy = *patched;
  const auto fits = meta::normalize_to_type(*shape.type, copy);
  if (fits) return patched;
  return meta::invalid_error(
      {}, "",
      {meta::FieldError::invalid(meta::FieldPath("patch"),
                                 json::dump(shown_result(shape, format, scale, patch)),
                                 fits.error().message())});
}

}  // namespace

Result<HttpResponse> serve_scale(ApiContext& api, const ResourceRequest& request, Verb verb) {
  const Resource& resource = *request.resource;
  if (verb == Verb::Get && resource.scale && wants_table(request)) return scale_table(api, request);
  const auto accepted = negotiate(request.http.accept, ResponseShape::Part, true);
  if (!accepted) return accepted.error();
  if (!resource.scale) return no_such_resource();
  if (verb == Verb::Get) {
    const auto stored = api.objects.get(resource, request.key());
    if (!stored) return stored.error();
    return scale_response(resource, **stored, ScaleUse::Read, accepted->media);
  }
  if (verb == Verb::Update) {
    const auto options = read_write_options(request.route.query, WriteKind::Update);
    if (!options) return options.error();
    const auto body = read_typed_body(request.http, kScaleKind);
    if (!body) return body.error();
    return change_scale(api, request, *options, *accepted,
                        [&](const json::Value&) -> Result<json::Value> { return *body; });
  }
  Resource shape;
  shape.gvk = kScaleKind;
  const auto format = patch_format(request.http.content_type, shape);
  if (!format) return format.error();
  const auto options = read_write_options(request.route.query, WriteKind::Patch);
  if (!options) return options.error();
  const auto patch = read_patch(request.http.body);
  if (!patch) return patch.error();
  return change_scale(api, request, *options, *accepted, [&](const json::Value& scale) {
    return patched_scale(*format, scale, *patch);
  });
}

}  // namespace kube::apiserver
