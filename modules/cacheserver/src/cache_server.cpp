// SPDX-License-Identifier: Apache-2.0
#include <kube/cacheserver/cache_server.hpp>

#include <atomic>
#include <utility>

#include "authorizer.hpp"
#include "cache_handler.hpp"
#include "http/gated_executor.hpp"
#include "http/http_server.hpp"
#include "http/io_threads.hpp"
#include "listening.hpp"
#include "reloader.hpp"
#include "routes.hpp"
#include "tokens.hpp"

namespace kube {

using cacheserver::Authorizer;
using cacheserver::CacheHandler;
using cacheserver::Served;
using cacheserver::ServedResources;
using cacheserver::TokenAuth;
using serving::HttpRequest;
using serving::HttpServer;

struct CacheServer::Impl {
  Impl(Options given, std::unique_ptr<cacheserver::Forwarder> writes,
       std::unique_ptr<cacheserver::Routes> own_routes)
      : options(std::move(given)),
        tokens(options.token_auth_file),
        ids(std::nullopt),
        timers(options.runtime.executor ? options.runtime.executor : io.executor()),
        files(timers, options.reload_period, options.runtime.logger),
        limits{options.bookmark_period, std::chrono::minutes(30), options.watch_buffer_bytes},
        served(registry),
        authorizer(options.authorization_rules_file, served, options.runtime.logger),
        reads{limits,  options.version, registry, served,   ids,
              openapi, timers,          sent,     watchers, frames},
        routes(std::move(own_routes)),
        handler(options, tokens, authorizer, reads, served, std::move(writes), *routes,
                [this] { return statistics(); }) {}

  Result<void> start(HttpServer::Options http_options) {
    auto listening = HttpServer::listen(
        std::move(http_options), io, timers, ids,
        {[this](const HttpRequest& request, bool last) { return handler.handle(request, last); },
         [this](const HttpRequest& request) { return handler.refuse_body(request, kMaxBody); }});
    if (!listening) return listening.error();
    http = *std::move(listening);
    url = http->url();
    follow_files();
    io.start("cacheserver", options.threads, options.runtime.logger);
    KUBE_LOG(options.runtime.logger, LogLevel::Info, "cacheserver", "listening", {"url", url});
    return {};
  }

  void follow_files() {
    if (!options.token_auth_file.empty()) {
      files.add("tokens", {options.token_auth_file}, [this] { return tokens.read(); });
    }
    if (!options.authorization_rules_file.empty()) {
      files.add("rules", {options.authorization_rules_file}, [this] { return authorizer.read(); });
    }
    if (!options.tls_cert_file.empty()) {
      files.add("certificate and key", {options.tls_cert_file, options.tls_key_file},
                [this] { return http->read_certificate(); });
    }
    files.start();
  }

  Statistics statistics() const {
    Statistics out;
    if (http) {
      out.requests = http->requests();
      out.connections = http->connections();
    }
    out.events_sent = sent->load();
    out.watchers = watchers->load();
    out.watch_bytes = frames->bytes();
    for (const Served& each : served.all()) {
      out.objects += each.feed->collection().size();
      out.history_events += each.feed->collection().history_size();
      out.history_bytes += each.feed->collection().history_bytes();
      out.states += each.feed->collection().held_states();
    }
    return out;
  }

  void stop() {
    const MutexLock one_at_a_time(stop_mutex);
    if (stopped) return;
    stopped = true;
    for (const Served& each : served.close()) each.feed->close();
    if (http) http->stop();
    routes->stop();
    timers.close();
    io.stop();
  }

  static constexpr std::size_t kMaxBody = std::size_t{3} << 20U;

