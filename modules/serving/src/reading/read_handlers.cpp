// SPDX-License-Identifier: Apache-2.0
#include "reading/read_handlers.hpp"

#include <algorithm>
#include <utility>

#include <kube/names/go_text.hpp>
#include <kube/names/time.hpp>

#include "documents/errors.hpp"
#include "forms/encoding.hpp"
#include "reading/continue_token.hpp"
#include "reading/list_response.hpp"
#include "reading/responses.hpp"
#include "reading/watch_session.hpp"
#include "storage/selection.hpp"

namespace kube::serving {
namespace {

std::string revision_problem(std::string_view text) {
  return "resourceVersion: Invalid value: \"" + std::string(text) +
         "\": " + go::integer_problem("ParseUint", text);
}

Result<std::uint64_t> read_revision(std::string_view text) {
  const auto revision = parse_revision(text);
  if (!revision)
    return meta::bad_request_error("invalid resource version: " + revision_problem(text));
  return *revision;
}

/// Returns nothing when the store has the revision; else a response that waits, or a 504.
std::optional<Result<HttpResponse>> wait_for(Store& store, const ReadRequest& request,
                                             std::uint64_t revision) {
  const std::uint64_t current = store.revision();
  if (revision <= current) return std::nullopt;
  if (request.last_attempt) return meta::too_large_resource_version_error(revision, current);
  HttpResponse response;
  response.await_revision = AwaitedRevision{&store, revision};
  return response;
}

Result<void> check_timeout(const Query& query) {
  const std::string_view timeout = query.get("timeout");
  if (timeout.empty() || meta::Duration::parse(timeout)) return {};
  return meta::bad_request_error(
      "invalid timeout specified in the request URL - expected a duration such as "
      "30s, not \"" +
      std::string(timeout) + "\"");
}

/// Returns the namespace of the path, else the one that the selector requires; "" for all.
std::string namespace_of(const ReadRequest& request, const Selection& selection) {
  if (!request.route.namespace_.empty() || !request.resource->namespaced) {
    return request.route.namespace_;
  }
  return selection.required_namespace().value_or("");
}

/// The part of a collection that a list reads.
struct ListPlan {
  Scope scope{};
  Collection::Page page{};
  std::size_t known_remaining = 0;  ///< From the token.
  bool continues = false;
  bool one_key = false;  ///< Only the object at page.start can match.
};

bool is_whole(const Collection::Page& page) {
  return page.limit == 0 && !page.at && page.start.empty();
}

Result<ListPlan> plan_list(const ReadRequest& request, const ListOptions& options,
                           const Selection& selection) {
  ListPlan plan;
  plan.scope.namespace_ = namespace_of(request, selection);
  const auto revision = read_revision(options.resource_version);
  if (!revision) return revision.error();
  plan.page.limit = static_cast<std::size_t>(options.limit);
  plan.page.count_remaining = selection.empty();
  if (!options.continue_.empty()) {
    if (*revision != 0) {
      return meta::bad_request_error(
          "specifying resource version is not allowed when using continue");
    }
    auto token = parse_token(options.continue_);
    if (!token) return token.error();
    plan.continues = true;
    plan.page.at = token->revision;
    plan.page.start =
        plan.scope.namespace_.empty() ? token->start : plan.scope.namespace_ + "/" + token->start;
    plan.known_remaining = token->remaining;
    plan.page.count_remaining = plan.page.count_remaining && token->remaining == 0;
    return plan;
  }
  if (options.resource_version == "0") plan.page.limit = 0;
  const bool exact = options.resource_version_match == "Exact" ||
                     (options.resource_version_match.empty() && options.limit != 0);
  if (exact && *revision != 0) plan.page.at = *revision;
  const auto name = selection.required_name();
  if (name && (!request.resource->namespaced || !plan.scope.namespace_.empty())) {
    plan.one_key = true;
    plan.page.start = ObjectKey{plan.scope.namespace_, *name}.to_string();
  }
  return plan;
}

/// Keeps the first `limit` selected objects; returns whether there are more.
bool keep_selected(const Selection& selection, std::size_t limit, std::vector<ObjectPtr>& objects) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (!selection.matches(*objects[i])) continue;
    if (kept == limit) {
      objects.resize(kept);
      return true;
    }
    if (kept != i) objects[kept] = std::move(objects[i]);
    ++kept;
  }
  objects.resize(kept);
  return false;
}

