// SPDX-License-Identifier: Apache-2.0
#include "scale_handlers.hpp"

#include <utility>

#include <kube/api/types.hpp>
#include <kube/meta/label_selector.hpp>

#include "answers.hpp"
#include "errors.hpp"
#include "metadata.hpp"
#include "negotiation.hpp"
#include "patching.hpp"
#include "request_body.hpp"
#include "typed_document.hpp"
#include "write_handlers.hpp"

namespace kube::apiserver {
namespace {

const meta::GroupVersionKind scale_kind{"autoscaling", "v1", "Scale"};

const json::Value* find(const json::Value& object, const std::vector<std::string>& path) {
  const json::Value* value = &object;
  for (const std::string& step : path) {
    const json::Object* members = value->if_object();
    value = members == nullptr ? nullptr : members->find(step);
    if (value == nullptr) return nullptr;
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

std::int64_t number(const json::Value* value) {
  return value != nullptr && value->if_int() != nullptr ? *value->if_int() : 0;
}

// A selector as text: of a LabelSelector, of a plain map, or as it stands.
std::string selector_text(const json::Value* selector) {
  if (selector == nullptr) return {};
  if (selector->is_string()) return *selector->if_string();
  const json::Object* members = selector->if_object();
  if (members == nullptr) return {};
  if (members->contains("matchLabels") || members->contains("matchExpressions")) {
    const auto parsed = labels::from_label_selector(*selector);
    return parsed ? parsed->to_string() : std::string{};
  }
  labels::Set set;
  for (const auto& [key, value] : *members) set.emplace(key, value.string_or_empty());
  return labels::Selector::from_set(set).to_string();
}

json::Value scale_of(const Resource& resource, const json::Value& object) {
  json::Object metadata;
  for (const std::string_view key :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    copy_member(*find_metadata(object), metadata, key);
  }
  json::Object status{{"replicas", number(find(object, resource.scale->status_replicas))}};
  std::string selector = selector_text(find(object, resource.scale->selector));
  if (!selector.empty()) status.set("selector", std::move(selector));
  return json::Object{
      {"kind", scale_kind.kind},
      {"apiVersion", scale_kind.api_version()},
      {"metadata", std::move(metadata)},
      {"spec", json::Object{{"replicas", number(find(object, resource.scale->spec_replicas))}}},
      {"status", std::move(status)}};
}

/// The object with the replicas and the precondition of a Scale.
Result<json::Value> with_scale(const Resource& resource, const json::Value& object,
                               const json::Value& scale) {
  const std::int64_t replicas = scale.int_at({"spec", "replicas"}).value_or(0);
  const std::string name(metadata_text(object, "name"));
  if (replicas < 0) {
    return meta::invalid_error(
        scale_kind.group_kind(), name,
        {meta::FieldError::invalid(meta::FieldPath("spec").child("replicas"), replicas,
                                   "must be greater than or equal to 0")});
  }
  const std::string_view version = metadata_text(scale, "resourceVersion");
  if (!version.empty() && version != metadata_text(object, "resourceVersion")) {
    return meta::optimistic_lock_error(resource.group_resource(), name);
  }
  json::Value next = object;
  put(next, resource.scale->spec_replicas, replicas);
  return next;
}

/// Makes the Scale to be set from the one there is.
using ScaleChange = std::function<Result<json::Value>(const json::Value& scale)>;

Result<HttpResponse> change_scale(ApiContext& api, const ResourceRequest& request,
                                  const PatchOptions& options, const Accepted& accepted,
                                  const ScaleChange& change) {
  const Resource& resource = *request.resource;
  Resource shape;
  shape.gvk = scale_kind;
  shape.namespaced = resource.namespaced;
  const auto update = [&](const json::Value& current) -> Result<json::Value> {
    auto changed = change(scale_of(resource, current));
    if (!changed) return changed;
    auto scale = check_document(shape, *std::move(changed));
    if (!scale) return scale;
    if (auto fits = fit_to_type(*api::find_type(scale_kind), *scale); !fits) {
      return meta::bad_request_error("Scale in version \"v1\" cannot be handled as a Scale: " +
                                     fits.error().message());
    }
    if (auto match = match_path(request, *scale); !match) return match.error();
    return with_scale(resource, current, *scale);
  };
  const auto updated =
      api.objects.update(resource, request.key(), Part::Whole, update, !options.dry_run.empty());
  if (!updated) return updated.error();
  const auto object = decode_object(**updated, resource);
  if (!object) return object.error();
  return document_answer(200, scale_of(resource, *object), accepted.media);
}

}  // namespace

Result<HttpResponse> serve_scale(ApiContext& api, const ResourceRequest& request, Verb verb) {
  const auto accepted = negotiate(request.http.accept, AnswerShape::Part, true);
  if (!accepted) return accepted.error();
  const Resource& resource = *request.resource;
  if (!resource.scale) return no_such_resource();
  if (verb == Verb::Get) {
    const auto stored = api.objects.get(resource, request.key());
    if (!stored) return stored.error();
    const auto object = decode_object(**stored, resource);
    if (!object) return object.error();
    return document_answer(200, scale_of(resource, *object), accepted->media);
  }
  if (verb == Verb::Update) {
    const auto options = read_write_options(request.route.query, WriteKind::Update);
    if (!options) return options.error();
    const auto body = read_typed_body(request.http, scale_kind);
    if (!body) return body.error();
    return change_scale(api, request, *options, *accepted,
                        [&](const json::Value&) -> Result<json::Value> { return *body; });
  }
  Resource shape;
  shape.gvk = scale_kind;
  const auto format = patch_format(request.http.content_type, shape);
  if (!format) return format.error();
  const auto options = read_write_options(request.route.query, WriteKind::Patch);
  if (!options) return options.error();
  const auto patch = read_patch(*format, request.http.body);
  if (!patch) return patch.error();
  return change_scale(api, request, *options, *accepted, [&](const json::Value& scale) {
    return apply_patch(*format, scale, *patch, scale_kind);
  });
}

}  // namespace kube::apiserver
