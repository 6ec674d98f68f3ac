// SPDX-License-Identifier: Apache-2.0
#include <kube/apiserver/api_server.hpp>

#include <utility>

#include <kube/json/yaml.hpp>

#include "api_server_impl.hpp"
#include "objects/initial_objects.hpp"
#include "reading/responses.hpp"
#include "requests/field_validation.hpp"

namespace kube::apiserver {
namespace {

// A sixteenth of the microseconds since 2024: a server that starts later starts higher, as long as
// the one before wrote less than 62,500 times a second all its life.
std::uint64_t revision_of(WallTime now) {
  constexpr std::chrono::sys_days kEpoch = std::chrono::year{2024} / 1 / 1;
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(now - kEpoch).count();
  return since < 16 ? 1 : static_cast<std::uint64_t>(since) / 16;
}

Result<void> check(const ApiServer::Options& options) {
  const auto wrong = [](const char* option, const char* expected) {
    return Error(ErrorCode::InvalidArgument,
                 std::string("ApiServer option ") + option + ": expected " + expected);
  };
  if (options.threads == 0) return wrong("threads", "at least 1");
  if (options.max_connections == 0) return wrong("max_connections", "at least 1");
  if (options.history == 0) return wrong("history", "at least 1");
  if (options.watch_buffer_bytes == 0) return wrong("watch_buffer_bytes", "at least 1");
  if (options.bookmark_period <= Duration::zero()) return wrong("bookmark_period", "more than 0");
  if (options.min_watch_timeout <= Duration::zero()) {
    return wrong("min_watch_timeout", "more than 0");
  }
  if (!options.listens && !options.runtime.executor) {
    return wrong("listens", "true without an executor in the runtime");
  }
  if (auto range = AddressRange::parse(options.service_cluster_ip_range); !range)
    return range.error();
  for (const BearerToken& token : options.tokens) {
    if (token.token.empty()) return wrong("tokens", "tokens that are not empty");
  }
  return {};
}

HttpServer::Options http_options(const ApiServer::Options& options) {
  HttpServer::Options out;
  out.address = options.address;
  out.port = options.port;
  out.max_connections = options.max_connections;
  out.max_body_bytes = options.max_body_bytes;
  out.header_timeout = options.header_timeout;
  out.body_timeout = options.body_timeout;
  out.idle_timeout = options.idle_timeout;
  out.write_timeout = options.write_timeout;
  out.fresh_read_timeout = options.fresh_read_timeout;
  out.stop_timeout = options.stop_timeout;
  return out;
}

// "deployments.apps" of "apps/deployments", "pods" of "/pods".
std::string resource_of(const std::string& collection) {
  const std::size_t slash = collection.find('/');
  const std::string group = collection.substr(0, slash);
  const std::string plural = collection.substr(slash + 1);
  return group.empty() ? plural : plural + "." + group;
}

}  // namespace

StoreWrite write_of(const Commit& commit) {
  const Event& event = *commit.event;
  return {event.revision,
          resource_of(commit.collection),
          {event.object->namespace_, event.object->name},
          event.object->uid,
          event.type == EventType::Deleted};
}

ApiServer::Impl::Impl(Options given)
    : options(std::move(given)),
      ids(options.seed),
      timers(options.runtime.executor ? options.runtime.executor : io.executor()),
      controllers(std::shared_ptr<Executor>(std::shared_ptr<void>(), &timers)),
      store({{options.history, options.history_bytes},
             options.initial_revision.value_or(revision_of(timers.clock()->wall_now())),
             [this](std::function<void()> task) {
               options.listens ? io.post(std::move(task)) : timers.submit(std::move(task));
             }}),
      objects(store, ids, timers.clock(), *AddressRange::parse(options.service_cluster_ip_range)),
      namespaces(store, registry, objects, controllers),
      pods(store, registry, objects, controllers),
      volumes(store, registry, objects, controllers),
      definitions(store, registry, objects, controllers),
      references(store, registry, objects),
      loader(registry, objects, options.load_warning),
      limits{options.bookmark_period, options.min_watch_timeout, options.watch_buffer_bytes},
      one_store(store),
      context{{limits, options.version, registry, one_store, ids, openapi, timers, events_sent,
               watchers, frames},
              options,
              store,
              objects},
      handler(context) {
  store.on_commit([this](const Committed& committed) {
    if (options.on_write || !options.listens) {
      Commit commit{committed.collection.id(), committed.event};
      if (options.on_write) options.on_write(write_of(commit));
      if (!options.listens) commits.push_back(std::move(commit));
    }
    objects.observe(committed);
    definitions.observe(committed);
    references.observe(committed);
    if (options.finalize_namespaces) namespaces.observe(committed);
    if (options.finish_graceful_deletions) pods.observe(committed);
    if (options.finish_volume_deletions) volumes.observe(committed);
  });
}

Result<void> ApiServer::Impl::start(ApiServer& server) {
  if (auto made = make_initial_objects(*registry.table(), objects); !made) return made.error();
  if (options.before_listening) {
    if (auto filled = options.before_listening(server); !filled) return filled.error();
  }
  if (!options.listens) return {};
  auto listening = HttpServer::listen(
      http_options(options), io, timers, ids,
      {[this](const HttpRequest& request, bool last) { return handler.handle(request, last); },
       [this](const HttpRequest& request) {
         return error_response(body_too_large(options.max_body_bytes), request.accept);
       }});
  if (!listening) return listening.error();
  http = *std::move(listening);
  url = "http://" + http->address();
  io.start("apiserver", options.threads, options.runtime.logger);
  KUBE_LOG(options.runtime.logger, LogLevel::Info, "apiserver", "listening", {"url", url});
  return {};
}

void ApiServer::Impl::stop() {
  const MutexLock one_at_a_time(stop_mutex);
  if (stopped) return;
  stopped = true;
  if (http) http->stop();
  timers.close();
  io.stop();
  KUBE_LOG(options.runtime.logger, LogLevel::Info, "apiserver", "stopped");
}

namespace {

Error unknown_resource(const meta::GroupVersionResource& resource) {
  return Error(ErrorCode::InvalidArgument, "no resource " + resource.to_string());
}

}  // namespace

ApiServer::ApiServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

ApiServer::~ApiServer() {
  impl_->stop();
}

Result<std::unique_ptr<ApiServer>> ApiServer::start(Options options) {
  if (auto valid = check(options); !valid) return valid.error();
  auto impl = std::make_unique<Impl>(std::move(options));
  std::unique_ptr<ApiServer> server(new ApiServer(std::move(impl)));
  if (auto started = server->impl_->start(*server); !started) return started.error();
  return server;
}

Result<std::unique_ptr<ApiServer>> ApiServer::start() {
  return start(Options{});
}

const std::string& ApiServer::url() const {
  return impl_->url;
}

std::uint16_t ApiServer::port() const {
  return impl_->http ? impl_->http->port() : std::uint16_t{0};
}

std::string ApiServer::kubeconfig() const {
  json::Object user;
  if (!impl_->options.tokens.empty()) {
    user.set("token", impl_->options.tokens.front().token.reveal());
  }
  const json::Value config = json::Object{
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters", json::Array{json::Object{{"name", "kubecpp"},
                                            {"cluster", json::Object{{"server", impl_->url}}}}}},
      {"users", json::Array{json::Object{{"name", "kubecpp"}, {"user", std::move(user)}}}},
      {"contexts", json::Array{json::Object{
                       {"name", "kubecpp"},
                       {"context", json::Object{{"cluster", "kubecpp"}, {"user", "kubecpp"}}}}}},
      {"current-context", "kubecpp"}};
  return yaml::dump(config);
}