std::string token_start(const Scope& scope, const StoredObject& last) {
  std::string start = scope.namespace_.empty() ? last.key() : last.name;
  start += '\0';
  return start;
}

Result<HttpResponse> list_page(Store& store, const ReadRequest& request, const ListOptions& options,
                               ListPlan& plan, Selection selection, EncodingPtr encoding) {
  // A page of selected objects is cut here, from all objects; a page of all objects by the store.
  const std::size_t limit = plan.page.limit;
  if (!selection.empty()) plan.page.limit = plan.one_key ? 1 : 0;
  Snapshot snapshot;
  Collection& collection = store.collection(request.resource->storage);
  switch (collection.page(plan.scope, plan.page, snapshot)) {
    case ReadError::None:
      break;
    case ReadError::TooNew:
      return meta::too_large_resource_version_error(*plan.page.at, store.revision());
    case ReadError::Expired:
      if (!plan.continues) {
        return meta::resource_expired_error(
            "The resourceVersion for the provided list is too old.");
      }
      ContinueToken latest = *parse_token(options.continue_);
      latest.revision.reset();
      latest.remaining = 0;
      return expired_token(format_token(latest));
  }

  ListFacts facts;
  facts.revision = snapshot.revision;
  bool more = snapshot.remaining != 0 && !plan.one_key;
  if (!selection.empty() && limit != 0) {
    more = keep_selected(selection, limit, snapshot.objects);
  }
  if (more) {
    ContinueToken token;
    token.revision = snapshot.revision;
    token.start = token_start(plan.scope, *snapshot.objects.back());
    if (selection.empty()) {
      const std::size_t known = plan.known_remaining;
      facts.remaining =
          known > snapshot.objects.size() ? known - snapshot.objects.size() : snapshot.remaining;
      token.remaining = facts.remaining;
    }
    facts.continue_ = format_token(token);
  }
  return list_response(request.resource, collection,
                       std::make_shared<const std::vector<ObjectPtr>>(std::move(snapshot.objects)),
                       std::move(selection), facts, std::move(encoding));
}

}  // namespace

std::string namespace_of(const ReadRequest& request) {
  const std::string_view fields = request.route.query.get("fieldSelector");
  if (fields.empty() || request.route.verb == Verb::Get) return request.route.namespace_;
  const auto selection = Selection::make(*request.resource, {}, fields);
  return selection ? namespace_of(request, *selection) : request.route.namespace_;
}

Result<HttpResponse> get_object(ReadContext& api, const ReadRequest& request) {
  const auto encoding = choose_encoding(api, request, ResponseShape::Object);
  if (!encoding) return encoding.error();
  if (auto timeout = check_timeout(request.route.query); !timeout) return timeout.error();
  if (request.route.query.has("export")) {
    return meta::bad_request_error(
        "the export parameter, deprecated since v1.14, is no longer supported");
  }
  const auto revision = read_revision(request.route.query.get("resourceVersion"));
  if (!revision) return revision.error();
  const auto store = api.stores.store_of(*request.resource, request.route.namespace_);
  if (!store) return store.error();
  if (auto waiting = wait_for(**store, request, *revision)) return *std::move(waiting);
  const Resource& resource = *request.resource;
  const ObjectPtr object = (*store)->collection(resource.storage).get(request.key().to_string());
  if (!object) return meta::not_found_error(resource.group_resource(), request.route.name);
  if (const auto around = (*encoding)->around_object(resource, *object)) {
    HttpResponse response;
    response.content_type = to_string((*encoding)->media());
    response.body.text = around->before;
    response.body.insert({around->bytes, object});
    response.body.text += around->after;
    return response;
  }
  return object_response(200, resource, *object, **encoding);
}

