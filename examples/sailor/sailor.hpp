// SPDX-License-Identifier: Apache-2.0
//
// A dashboard of deployments, their pods and events: routes of a kube::CacheServer, and a page. It
// has no users: who reaches it writes with the program's credentials, so keep it on loopback.
#pragma once

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/apps/v1/replica_set.hpp>
#include <kube/api/core/v1/event.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/cache/store.hpp>
#include <kube/cacheserver/cache_server.hpp>
#include <kube/client/client.hpp>
#include <kube/codec/converter.hpp>
#include <kube/meta/status.hpp>

namespace sailor {

using kube::Cached, kube::Indexer, kube::Result, kube::core::v1::Event, kube::json::Object;
using kube::apps::v1::Deployment, kube::apps::v1::ReplicaSet, kube::core::v1::Pod;
using Answer = Result<kube::json::Value>;
using Request = kube::RouteRequest;

constexpr auto kWritten = [](const auto& object) { return kube::meta::to_value(object); };
constexpr auto kDeleted = [](const auto&) -> kube::json::Value { return Object(); };
constexpr auto kOne = [](const auto& object) { return kube::meta::to_value(*object); };
constexpr auto kAll = [](const auto& objects) -> kube::json::Value {
  kube::json::Array out;
  for (const auto& each : objects) out.push_back(kOne(each));
  return out;
};

/// The access layer: objects of one type, from the cache or, with ?from=cluster, as they are there.
template <class T>
struct Access {
  const kube::Client client;
  const std::shared_ptr<kube::SharedInformer<T>> informer;
  const kube::IndexFunc<T> owner = kube::index_by_owner<T>();
  const Result<void> indexed = informer->add_index("owner", owner);
  static std::string space(const Request& r) { return r.query_value("namespace", "default"); }
  kube::Api<T> api(const Request& r) const { return client.api<T>(space(r)); }
  Result<Indexer<T>> read(const Request& r, const std::string& space) const {
    if (r.query_value("from") != "cluster") return informer->indexer();
    const auto listed = client.api<T>(space).list_all({}, r.stop);
    if (!listed) return listed.error();
    kube::Store<T> objects({.indexers = {{"owner", owner}}});
    for (const T& each : listed->items) objects.add(each).value();
    return objects.indexer();
  }
  Result<Cached<T>> get(const Request& r) const {
    const auto all = read(r, space(r));
    if (!all) return all.error();
    return kube::Lister<T>(all->store()).get(space(r), r.path_value("name"));
  }
  Answer list(const Request& r) const {
    const auto labels = kube::labels::parse(r.query_value("labels"));
    if (!labels) return labels.error();
    const auto all = read(r, r.query_value("namespace"));
    if (!all) return all.error();
    const auto found = kube::Lister<T>(all->store()).in_namespace(r.query_value("namespace"));
    return found.list(*labels).transform(kAll);
  }
  /// Returns those that belong to one of these.
  Result<std::vector<Cached<T>>> of(const auto& owners, const Request& r) const {
    const auto all = read(r, space(r));
    if (!all) return all.error();
    std::vector<Cached<T>> out;
    for (const auto& each : owners) {
      for (const auto& found : all->by_index("owner", each.uid()).value()) out.push_back(found);
    }
    return out;
  }
};

struct Sailor {
  const kube::Client client;
  kube::SharedInformerFactory factory{client.rest(), {.drop_fields = {"metadata.managedFields"}}};
  Access<Deployment> deployments{client, factory.informer<Deployment>()};
  Access<ReplicaSet> sets{client, factory.informer<ReplicaSet>()};
  Access<Pod> pods{client, factory.informer<Pod>()};
  Access<Event> events{client, factory.informer<Event>(),
                       kube::index_by_field<Event>("involvedObject.uid").value()};
  std::vector<kube::HandlerRegistration> handlers{};
  std::unique_ptr<kube::CacheServer> server{};  // stops first, then the handlers and the informers

  /// Adds each handler to the informer of its type.
  template <class... T>
  void with_event_handlers(kube::ResourceEventHandler<T>... added) {
    (handlers.push_back(factory.informer<T>()->add_event_handler(std::move(added))), ...);
  }
  /// Starts the informers and, when they have synced, the server.
  Result<void> start(kube::CacheServer::Options options, std::stop_token stop) {
    const std::string root = "/k8sailor/v0", all = root + "/deployments", one = all + "/{name}";
    options.routes = {
        {"GET " + all, [this](auto& r) { return deployments.list(r); }},
        {"GET " + one, [this](auto& r) { return deployments.get(r).transform(kOne); }},
        {"GET " + one + "/pods", [this](auto& r) { return pods_of(r); }},
        {"PUT " + one + "/replicas", [this](auto& r) { return scale(r); }},
        {"POST " + one, [this](auto& r) { return create(r); }},
        {"DELETE " + one, [this](auto& r) { return remove(r); }},
        {"GET " + root + "/pods", [this](auto& r) { return pods.list(r); }},
        {"GET " + root + "/pods/{name}/event", [this](auto& r) { return events_of(r); }}};
    options.page =
#include "page.inc"
        ;
    factory.start();
    if (auto synced = factory.wait_for_cache_sync(stop).as_result(); !synced) return synced;
    auto started = kube::CacheServer::start(std::move(options));
    if (!started) return started.error();
    server = *std::move(started);
    for (const auto& added : {server->add(*deployments.informer), server->add(*sets.informer),
                              server->add(*pods.informer), server->add(*events.informer)}) {
      if (!added) return added;
    }
    return {};
  }
  Answer pods_of(const Request& r) const {
    const auto deployment = deployments.get(r);
    if (!deployment) return deployment.error();
    const auto owned = sets.of(std::vector{*deployment}, r);
    return owned ? pods.of(*owned, r).transform(kAll) : owned.error();
  }
  Answer events_of(const Request& r) const {
    const auto pod = pods.get(r);
    return pod ? events.of(std::vector{*pod}, r).transform(kAll) : pod.error();
  }
  Answer scale(const Request& r) const {
    const auto n = kube::json::parse(r.query_value("replicas"));
    const bool is_size = n && n->is_int() && *n->if_int() >= 0;
    if (!is_size) return kube::meta::bad_request_error("replicas: expected a number from 0");
    const auto patch = kube::Patch::merge(Object{{"spec", Object{{"replicas", *n}}}});
    return deployments.api(r).patch(r.path_value("name"), patch, {}, r.stop).transform(kWritten);
  }
  Answer create(const Request& r) const {
    auto made = kube::meta::from_json<Deployment>(r.body, {.strict = true});
    if (!made) return made.error();
    made->metadata.name = r.path_value("name");
    return deployments.api(r).create(*made, {}, r.stop).transform(kWritten);
  }
  Answer remove(const Request& r) const {
    return deployments.api(r).delete_(r.path_value("name"), {}, r.stop).transform(kDeleted);
  }
};

}  // namespace sailor
