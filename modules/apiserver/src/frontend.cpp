// SPDX-License-Identifier: Apache-2.0
#include <kube/apiserver/frontend.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "api_server_impl.hpp"

namespace kube::apiserver {
namespace {

// Whether a watch cache serves a read; else the store does, as etcd serves quorum reads.
bool reads_cache(const FrontendRequest& request) {
  if (request.method != "GET") return false;
  const auto route = parse_route(request.method, request.target);
  if (!route || !route->is_resource) return false;
  const Query& query = route->query;
  // A streamed list without a version is as fresh as the store.
  if (route->verb == Verb::Watch) {
    return query.get("sendInitialEvents") != "true" || !query.get("resourceVersion").empty();
  }
  return !query.get("resourceVersion").empty() && query.get("continue").empty() &&
         query.get("resourceVersionMatch") != "Exact";
}

// What a store needs to know of an object that was removed: its key, and when.
ObjectPtr removed(const Event& event) {
  auto object = std::make_shared<StoredObject>();
  object->namespace_ = event.object->namespace_;
  object->name = event.object->name;
  object->uid = event.object->uid;
  object->revision = event.revision;
  return object;
}

class Watch final : public FrontendWatch {
 public:
  Watch(std::shared_ptr<WatchSource> source, Executor& timers)
      : source_(std::move(source)), timers_(timers) {}
  void start(std::function<void()> wake) override { source_->attach(timers_, std::move(wake)); }
  State next(std::string& out) override {
    std::vector<Slice> slices;
    const WatchSource::State state = source_->pump(slices);
    for (const Slice& slice : slices) out.append(slice.bytes);
    if (state == WatchSource::State::Data) return State::Data;
    return state == WatchSource::State::Idle ? State::Idle : State::End;
  }

 private:
  const std::shared_ptr<WatchSource> source_;
  Executor& timers_;
};

FrontendResponse whole(HttpResponse response, Executor& timers) {
  FrontendResponse out;
  out.status = response.status;
  out.headers = std::move(response.headers);
  if (!response.content_type.empty())
    out.headers.emplace_back("Content-Type", response.content_type);
  if (response.watch) {
    out.watch = std::make_shared<Watch>(std::move(response.watch), timers);
    return out;
  }
  response.body.flatten();
  out.body = std::move(response.body.text);
  if (response.stream) {
    constexpr std::size_t kPiece = std::size_t{128} << 10U;
    auto state = BodySource::State::More;
    while (state == BodySource::State::More) {
      Body piece;
      state = response.stream->next(kPiece, piece);
      piece.flatten();
      out.body += piece.text;
    }
  }
  return out;
}

}  // namespace

struct Frontend::Impl final : ObjectStores {
  struct Waiting {
    HttpRequest request;
    bool from_cache = false;
    std::function<void(FrontendResponse)> done;
    RevisionSource* source = nullptr;
    WakerPtr waker;
    Timer timer;
    bool woken = false;
    bool too_late = false;
  };

  explicit Impl(ApiServer::Impl& owner)
      : server(owner),
        context{{server.limits, server.options.version, server.registry, *this, server.ids,
                 server.openapi, server.timers, server.events_sent, server.watchers, server.frames},
                server.options,
                server.store,
                server.objects},
        handler(context) {
    restart(0);
  }
  ~Impl() override {
    for (auto& [id, each] : waiting) each.source->forget(each.waker);
  }

  Result<Store*> store_of(const Resource&, std::string_view) override {
    return from_cache ? cache.get() : &server.store;
  }

  void handle(HttpRequest request, bool cached, bool last,
              std::function<void(FrontendResponse)> done);
  void wake(std::uint64_t id, bool too_late);
  void serve_woken();
  void follow(std::size_t count);
  void restart(std::size_t behind);

  ApiServer::Impl& server;
  std::unique_ptr<Store> cache;
  std::size_t position = 0;  // in the server's commits
  bool from_cache = false;
  ApiContext context;
  ApiHandler handler;
  std::map<std::uint64_t, Waiting> waiting;
  std::uint64_t next_id = 0;
  bool serving = false;
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);
};