Result<HttpResponse> list_objects(ReadContext& api, const ReadRequest& request) {
  const auto encoding = choose_encoding(api, request, ResponseShape::List);
  if (!encoding) return encoding.error();
  if (auto timeout = check_timeout(request.route.query); !timeout) return timeout.error();
  const auto options = read_list_options(request.route.query, false);
  if (!options) return options.error();
  auto selection =
      Selection::make(*request.resource, options->label_selector, options->field_selector);
  if (!selection) return selection.error();
  auto plan = plan_list(request, *options, *selection);
  if (!plan) return plan.error();
  const auto store = api.stores.store_of(*request.resource, plan->scope.namespace_);
  if (!store) return store.error();
  if (!plan->page.at) {
    const auto revision = parse_revision(options->resource_version).value_or(0);
    if (auto waiting = wait_for(**store, request, revision)) return *std::move(waiting);
  }

  Collection& collection = (*store)->collection(request.resource->storage);
  std::vector<Equality> equalities = selection->equalities();
  collection.make_indexes(equalities);
  // A whole list of the current state is the same for all clients.
  if (is_whole(plan->page)) {
    ListFacts facts;
    Snapshot few;
    if (collection.select(plan->scope, equalities, few)) {
      facts.revision = few.revision;
      return list_response(request.resource, collection,
                           std::make_shared<const std::vector<ObjectPtr>>(std::move(few.objects)),
                           *std::move(selection), facts, *encoding);
    }
    SharedSnapshot now = collection.shared_snapshot(plan->scope);
    facts.revision = now.revision;
    return list_response(request.resource, collection, std::move(now.objects),
                         *std::move(selection), facts, *encoding);
  }
  plan->page.only = std::move(equalities);
  return list_page(**store, request, *options, *plan, *std::move(selection), *encoding);
}

Result<HttpResponse> watch_objects(ReadContext& api, const ReadRequest& request) {
  const auto encoding = choose_encoding(api, request, ResponseShape::Watch);
  if (!encoding) return encoding.error();
  return watch_objects(api, request, *encoding);
}

Result<HttpResponse> watch_objects(ReadContext& api, const ReadRequest& request,
                                   const EncodingPtr& encoding) {
  const auto options = read_list_options(request.route.query, true);
  if (!options) return options.error();
  std::string fields = options->field_selector;
  if (!request.route.name.empty()) {  // the legacy path of one object
    if (!fields.empty()) fields += ',';
    fields += "metadata.name=" + request.route.name;
  }
  auto selection = Selection::make(*request.resource, options->label_selector, fields);
  if (!selection) return selection.error();
  const auto revision = parse_revision(options->resource_version);
  if (!revision) return unexplained(revision_problem(options->resource_version));
  const std::string namespace_ = namespace_of(request, *selection);
  const auto store = api.stores.store_of(*request.resource, namespace_);
  if (!store) return store.error();

  WatchSession::Start start;
  start.resource = request.resource;
  start.collection = &(*store)->collection(request.resource->storage);
  start.epoch = start.collection->epoch();
  if (request.resource->is_custom()) {
    start.presence = [&registry = api.registry, resource = request.resource] {
      return registry.table()->presence_of(*resource);
    };
  }
  start.scope.namespace_ = namespace_;
  start.selection = *std::move(selection);
  start.encoding = encoding;
  start.frames = api.frames;
  // Without options, a watch from "" or "0" begins with the current state, for old clients.
  start.initial_events = options->send_initial_events.value_or(*revision == 0);
  start.initial_end_marker = start.initial_events && options->allow_watch_bookmarks;
  start.bookmarks = options->allow_watch_bookmarks;
  start.bookmark_period = api.limits.bookmark_period;
  start.bookmark_delay = std::chrono::duration_cast<Duration>(api.limits.bookmark_period *
                                                              (0.75 + 0.5 * api.ids.fraction()));
  start.timeout = options->timeout_seconds
                      ? Duration(std::chrono::seconds(
                            std::min<std::int64_t>(*options->timeout_seconds, 1 << 30)))
                      : std::chrono::duration_cast<Duration>(api.limits.min_watch_timeout *
                                                             (1.0 + api.ids.fraction()));
  start.buffer = api.limits.watch_buffer_bytes;
  start.events_sent = api.events_sent;
  start.watchers = api.watchers;
  start.from = *revision;
  if (start.initial_events) {
    const std::uint64_t current = (*store)->revision();
    if (*revision > current) {
      if (!request.last_attempt) {
        HttpResponse later;
        later.await_revision = AwaitedRevision{*store, *revision};
        return later;
      }
      start.error = meta::status_json(meta::too_large_resource_version_error(*revision, current));
    }
  } else if (*revision == 0) {
    start.from = (*store)->revision();
  } else {
    std::uint64_t oldest = 0;
    if (start.collection->check_start(*revision, oldest) == ReadError::Expired) {
      start.error = meta::status_json(too_old(*revision, oldest));
    }
  }
  HttpResponse response;
  auto session = std::make_shared<WatchSession>(std::move(start));
  response.content_type = session->content_type();
  response.watch = std::move(session);
  return response;
}

}  // namespace kube::serving