  // In the order of construction; each uses the ones above it.
  const Options options;
  TokenAuth tokens;
  serving::Ids ids;
  serving::IoThreads io;
  serving::GatedExecutor timers;
  cacheserver::Reloader files;
  const serving::ReadLimits limits;
  serving::ResourceRegistry registry{std::vector<serving::ServedGroup>()};
  ServedResources served;
  Authorizer authorizer;
  serving::OpenApi openapi;
  std::shared_ptr<std::atomic<std::uint64_t>> sent =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  std::shared_ptr<std::atomic<std::size_t>> watchers =
      std::make_shared<std::atomic<std::size_t>>(0);
  std::shared_ptr<serving::EventFrames> frames = std::make_shared<serving::EventFrames>();
  serving::ReadContext reads;
  std::unique_ptr<cacheserver::Routes> routes;
  CacheHandler handler;
  std::unique_ptr<HttpServer> http;
  std::string url;
  Mutex stop_mutex;
  bool stopped KUBE_GUARDED_BY(stop_mutex) = false;
};

CacheServer::CacheServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

CacheServer::~CacheServer() {
  impl_->stop();
}

Result<std::unique_ptr<CacheServer>> CacheServer::start(Options options) {
  if (options.threads == 0 || options.max_connections == 0 || options.history == 0 ||
      options.watch_buffer_bytes == 0 || options.route_threads == 0) {
    return Error(ErrorCode::InvalidArgument,
                 "CacheServer options threads, max_connections, history, watch_buffer_bytes and "
                 "route_threads: expected at least 1");
  }
  for (const auto& [name, value] :
       {std::pair("reload_period", options.reload_period), std::pair("max_age", options.max_age),
        std::pair("route_timeout", options.route_timeout)}) {
    if (value > Duration::zero()) continue;
    return Error(ErrorCode::InvalidArgument,
                 "CacheServer option " + std::string(name) + ": expected more than 0");
  }
  auto http = cacheserver::http_options(options);
  if (!http) return http.error();
  std::unique_ptr<cacheserver::Forwarder> writes;
  if (options.writes_to) {
    auto made = cacheserver::Forwarder::make(*options.writes_to, options.runtime);
    if (!made) return made.error().with_context("writes_to");
    writes = *std::move(made);
  }
  auto routes = cacheserver::Routes::make(options);
  if (!routes) return routes.error();
  const bool has_tokens = !options.token_auth_file.empty();
  const bool has_rules = !options.authorization_rules_file.empty();
  std::unique_ptr<CacheServer> server(new CacheServer(
      std::make_unique<Impl>(std::move(options), std::move(writes), *std::move(routes))));
  if (has_tokens) {
    if (auto read = server->impl_->tokens.read(); !read) return read.error();
  }
  if (has_rules) {
    if (auto read = server->impl_->authorizer.read(); !read) return read.error();
  } else if (has_tokens) {
    KUBE_LOG(server->impl_->options.runtime.logger, LogLevel::Warning, "cacheserver",
             "there is no file of authorization rules: each token may read all that is served");
  }
  if (auto started = server->impl_->start(*std::move(http)); !started) return started.error();
  return server;
}

Result<std::unique_ptr<CacheServer>> CacheServer::start() {
  return start(Options{});
}

Result<void> CacheServer::add(std::shared_ptr<const cache::InformerCore> informer,
                              const Observe& observe, const Unstructured* definition) {
  Served served;
  const meta::ResourceInfo& info = informer->resource();
  // The caches of several namespaces share a resource.
  served.resource = impl_->registry.table()->find(info.group, info.version, info.plural);
  if (!served.resource) {
    served.resource =
        cacheserver::served_resource(info, definition, impl_->options.writes_to.has_value());
  }
  served.namespace_ = informer->scope();
  served.feed = std::make_shared<cacheserver::CellFeed>(
      served.resource,
      serving::Store::Options{
          {impl_->options.history, impl_->options.history_bytes},
          0,
          [this](std::function<void()> task) { impl_->io.post(std::move(task)); }},
      impl_->options.runtime.logger,
      [this, resource = served.resource] { impl_->served.follow_cluster(*resource); });
  served.informer = std::move(informer);
  if (auto added = impl_->served.add(served); !added) return added;
  observe(served.feed);
  return {};
}

Result<void> CacheServer::check_rules() const {
  return impl_->authorizer.check_resources();
}

const std::string& CacheServer::url() const {
  return impl_->url;
}

std::uint16_t CacheServer::port() const {
  return impl_->http ? impl_->http->port() : std::uint16_t{0};
}

CacheServer::Statistics CacheServer::statistics() const {
  return impl_->statistics();
}

void CacheServer::stop() {
  impl_->stop();
}

}  // namespace kube