void Frontend::Impl::handle(HttpRequest request, bool cached, bool last,
                            std::function<void(FrontendResponse)> done) {
  from_cache = cached;
  HttpResponse response = handler.handle(request, last);
  if (!response.await_revision) return done(whole(std::move(response), server.timers));
  const std::uint64_t id = next_id++;
  const std::weak_ptr<bool> exists = alive;
  Waiting& entry = waiting[id];
  entry.request = std::move(request);
  entry.request.awaited = response.await_revision->state;
  entry.from_cache = cached;
  entry.done = std::move(done);
  entry.source = response.await_revision->source;
  entry.waker = std::make_shared<const Waker>([this, exists, id] {
    if (exists.lock()) wake(id, false);
  });
  entry.timer = server.timers.submit_after(
      response.await_revision->timeout.value_or(server.options.fresh_read_timeout),
      [this, exists, id] {
        if (exists.lock()) wake(id, true);
      });
  entry.source->when_reached(response.await_revision->revision, entry.waker);
}

// The store wakes in the order of addresses; requests are served in that of their arrival.
void Frontend::Impl::wake(std::uint64_t id, bool too_late) {
  const auto at = waiting.find(id);
  if (at == waiting.end()) return;
  at->second.woken = true;
  at->second.too_late = at->second.too_late || too_late;
  if (std::exchange(serving, true)) return;
  server.timers.submit([this, exists = std::weak_ptr<bool>(alive)] {
    if (exists.lock()) serve_woken();
  });
}

void Frontend::Impl::serve_woken() {
  serving = false;
  std::vector<Waiting> woken;
  for (auto at = waiting.begin(); at != waiting.end();) {
    if (!at->second.woken) {
      ++at;
      continue;
    }
    woken.push_back(std::move(at->second));
    at = waiting.erase(at);
  }
  for (Waiting& each : woken) {
    each.source->forget(each.waker);
    handle(std::move(each.request), each.from_cache, each.too_late, std::move(each.done));
  }
}

void Frontend::Impl::follow(std::size_t count) {
  for (; count != 0 && position < server.commits.size(); --count, ++position) {
    const Commit& commit = server.commits[position];
    const bool gone = commit.event->type == EventType::Deleted;
    cache->follow(cache->collection(commit.collection), commit.event->type,
                  gone ? removed(*commit.event) : commit.event->object);
  }
}

void Frontend::Impl::restart(std::size_t behind) {
  for (auto& [id, each] : waiting) each.source->forget(each.waker);
  waiting.clear();
  const std::uint64_t first =
      server.commits.empty() ? server.store.revision() : server.commits.front().event->revision - 1;
  cache = std::make_unique<Store>(Store::Options{
      {server.options.history, server.options.history_bytes},
      first,
      [this](std::function<void()> task) { server.timers.submit(std::move(task)); }});
  position = 0;
  follow(server.commits.size() - std::min(behind, server.commits.size()));
  cache->compact(cache->revision());
}

Frontend::Frontend(ApiServer& server) : impl_(std::make_unique<Impl>(*server.impl_)) {}

Frontend::~Frontend() = default;

void Frontend::handle(FrontendRequest request, std::function<void(FrontendResponse)> done) {
  const bool cached = reads_cache(request);
  HttpRequest http;
  http.method = std::move(request.method);
  http.target = std::move(request.target);
  http.accept = std::move(request.accept);
  http.content_type = std::move(request.content_type);
  http.authorization = std::move(request.authorization);
  http.user_agent = std::move(request.user_agent);
  http.body = std::move(request.body);
  http.host = "localhost";
  impl_->handle(std::move(http), cached, false, std::move(done));
}

std::size_t Frontend::behind() const {
  return impl_->server.commits.size() - impl_->position;
}

void Frontend::follow(std::size_t count) {
  impl_->follow(count);
}

std::uint64_t Frontend::resource_version() const {
  return impl_->cache->revision();
}

void Frontend::restart(std::size_t behind) {
  impl_->restart(behind);
}

std::vector<StoreWrite> Frontend::writes(std::size_t from) const {
  std::vector<StoreWrite> out;
  const std::vector<Commit>& commits = impl_->server.commits;
  for (std::size_t i = from; i < commits.size(); ++i) out.push_back(write_of(commits[i]));
  return out;
}

}  // namespace kube::apiserver
