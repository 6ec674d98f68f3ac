// SPDX-License-Identifier: Apache-2.0
#include "requests/read_handlers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <kube/names/time.hpp>

#include "documents/errors.hpp"
#include "forms/encoding.hpp"
#include "requests/continue_token.hpp"
#include "requests/responses.hpp"
#include "requests/watch_session.hpp"
#include "storage/selection.hpp"

namespace kube::apiserver {
namespace {

// Lists up to this size are sent whole, with their length; longer ones are streamed.
constexpr std::size_t kWholeList = std::size_t{128} << 10U;

/// The text of a list, produced while it is sent.
class ListSource final : public BodySource {
 public:
  ListSource(std::shared_ptr<const Resource> resource, SharedObjects objects, Selection selection,
             EncodingPtr encoding)
      : resource_(std::move(resource)),
        objects_(std::move(objects)),
        selection_(std::move(selection)),
        encoding_(std::move(encoding)) {}

  void begin(ListFacts facts) {
    if (encoding_->needs_sizes()) {
      select();
      for (const ObjectPtr& each : *objects_)
        facts.items_size += encoding_->item_size(*resource_, *each);
    }
    encoding_->list_head(*resource_, facts, ahead_);
  }
  /// Produces some of the text now, for the next call of next().
  bool prefetch(std::size_t size) { return fill(size, ahead_); }
  std::string take_ahead() { return std::move(ahead_); }

  bool next(std::size_t size, std::string& out) override {
    if (!ahead_.empty()) {
      out += std::exchange(ahead_, {});
      return at_ <= objects_->size();
    }
    return fill(size, out);
  }

 private:
  void select() {
    if (selection_.empty()) return;
    auto selected = std::make_shared<std::vector<ObjectPtr>>();
    std::ranges::copy_if(*objects_, std::back_inserter(*selected),
                         [&](const ObjectPtr& each) { return selection_.matches(*each); });
    objects_ = std::move(selected);
    selection_ = {};
  }

  // at_ is one above the size after the tail is written.
  bool fill(std::size_t size, std::string& out) {
    const std::size_t before = out.size();
    while (at_ < objects_->size()) {
      const StoredObject& object = *(*objects_)[at_++];
      if (selection_.matches(object)) {
        encoding_->list_item(*resource_, object, first_, out);
        first_ = false;
      }
      if (out.size() - before >= size) return true;
    }
    if (at_ > objects_->size()) return false;
    encoding_->list_tail(out);
    ++at_;
    return false;
  }

