// SPDX-License-Identifier: Apache-2.0
#include "requests/subresource_handlers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <kube/api/types.hpp>
#include <kube/codec/normalize.hpp>
#include <kube/names/label_selector.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "forms/negotiation.hpp"
#include "kinds/bound_objects.hpp"
#include "objects/object_deletion.hpp"
#include "reading/read_handlers.hpp"
#include "reading/responses.hpp"
#include "requests/request_body.hpp"
#include "requests/scale_handlers.hpp"
#include "requests/write_handlers.hpp"

namespace kube::apiserver {
namespace {

/// The document of a POST to a subresource with its own kind.
struct Posted {
  Accepted accepted;
  PatchOptions options;
  json::Value document;
};

Result<Posted> read_posted(const ResourceRequest& request, const meta::GroupVersionKind& gvk) {
  const auto accepted = negotiate(request.http.accept, ResponseShape::Part, true);
  if (!accepted) return accepted.error();
  auto options = read_write_options(request.route.query, WriteKind::Create);
  if (!options) return options.error();
  Resource shape;  // a kind without a collection of its own
  shape.gvk = gvk;
  auto document = read_checked_body(request.http, shape);
  if (!document) return document.error();
  if (const meta::TypeDescriptor* type = api::find_type(gvk)) {
    auto fits = meta::normalize_to_type(*type, *document);
    if (!fits) return not_handled(gvk, gvk, fits.error().message());
  }
  return Posted{*accepted, *std::move(options), *std::move(document)};
}

HttpResponse created_status(MediaType media) {
  json::Value status = meta::make_success_status();
  status.if_object()->set("code", 201);
  return document_response(201, status, media);
}

Result<Posted> read_named(const ResourceRequest& request) {
  const meta::GroupVersionKind& gvk = request.subresource->gvk;
  auto posted = read_posted(request, gvk);
  if (!posted) return posted;
  if (metadata_text(posted->document, "name") == request.route.name) return posted;
  return meta::bad_request_error("name in URL does not match name in " + gvk.kind + " object");
}

// The uid and the version of a posted document are those that the object has to have.
Result<void> check_posted(const Resource& resource, const ObjectKey& key,
                          const json::Value& document, const json::Value& object) {
  for (const auto& [member, name] :
       {std::pair{"uid", "UID"}, std::pair{"resourceVersion", "ResourceVersion"}}) {
    const std::string_view wanted = metadata_text(document, member);
    const std::string_view current = metadata_text(object, member);
    if (!wanted.empty() && wanted != current)
      return unmet_condition(resource, key, name, wanted, current);
  }
  return {};
}

Result<HttpResponse> change_object(ApiContext& api, const Resource& resource, const ObjectKey& key,
                                   const SubresourceRules& rules, const Posted& posted) {
  const meta::FieldErrors errors =
      rules.validate == nullptr ? meta::FieldErrors{} : rules.validate(posted.document);
  // The reference server has no Status for these.
  if (!errors.empty()) return unexplained(meta::to_string(errors));
  if (key.name.empty()) return meta::bad_request_error("Name parameter required.");
  const auto change = [&](const json::Value& object) -> Result<json::Value> {
    if (auto met = check_posted(resource, key, posted.document, object); !met) return met.error();
    return rules.change(object, posted.document, api.objects.now_text());
  };
  const auto changed =
      api.objects.update(resource, key, Part::Uncounted, change, !posted.options.dry_run.empty());
  if (!changed) return changed.error();
  return created_status(posted.accepted.media);
}

// Returns the objects of a resource in an object's namespace whose spec.selector selects the
// object.
Result<std::vector<json::Value>> selecting(ApiContext& api, const OwnResource& own,
                                           const StoredObject& object) {
  std::vector<json::Value> out;
  const auto resource = api.registry.table()->find(own);
  if (!resource) return out;
  for (const ObjectPtr& stored :
       api.objects.collection(*resource).snapshot({object.namespace_}).objects) {
    auto content = decode_object(*stored, *resource);
    if (!content) return content.error();
    const json::Value* wire = content->at_path({"spec", "selector"});
    const auto selector = labels::from_label_selector(wire == nullptr ? json::Value{} : *wire);
    if (selector && labels::LabelTerms(*selector).matches(object.labels))
      out.push_back(*std::move(content));
  }
  return out;
}

Result<void> check_guards(ApiContext& api, const SubresourceRules& rules,
                          const StoredObject& object) {
  if (rules.guards == nullptr || object.terminating) return {};
  const auto guards = selecting(api, *rules.guards, object);
  if (!guards) return guards.error();
  return rules.allow(*guards);
}

// Marks an object that is about to be removed. A condition on its version is then one on the
// version that the mark makes.
Result<void> mark_removed(ApiContext& api, const ResourceRequest& request,
                          const SubresourceRules& rules, DeleteOptions& options) {
  if (rules.mark == nullptr || !options.dry_run.empty()) return {};
  const Resource& resource = *request.resource;
  const auto change = [&](const json::Value& current) -> Result<json::Value> {
    if (auto holds = check_preconditions(resource, current, options); !holds) return holds.error();
    json::Value next = current;
    rules.mark(next, api.objects.now_text());
    return next;
  };
  const auto marked = api.objects.update(resource, request.key(), Part::Uncounted, change, false);
  if (!marked) return marked.error();
  if (options.preconditions && options.preconditions->resource_version)
    options.preconditions->resource_version = std::to_string((*marked)->revision);
  return {};
}

Result<HttpResponse> remove_object(ApiContext& api, const ResourceRequest& request,
                                   const SubresourceRules& rules) {
  const auto posted = read_named(request);
  if (!posted) return posted.error();
  const json::Value* wire = posted->document.at_path({"deleteOptions"});
  auto options = read_delete_options(Query{}, wire == nullptr ? json::Value{} : *wire);
  if (!options) return options.error();
  if (!posted->options.dry_run.empty()) options->dry_run = posted->options.dry_run;
  const auto object = api.objects.get(*request.resource, request.key());
  if (!object) return object.error();
  if (auto allowed = check_guards(api, rules, **object); !allowed) return allowed.error();
  if (auto marked = mark_removed(api, request, rules, *options); !marked) return marked.error();
  const auto removal = api.objects.remove(*request.resource, request.key(), *options);
  if (!removal) return removal.error();
  return created_status(posted->accepted.media);
}

Result<HttpResponse> replace_part(ApiContext& api, const ResourceRequest& request,
                                  const SubresourceRules& rules) {
  const auto encoding = choose_encoding(api, request, ResponseShape::Object);
  if (!encoding) return encoding.error();
  const auto options = read_write_options(request.route.query, WriteKind::Update);
  if (!options) return options.error();
  auto document = read_checked_body(request.http, *request.resource);
  if (!document) return document.error();
  if (auto match = match_path(request, *document); !match) return match.error();
  const auto change = [&](const json::Value& current) {
    return rules.change(current, *document, api.objects.now_text());
  };
  const auto updated = api.objects.update(*request.resource, request.key(), Part::Whole, change,
                                          !options->dry_run.empty());
  if (!updated) return updated.error();
  return object_response(200, *request.resource, **updated, **encoding);
}

// A token can be bound to an object that is there.
Result<void> check_bound(ApiContext& api, const ObjectKey& account, const json::Value& document) {
  const json::Value* bound = document.at_path({"spec", "boundObjectRef"});
  if (bound == nullptr || bound->is_null()) return {};
  const std::string kind(bound->string_at({"kind"}));
  const std::string version(bound->string_at({"apiVersion"}));
  const auto own = std::ranges::find_if(serving::kBoundObjects, [&](const OwnResource& each) {
    return each.kind == kind && each.version == version;
  });
  if (own == std::end(serving::kBoundObjects)) {
    const auto [group, number] = meta::parse_group_version(version).value_or(meta::GroupVersion{});
    return meta::bad_request_error("cannot bind token to object of type " + group + "/" + number +
                                   ", Kind=" + kind);
  }
  const auto resource = api.registry.table()->find(*own);
  const std::string name(bound->string_at({"name"}));
  const auto found =
      api.objects.get(*resource, {resource->namespaced ? account.namespace_ : "", name});
  if (!found) return found.error();
  const std::string uid(bound->string_at({"uid"}));
  if (uid.empty() || uid == (*found)->uid) return {};
  return meta::conflict_error({"", kind}, name,
                              "the UID in the bound object reference (" + uid +
                                  ") does not match the UID in record. The object might have been "
                                  "deleted and then recreated");
}

Result<HttpResponse> issue_document(ApiContext& api, const ResourceRequest& request,
                                    const SubresourceRules& rules) {
  const meta::GroupVersionKind& gvk = request.subresource->gvk;
  auto posted = read_posted(request, gvk);
  if (!posted) return posted.error();
  const auto object = api.objects.get(*request.resource, request.key());
  if (!object) return object.error();
  json::Value& document = posted->document;
  const meta::FieldErrors errors = rules.validate(document);
  if (!errors.empty()) return meta::invalid_error(gvk.group_kind(), "", errors);
  if (auto bound = check_bound(api, request.key(), document); !bound) return bound.error();
  json::Object& metadata = metadata_of(document);
  metadata.set("name", request.route.name);
  metadata.set("namespace", request.route.namespace_);
  metadata.set("uid", (*object)->uid);
  metadata.set("creationTimestamp", api.objects.now_text());
  rules.issue(document, {request.route.name, request.route.namespace_, api.ids.uid(),
                         api.timers.clock()->wall_now()});
  return document_response(201, document, posted->accepted.media);
}

Result<HttpResponse> serve_part(ApiContext& api, const ResourceRequest& request, Verb verb,
                                Part part) {
  if (verb == Verb::Get) return get_object(api, request);
  return verb == Verb::Update ? update_object(api, request, part)
                              : patch_object(api, request, part);
}

const SubresourceRules& rules_of(const KindRules& kind, std::string_view name) {
  static constexpr SubresourceRules kStatus{.name = "status", .form = SubresourceForm::Status};
  const auto own = std::ranges::find(kind.subresources, name, &SubresourceRules::name);
  return own == kind.subresources.end() ? kStatus : *own;
}

}  // namespace

Result<HttpResponse> serve_subresource(ApiContext& api, const ResourceRequest& request, Verb verb) {
  const Resource& resource = *request.resource;
  if (request.subresource->name == "scale") return serve_scale(api, request, verb);
  const SubresourceRules& rules = rules_of(*resource.kind, request.subresource->name);
  switch (rules.form) {
    case SubresourceForm::Change: {
      const auto posted = read_named(request);
      if (!posted) return posted.error();
      return change_object(api, resource, request.key(), rules, *posted);
    }
    case SubresourceForm::Removal:
      return remove_object(api, request, rules);
    case SubresourceForm::Replace:
      return replace_part(api, request, rules);
    case SubresourceForm::Issue:
      return issue_document(api, request, rules);
    case SubresourceForm::Ephemeral:
      return serve_part(api, request, verb, Part::Ephemeral);
    case SubresourceForm::Resize:
      return serve_part(api, request, verb, Part::Resize);
    case SubresourceForm::Status:
      break;
  }
  const bool approves = request.subresource->name == "approval";
  return serve_part(api, request, verb, approves ? Part::Approval : Part::Status);
}

Result<HttpResponse> post_to_subresource(ApiContext& api, const ResourceRequest& request) {
  const KindRules& kind = *request.resource->kind;
  const meta::GroupVersionKind& gvk = request.resource->gvk;
  const auto posted = read_posted(request, gvk);
  if (!posted) return posted.error();
  const ObjectKey key{request.route.namespace_,
                      std::string(metadata_text(posted->document, "name"))};
  const auto resource = api.registry.table()->find(*kind.posted_to);
  return change_object(api, *resource, key, rules_of(*resource->kind, kind.posted_as), *posted);
}

}  // namespace kube::apiserver
