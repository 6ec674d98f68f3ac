// SPDX-License-Identifier: Apache-2.0
#include "requests/delete_handlers.hpp"

#include <string>
#include <utility>
#include <vector>

#include "documents/errors.hpp"
#include "forms/negotiation.hpp"
#include "reading/read_handlers.hpp"
#include "reading/responses.hpp"
#include "requests/request_body.hpp"
#include "storage/selection.hpp"

namespace kube::apiserver {
namespace {

// The errors of options do not show the body.
Result<json::Value> read_options_body(const HttpRequest& request) {
  const auto media = body_type(request.content_type, true);
  if (!media) return media.error();
  if (*media == MediaType::Protobuf)
    return read_document(request.body, *media, {"", "v1", "DeleteOptions"});
  std::vector<std::string> repeated_keys;
  auto read = *media == MediaType::Yaml ? read_yaml(request.body, repeated_keys)
                                        : json::parse(request.body);
  if (const auto problem = body_problem(read, request.body, *media))
    return meta::bad_request_error(*problem);
  return read;
}

Result<DeleteOptions> read_request(const ResourceRequest& request) {
  json::Value body;
  if (!request.http.body.empty()) {
    // Options are typed for all resources.
    auto document = read_options_body(request.http);
    if (!document) return document.error();
    body = *std::move(document);
  }
  return read_delete_options(request.route.query, body);
}

/// Returns what a deletion that does not say what happens to dependents is told.
std::vector<std::string> deletion_warnings(const Resource& resource, const DeleteOptions& options) {
  const std::string_view warning = resource.kind->deletion_warning;
  const bool says = !options.propagation_policy.value_or("").empty() || options.orphan_dependents;
  if (warning.empty() || says) return {};
  return {std::string(warning)};
}

HttpResponse removed_status(const Resource& resource, const StoredObject& object, MediaType media) {
  return document_response(
      200,
      meta::make_success_status(meta::StatusDetails{.name = object.name,
                                                    .group = resource.gvk.group,
                                                    .kind = resource.plural,
                                                    .uid = object.uid}),
      media);
}

}  // namespace

Result<HttpResponse> delete_object(ApiContext& api, const ResourceRequest& request) {
  const auto encoding = choose_encoding(api, request, ResponseShape::Object);
  if (!encoding) return encoding.error();
  const auto options = read_request(request);
  if (!options) return options.error();
  const Resource& resource = *request.resource;
  const auto removal = api.objects.remove(resource, request.key(), *options);
  HttpResponse response;
  if (!removal) {
    response = error_response(removal.error(), request.http.accept);
  } else if (removal->removed && !resource.kind->returns_deleted_object) {
    response = removed_status(resource, *removal->object, (*encoding)->media());
  } else {
    // A 202 shows an old client that asks not to orphan that dependents still exist.
    const bool waits = !removal->removed && options->orphan_dependents == false;
    response = object_response(waits ? 202 : 200, resource, *removal->object, **encoding);
  }
  add_warnings(deletion_warnings(resource, *options), response);
  return response;
}

Result<HttpResponse> delete_objects(ApiContext& api, const ResourceRequest& request) {
  const auto encoding = choose_encoding(api, request, ResponseShape::List);
  if (!encoding) return encoding.error();
  const auto options = read_request(request);
  if (!options) return options.error();
  const auto list = read_list_options(request.route.query, false);
  if (!list) return list.error();
  auto selection = Selection::make(*request.resource, list->label_selector, list->field_selector);
  if (!selection) return selection.error();

  const Resource& resource = *request.resource;
  const Snapshot snapshot = api.objects.collection(resource).snapshot({request.route.namespace_});
  std::vector<ObjectPtr> deleted;
  for (const ObjectPtr& object : snapshot.objects) {
    if (!selection->matches(*object)) continue;
    const auto removal = api.objects.remove(resource, {object->namespace_, object->name}, *options);
    if (removal) {
      deleted.push_back(object);  // as it was listed
    } else if (!is_not_found(removal.error())) {
      return removal.error();
    }
  }
  HttpResponse response = list_response(request.resource, api.objects.collection(resource),
                                        std::move(deleted), api.store.revision(), *encoding);
  add_warnings(deletion_warnings(resource, *options), response);
  return response;
}

}  // namespace kube::apiserver