  std::shared_ptr<const Resource> resource_;
  SharedObjects objects_;
  Selection selection_;
  EncodingPtr encoding_;
  std::string ahead_;
  std::size_t at_ = 0;
  bool first_ = true;
};

HttpResponse list_response(std::shared_ptr<const Resource> resource, SharedObjects objects,
                           Selection selection, const ListFacts& facts, EncodingPtr encoding) {
  HttpResponse response;
  const MediaType media = encoding->media();
  response.content_type = to_string(media);
  auto source = std::make_unique<ListSource>(std::move(resource), std::move(objects),
                                             std::move(selection), std::move(encoding));
  source->begin(facts);
  if (media == MediaType::Yaml) {
    while (source->prefetch(kWholeList)) {
    }
    response.body = to_media(source->take_ahead(), media);
    return response;
  }
  if (source->prefetch(kWholeList)) {
    response.stream = std::move(source);
  } else {
    response.body = source->take_ahead();
  }
  return response;
}

Result<std::uint64_t> read_revision(std::string_view text) {
  const auto revision = parse_revision(text);
  if (!revision) {
    return meta::bad_request_error("invalid resource version: resourceVersion: Invalid value: \"" +
                                   std::string(text) + "\": expected a decimal number");
  }
  return *revision;
}

/// Returns nothing when the store has the revision; else a response that waits, or a 504.
std::optional<Result<HttpResponse>> wait_for(ApiContext& api, const ResourceRequest& request,
                                             std::uint64_t revision) {
  const std::uint64_t current = api.store.revision();
  if (revision <= current) return std::nullopt;
  if (request.last_attempt) return meta::too_large_resource_version_error(revision, current);
  HttpResponse response;
  response.await_revision = revision;
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

Result<ListPlan> plan_list(const ResourceRequest& request, const ListOptions& options,
                           const Selection& selection) {
  ListPlan plan;
  plan.scope.namespace_ = request.route.namespace_;
  if (plan.scope.namespace_.empty() && request.resource->namespaced) {
    plan.scope.namespace_ = selection.required_namespace().value_or("");
  }
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

Result<HttpResponse> list_page(ApiContext& api, const ResourceRequest& request,
                               const ListOptions& options, ListPlan& plan, Selection selection,
                               EncodingPtr encoding) {
  // A page of selected objects is cut here, from all objects; a page of all objects by the store.
  const std::size_t limit = plan.page.limit;
  if (!selection.empty()) plan.page.limit = plan.one_key ? 1 : 0;
  Snapshot snapshot;
  switch (api.objects.collection(*request.resource).page(plan.scope, plan.page, snapshot)) {
    case ReadError::None:
      break;
    case ReadError::TooNew:
      return meta::too_large_resource_version_error(*plan.page.at, api.store.revision());
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
  return list_response(request.resource,
                       std::make_shared<const std::vector<ObjectPtr>>(std::move(snapshot.objects)),
                       std::move(selection), facts, std::move(encoding));
}

}  // namespace

HttpResponse list_response(std::shared_ptr<const Resource> resource, std::vector<ObjectPtr> objects,
                           std::uint64_t revision, EncodingPtr encoding) {
  ListFacts facts;
  facts.revision = revision;
  return list_response(std::move(resource),
                       std::make_shared<const std::vector<ObjectPtr>>(std::move(objects)), {},
                       facts, std::move(encoding));
}

Result<HttpResponse> get_object(ApiContext& api, const ResourceRequest& request) {
  const auto encoding = choose_encoding(api, request, ResponseShape::Object);
  if (!encoding) return encoding.error();
  if (auto timeout = check_timeout(request.route.query); !timeout) return timeout.error();
  if (request.route.query.has("export")) {
    return meta::bad_request_error(
        "the export parameter, deprecated since v1.14, is no longer supported");
  }
  const auto revision = read_revision(request.route.query.get("resourceVersion"));
  if (!revision) return revision.error();
  if (auto waiting = wait_for(api, request, *revision)) return *std::move(waiting);
  const auto object = api.objects.get(*request.resource, request.key());
  if (!object) return object.error();
  return object_response(200, *request.resource, **object, **encoding);
}

Result<HttpResponse> list_objects(ApiContext& api, const ResourceRequest& request) {
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
  if (!plan->page.at) {
    const auto revision = parse_revision(options->resource_version).value_or(0);
    if (auto waiting = wait_for(api, request, revision)) return *std::move(waiting);
  }

  // A whole list of the current state is the same for all clients.
  if (is_whole(plan->page)) {
    SharedSnapshot now = api.objects.collection(*request.resource).shared_snapshot(plan->scope);
    ListFacts facts;
    facts.revision = now.revision;
    return list_response(request.resource, std::move(now.objects), *std::move(selection), facts,
                         *encoding);
  }
  return list_page(api, request, *options, *plan, *std::move(selection), *encoding);
}

Result<HttpResponse> watch_objects(ApiContext& api, const ResourceRequest& request) {
  const auto encoding = choose_encoding(api, request, ResponseShape::Watch);
  if (!encoding) return encoding.error();
  const auto options = read_list_options(request.route.query, true);
  if (!options) return options.error();
  std::string fields = options->field_selector;
  if (!request.route.name.empty()) {  // the legacy path of one object
    if (!fields.empty()) fields += ',';
    fields += "metadata.name=" + request.route.name;
  }
  auto selection = Selection::make(*request.resource, options->label_selector, fields);
  if (!selection) return selection.error();
  const auto revision = read_revision(options->resource_version);
  if (!revision) return revision.error();

  WatchSession::Start start;
  start.resource = request.resource;
  start.collection = &api.objects.collection(*request.resource);
  start.scope.namespace_ = request.route.namespace_;
  start.selection = *std::move(selection);
  start.encoding = *encoding;
  start.frames = api.frames;
  // Without options, a watch from "" or "0" begins with the current state, for old clients.
  start.initial_events = options->send_initial_events.value_or(*revision == 0);
  start.initial_end_marker = start.initial_events && options->allow_watch_bookmarks;
  start.bookmarks = options->allow_watch_bookmarks;
  start.bookmark_period = api.options.bookmark_period;
  start.bookmark_delay = std::chrono::duration_cast<Duration>(api.options.bookmark_period *
                                                              (0.75 + 0.5 * api.ids.fraction()));
  start.timeout = options->timeout_seconds
                      ? Duration(std::chrono::seconds(
                            std::min<std::int64_t>(*options->timeout_seconds, 1 << 30)))
                      : std::chrono::duration_cast<Duration>(api.options.min_watch_timeout *
                                                             (1.0 + api.ids.fraction()));
  start.buffer = api.options.watch_buffer_bytes;
  start.events_sent = api.events_sent;
  start.watchers = api.watchers;
  start.from = *revision;
  if (start.initial_events) {
    const std::uint64_t current = api.store.revision();
    if (*revision > current) {
      if (!request.last_attempt) {
        HttpResponse later;
        later.await_revision = *revision;
        return later;
      }
      start.error = meta::status_json(meta::too_large_resource_version_error(*revision, current));
    }
  } else if (*revision == 0) {
    start.from = api.store.revision();
  } else {
    std::uint64_t oldest = 0;
    if (start.collection->check_start(*revision, oldest) == ReadError::Expired) {
      start.error = meta::status_json(too_old(*revision, oldest));
    }
  }
  HttpResponse response;
  response.watch = std::make_shared<WatchSession>(std::move(start));
  response.content_type = response.watch->content_type();
  return response;
}

}  // namespace kube::apiserver