Result<Unstructured> ApiServer::create(const Unstructured& object) {
  const auto resource = resource_of_object(*impl_->registry.table(), object.content);
  if (!resource) return resource.error();
  json::Value content = object.content;
  std::string namespace_;
  if ((*resource)->namespaced) {
    namespace_ = metadata_text(content, "namespace");
    if (namespace_.empty()) namespace_ = "default";
  }
  if (auto match = match_namespace(**resource, namespace_, content); !match) return match.error();
  if (auto fits = FieldValidation("Ignore").check(**resource, content); !fits) return fits.error();
  const auto created = impl_->objects.create(**resource, namespace_, std::move(content));
  if (!created) return created.error();
  auto stored = decode_object(**created, **resource);
  if (!stored) return stored.error();
  return Unstructured(*std::move(stored));
}

Result<Unstructured> ApiServer::get(const meta::GroupVersionResource& resource,
                                    const ObjectKey& key) const {
  const auto found = impl_->find(resource);
  if (!found) return unknown_resource(resource);
  const auto object = impl_->objects.get(*found, key);
  if (!object) return object.error();
  auto content = decode_object(**object, *found);
  if (!content) return content.error();
  return Unstructured(*std::move(content));
}

Result<void> ApiServer::remove(const meta::GroupVersionResource& resource, const ObjectKey& key) {
  const auto found = impl_->find(resource);
  if (!found) return unknown_resource(resource);
  const auto removal = impl_->objects.remove(*found, key, {});
  if (!removal) return removal.error();
  return {};
}

