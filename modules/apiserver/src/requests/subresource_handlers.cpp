// SPDX-License-Identifier: Apache-2.0
#include "requests/subresource_handlers.hpp"

#include <utility>

#include <kube/meta/label_selector.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "forms/negotiation.hpp"
#include "requests/answers.hpp"
#include "requests/read_handlers.hpp"
#include "requests/request_body.hpp"
#include "requests/scale_handlers.hpp"
#include "requests/write_handlers.hpp"

namespace kube::apiserver {
namespace {

/// The document of a POST to a subresource that has a kind of its own.
struct Posted {
  Accepted accepted;
  PatchOptions options;
  json::Value document;
};

Result<Posted> read_posted(const ResourceRequest& request, const meta::GroupVersionKind& gvk) {
  const auto accepted = negotiate(request.http.accept, AnswerShape::Part, true);
  if (!accepted) return accepted.error();
  auto options = read_write_options(request.route.query, WriteKind::Create);
  if (!options) return options.error();
  auto body = read_typed_body(request.http, gvk);
  if (!body) return body.error();
  Resource shape;  // a kind without a collection of its own
  shape.gvk = gvk;
  auto document = check_document(shape, *std::move(body));
  if (!document) return document.error();
  return Posted{*accepted, *std::move(options), *std::move(document)};
}

HttpResponse created_status(MediaType media) {
  json::Value status = meta::make_success_status();
  status.if_object()->set("code", 201);
  return document_answer(201, status, media);
}

// Says in the pod's status that it has a node.
void set_scheduled(json::Value& pod, std::string now) {
  json::Value& conditions = pod.ensure_path({"status", "conditions"});
  if (!conditions.is_array()) conditions = json::Array{};
  json::Object scheduled{{"type", "PodScheduled"},
                         {"status", "True"},
                         {"lastProbeTime", nullptr},
                         {"lastTransitionTime", std::move(now)}};
  for (json::Value& condition : *conditions.if_array()) {
    if (condition.string_at({"type"}) != "PodScheduled") continue;
    if (condition.string_at({"status"}) != "True") condition = std::move(scheduled);
    return;
  }
  conditions.if_array()->emplace_back(std::move(scheduled));
}

// Labels and annotations of a binding go to the pod, those that it has already stay.
void add_missing(const json::Value& from, json::Value& to, std::string_view member) {
  const json::Value* added = from.at_path({"metadata", member});
  if (added == nullptr || !added->is_object() || added->if_object()->empty()) return;
  json::Value& present = to.ensure_path({"metadata", member});
  if (!present.is_object()) present = json::Object{};
  for (const auto& [key, value] : *added->if_object())
    set_default(*present.if_object(), key, value);
}

Result<HttpResponse> bind(ApiContext& api, const Resource& pods, const ObjectKey& key,
                          const Posted& posted) {
  const json::Value& binding = posted.document;
  const std::string node(binding.string_at({"target", "name"}));
  const std::string_view target_kind = binding.string_at({"target", "kind"});
  const meta::FieldPath target("target");
  meta::FieldErrors errors;
  if (!target_kind.empty() && target_kind != "Node") {
    errors.push_back(
        meta::FieldError::not_supported(target.child("kind"), std::string(target_kind), {"Node"}));
  }
  if (node.empty()) errors.push_back(meta::FieldError::required(target.child("name"), ""));
  if (!errors.empty()) return meta::invalid_error({"", "Binding"}, key.name, errors);

  const meta::GroupResource subject{"", "pods/binding"};
  const auto change = [&](const json::Value& pod) -> Result<json::Value> {
    const std::string_view uid = metadata_text(binding, "uid");
    if (!uid.empty() && uid != metadata_text(pod, "uid")) {
      return meta::conflict_error(
          subject, key.name,
          "Precondition failed: UID in precondition: " + std::string(uid) +
              ", UID in object meta: " + std::string(metadata_text(pod, "uid")));
    }
    if (!metadata_text(pod, "deletionTimestamp").empty()) {
      return meta::conflict_error(
          subject, key.name, "pod " + key.name + " is being deleted, cannot be assigned to a host");
    }
    if (const std::string_view taken = pod.string_at({"spec", "nodeName"}); !taken.empty()) {
      return meta::conflict_error(
          subject, key.name,
          "pod " + key.name + " is already assigned to node \"" + std::string(taken) + "\"");
    }
    json::Value next = pod;
    next.ensure_path({"spec", "nodeName"}) = node;
    add_missing(binding, next, "labels");
    add_missing(binding, next, "annotations");
    set_scheduled(next, api.objects.now_text());
    return next;
  };
  const auto bound =
      api.objects.update(pods, key, Part::Whole, change, !posted.options.dry_run.empty());
  if (!bound) return bound.error();
  return created_status(posted.accepted.media);
}

Result<HttpResponse> serve_binding(ApiContext& api, const ResourceRequest& request) {
  const auto posted = read_posted(request, {"", "v1", "Binding"});
  if (!posted) return posted.error();
  const std::string_view name = metadata_text(posted->document, "name");
  if (!name.empty() && name != request.route.name) {
    return meta::bad_request_error("name in URL does not match name in Binding object");
  }
  return bind(api, *request.resource, request.key(), *posted);
}

/// Why a pod must not be evicted now; nothing when it may.
Result<void> check_budgets(ApiContext& api, const StoredObject& pod) {
  const auto budgets_resource = api.registry.table()->find("policy", "v1", "poddisruptionbudgets");
  if (!budgets_resource) return {};
  std::size_t matching = 0;
  bool blocked = false;
  const Snapshot budgets = api.objects.collection(*budgets_resource).snapshot({pod.namespace_});
  for (const ObjectPtr& stored : budgets.objects) {
    const auto budget = decode_object(*stored, *budgets_resource);
    if (!budget) return budget.error();
    const json::Value* wire = budget->at_path({"spec", "selector"});
    const auto selector = labels::from_label_selector(wire == nullptr ? json::Value{} : *wire);
    if (!selector || !LabelTerms(*selector).matches(pod.labels)) continue;
    ++matching;
    blocked = budget->int_at({"status", "disruptionsAllowed"}).value_or(0) <= 0;
  }
  if (matching > 1) {
    return meta::internal_error(
        "This pod has more than one PodDisruptionBudget, which the eviction "
        "subresource does not support.");
  }
  if (!blocked) return {};
  return meta::error_from_status(meta::make_status(
      meta::StatusReason::TooManyRequests,
      "Cannot evict pod as it would violate the pod's disruption budget.",
      meta::StatusSubject{
          .causes = {
              {"DisruptionBudget", "The disruption budget does not allow a disruption now", ""}}}));
}

Result<HttpResponse> serve_eviction(ApiContext& api, const ResourceRequest& request) {
  const auto posted = read_posted(request, {"policy", "v1", "Eviction"});
  if (!posted) return posted.error();
  const std::string_view name = metadata_text(posted->document, "name");
  if (!name.empty() && name != request.route.name) {
    return meta::bad_request_error("name in URL does not match name in Eviction object");
  }
  const json::Value* wire = posted->document.at_path({"deleteOptions"});
  auto options = read_delete_options(Query{}, wire == nullptr ? json::Value{} : *wire);
  if (!options) return options.error();
  if (!posted->options.dry_run.empty()) options->dry_run = posted->options.dry_run;
  const auto pod = api.objects.get(*request.resource, request.key());
  if (!pod) return pod.error();
  if (!(*pod)->terminating) {
    if (auto allowed = check_budgets(api, **pod); !allowed) return allowed.error();
  }
  const auto removal = api.objects.remove(*request.resource, request.key(), *options);
  if (!removal) return removal.error();
  return created_status(posted->accepted.media);
}

// PUT of a namespace whose spec.finalizers shrink; without any, a terminating namespace vanishes.
Result<HttpResponse> serve_finalize(ApiContext& api, const ResourceRequest& request) {
  const auto encoding = choose_encoding(api, request, AnswerShape::Object);
  if (!encoding) return encoding.error();
  const auto options = read_write_options(request.route.query, WriteKind::Update);
  if (!options) return options.error();
  auto body = read_typed_body(request.http, request.resource->gvk);
  if (!body) return body.error();
  auto document = check_document(*request.resource, *std::move(body));
  if (!document) return document.error();
  if (auto match = match_path(request, *document); !match) return match.error();
  const json::Value* finalizers = document->at_path({"spec", "finalizers"});
  const std::string_view version = metadata_text(*document, "resourceVersion");
  const auto change = [&](const json::Value& current) -> Result<json::Value> {
    if (!version.empty() && version != metadata_text(current, "resourceVersion")) {
      return meta::optimistic_lock_error(request.resource->group_resource(), request.route.name);
    }
    json::Value next = current;
    next.ensure_path({"spec", "finalizers"}) =
        finalizers == nullptr ? json::Value(json::Array{}) : *finalizers;
    return next;
  };
  const auto updated = api.objects.update(*request.resource, request.key(), Part::Whole, change,
                                          !options->dry_run.empty());
  if (!updated) return updated.error();
  return object_answer(200, *request.resource, **updated, **encoding);
}

// A token that says whose it is and means nothing to anybody: this server makes no use of it.
Result<HttpResponse> serve_token(ApiContext& api, const ResourceRequest& request) {
  auto posted = read_posted(request, {"authentication.k8s.io", "v1", "TokenRequest"});
  if (!posted) return posted.error();
  const auto account = api.objects.get(*request.resource, request.key());
  if (!account) return account.error();
  json::Value& document = posted->document;
  const std::int64_t seconds = document.int_at({"spec", "expirationSeconds"}).value_or(3600);
  if (seconds < 600) {
    return meta::invalid_error(
        {"authentication.k8s.io", "TokenRequest"}, request.route.name,
        {meta::FieldError::invalid(meta::FieldPath("spec").child("expirationSeconds"), seconds,
                                   "may not specify a duration less than 10 minutes")});
  }
  document.ensure_path({"spec", "expirationSeconds"}) = seconds;
  json::Object& metadata = metadata_of(document);
  metadata.set("name", request.route.name);
  metadata.set("namespace", request.route.namespace_);
  metadata.set("creationTimestamp", api.objects.now_text());
  document.ensure_path({"status", "token"}) =
      "kubecpp-" + request.route.namespace_ + "-" + request.route.name + "-" + api.ids.uid();
  document.ensure_path({"status", "expirationTimestamp"}) = format_time(
      deadline_after(api.timers.clock()->wall_now(), saturated(std::chrono::seconds(seconds))));
  return document_answer(201, document, posted->accepted.media);
}

Result<HttpResponse> serve_part(ApiContext& api, const ResourceRequest& request, Verb verb,
                                Part part) {
  if (verb == Verb::Get) return get_object(api, request);
  return verb == Verb::Update ? update_object(api, request, part)
                              : patch_object(api, request, part);
}

}  // namespace

Result<HttpResponse> serve_subresource(ApiContext& api, const ResourceRequest& request, Verb verb) {
  const std::string& name = request.subresource->name;
  // Conditions of a signing request's approval live in its status.
  if (name == "status" || name == "approval") return serve_part(api, request, verb, Part::Status);
  if (name == "scale") return serve_scale(api, request, verb);
  if (name == "binding") return serve_binding(api, request);
  if (name == "eviction") return serve_eviction(api, request);
  if (name == "finalize") return serve_finalize(api, request);
  if (name == "token") return serve_token(api, request);
  // What is left changes a pod's containers: ephemeralcontainers, resize.
  return serve_part(api, request, verb, Part::Containers);
}

Result<HttpResponse> create_binding(ApiContext& api, const ResourceRequest& request,
                                    const std::shared_ptr<const Resource>& pods) {
  const auto posted = read_posted(request, {"", "v1", "Binding"});
  if (!posted) return posted.error();
  const ObjectKey key{request.route.namespace_,
                      std::string(metadata_text(posted->document, "name"))};
  if (key.name.empty()) {
    return meta::invalid_error(
        {"", "Binding"}, "",
        {meta::FieldError::required(meta::FieldPath("metadata").child("name"), "")});
  }
  return bind(api, *pods, key, *posted);
}

}  // namespace kube::apiserver
