// SPDX-License-Identifier: Apache-2.0
#include "requests/write_handlers.hpp"

#include <utility>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "forms/negotiation.hpp"
#include "reading/responses.hpp"
#include "requests/field_validation.hpp"
#include "requests/patching.hpp"

namespace kube::apiserver {
namespace {

/// The input of a write with a document in the body, in the order in which it is checked.
struct WriteInput {
  EncodingPtr encoding;
  PatchOptions options;
  json::Value document;
  std::vector<std::string> warnings;
};

// On POST and PUT a document that does not fit the kind gets a 400 instead.
Error patched_misfit(const ResourceRequest& request, const Error& why) {
  return meta::invalid_error(request.resource->gvk.group_kind(), request.route.name,
                             {meta::FieldError::invalid(meta::FieldPath("patch"),
                                                        is_confidential(request.resource->gvk.kind)
                                                            ? "(not shown)"
                                                            : request.http.body.substr(0, 256),
                                                        why.message())});
}

Result<WriteInput> read_input(ApiContext& api, const ResourceRequest& request, WriteKind kind) {
  const auto encoding = choose_encoding(api, request, ResponseShape::Object);
  if (!encoding) return encoding.error();
  const auto media = body_type(request.http.content_type, request.resource->is_typed());
  if (!media) return media.error();
  auto options = read_write_options(request.route.query, kind);
  if (!options) return options.error();
  FieldValidation fields(options->field_validation);
  auto body = fields.read(*request.resource, request.http.body, *media);
  if (!body) return body.error();
  auto document = check_document(*request.resource, *std::move(body));
  if (!document) return document.error();
  if (auto fits = fields.check(*request.resource, *document); !fits) {
    return not_handled(request.resource->gvk, request.resource->gvk, fits.error().message());
  }
  return WriteInput{*encoding, *std::move(options), *std::move(document), fields.warnings()};
}

HttpResponse written(int status, const ResourceRequest& request, const StoredObject& object,
                     const Encoding& encoding, const std::vector<std::string>& warnings) {
  HttpResponse response = object_response(status, *request.resource, object, encoding);
  add_warnings(warnings, response);
  return response;
}

}  // namespace

Result<void> match_path(const ResourceRequest& request, json::Value& document) {
  const std::string_view name = metadata_text(document, "name");
  if (name.empty()) {
    return meta::bad_request_error("the name of the object (" + request.route.name +
                                   " based on URL) was undeterminable: name must be provided");
  }
  if (name != request.route.name) {
    return meta::bad_request_error("the name of the object (" + std::string(name) +
                                   ") does not match the name on the URL (" + request.route.name +
                                   ")");
  }
  const std::string_view namespace_ = metadata_text(document, "namespace");
  if (request.resource->namespaced && !namespace_.empty() &&
      namespace_ != request.route.namespace_) {
    return meta::bad_request_error("the namespace of the object (" + std::string(namespace_) +
                                   ") does not match the namespace on the request (" +
                                   request.route.namespace_ + ")");
  }
  return match_namespace(*request.resource, request.route.namespace_, document);
}

Result<HttpResponse> create_object(ApiContext& api, const ResourceRequest& request) {
  auto input = read_input(api, request, WriteKind::Create);
  if (!input) return input.error();
  const Resource& resource = *request.resource;
  if (auto match = match_namespace(resource, request.route.namespace_, input->document); !match) {
    return match.error();
  }
  const auto created =
      api.objects.create(resource, request.route.namespace_, std::move(input->document),
                         !input->options.dry_run.empty());
  if (!created) return created.error();
  return written(201, request, **created, *input->encoding, input->warnings);
}

Result<HttpResponse> update_object(ApiContext& api, const ResourceRequest& request, Part part) {
  auto input = read_input(api, request, WriteKind::Update);
  if (!input) return input.error();
  if (auto match = match_path(request, input->document); !match) return match.error();
  const Resource& resource = *request.resource;
  const json::Value& document = input->document;
  auto updated = api.objects.update(
      resource, request.key(), part,
      [&](const json::Value&) -> Result<json::Value> { return document; },
      !input->options.dry_run.empty());
  const bool creates = !updated && part == Part::Main && resource.kind->create_on_update &&
                       is_not_found(updated.error()) &&
                       !api.objects.collection(resource).get(request.key().to_string());
  if (creates) {
    if (!metadata_text(document, "uid").empty()) {
      return meta::conflict_error(resource.group_resource(), request.route.name,
                                  "Precondition failed: UID in precondition: " +
                                      std::string(metadata_text(document, "uid")) +
                                      ", UID in object meta: ");
    }
    json::Value fresh = document;
    metadata_of(fresh).erase("resourceVersion");
    auto created = api.objects.create(resource, request.route.namespace_, std::move(fresh),
                                      !input->options.dry_run.empty());
    if (!created) return created.error();
    return written(201, request, **created, *input->encoding, input->warnings);
  }
  if (!updated) return updated.error();
  return written(200, request, **updated, *input->encoding, input->warnings);
}

Result<HttpResponse> patch_object(ApiContext& api, const ResourceRequest& request, Part part) {
  const auto encoding = choose_encoding(api, request, ResponseShape::Object);
  if (!encoding) return encoding.error();
  const Resource& resource = *request.resource;
  const auto format = patch_format(request.http.content_type, resource);
  if (!format) return format.error();
  const auto options = read_write_options(request.route.query, WriteKind::Patch);
  if (!options) return options.error();
  FieldValidation fields(options->field_validation);
  const auto patch = fields.read_patch(*format, request.http.body);
  if (!patch) return patch.error();
  const auto change = [&](const json::Value& current) -> Result<json::Value> {
    auto patched = apply_patch(*format, current, *patch, resource.gvk);
    if (!patched) return patched;
    auto document = check_document(resource, *std::move(patched));
    if (!document) return document;
    if (auto fits = fields.check(resource, *document); !fits) {
      return patched_misfit(request, fits.error());
    }
    if (auto match = match_path(request, *document); !match) return match.error();
    return document;
  };
  const auto updated =
      api.objects.update(resource, request.key(), part, change, !options->dry_run.empty());
  if (!updated) return updated.error();
  return written(200, request, **updated, **encoding, fields.warnings());
}

}  // namespace kube::apiserver