Result<std::vector<Unstructured>> ApiServer::list(const meta::GroupVersionResource& resource,
                                                  std::string_view namespace_) const {
  const auto found = impl_->find(resource);
  if (!found) return unknown_resource(resource);
  std::vector<Unstructured> out;
  const Snapshot snapshot = impl_->objects.collection(*found).snapshot({std::string(namespace_)});
  out.reserve(snapshot.objects.size());
  for (const ObjectPtr& object : snapshot.objects) {
    auto content = decode_object(*object, *found);
    if (!content) return content.error();
    out.emplace_back(*std::move(content));
  }
  return out;
}

Result<std::size_t> ApiServer::load(const Unstructured& object) {
  return impl_->loader.load(object.content);
}

Result<std::size_t> ApiServer::load_text(std::string_view text) {
  return impl_->loader.load_text(text);
}

Result<std::size_t> ApiServer::load_path(const std::filesystem::path& path, std::stop_token stop) {
  return impl_->loader.load_paths({&path, 1}, stop);
}

Result<std::size_t> ApiServer::load_paths(std::span<const std::filesystem::path> paths,
                                          std::stop_token stop) {
  return impl_->loader.load_paths(paths, stop);
}

std::uint64_t ApiServer::resource_version() const {
  return impl_->store.revision();
}

void ApiServer::compact(std::uint64_t revision) {
  impl_->store.compact(revision);
}

void ApiServer::compact_all() {
  impl_->store.compact(impl_->store.revision());
}

void ApiServer::drop_connections() {
  if (impl_->http) impl_->http->drop_connections();
}

void ApiServer::send_bookmarks() {
  if (impl_->http) impl_->http->send_bookmarks();
}

void ApiServer::end_watches() {
  if (impl_->http) impl_->http->end_watches();
}

void ApiServer::overload(std::size_t requests, std::chrono::seconds retry_after) {
  impl_->handler.overload(requests, retry_after);
}

Statistics ApiServer::statistics() const {
  Statistics out;
  if (impl_->http) {
    out.requests = impl_->http->requests();
    out.connections = impl_->http->connections();
    out.idle = impl_->http->idle();
  }
  out.writes = impl_->store.writes();
  out.events_sent = impl_->events_sent->load();
  for (const Collection* collection : impl_->store.collections()) {
    out.objects += collection->size();
    out.history_events += collection->history_size();
  }
  out.watchers = impl_->watchers->load();
  out.watch_bytes = impl_->frames->bytes();
  return out;
}

void ApiServer::stop() {
  impl_->stop();
}

}  // namespace kube::apiserver
