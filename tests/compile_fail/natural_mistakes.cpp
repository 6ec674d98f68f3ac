// SPDX-License-Identifier: Apache-2.0
//
// What newcomers from client-go, kube-rs and the Python client write first. What does not compile
// says in one line what to write.
#include <iostream>
#include <memory>
#include <stop_token>
#include <string>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/informer_watcher.hpp>
#include <kube/cache/multi_namespace_informer_factory.hpp>
#include <kube/cache/resource_informer_factory.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/client/async_api.hpp>
#include <kube/client/cached_discovery.hpp>
#include <kube/client/client.hpp>
#include <kube/client/clientset.hpp>
#include <kube/client/create_or_update.hpp>
#include <kube/client/deferred_rest_mapper.hpp>
#include <kube/client/discovery_queries.hpp>
#include <kube/client/rest_mapper.hpp>
#include <kube/client/scale_client.hpp>
#include <kube/client/wait_for.hpp>
#include <kube/remote/pod_calls.hpp>
#include <kube/remote/port_forward.hpp>
#include <kube/remote/remote_command.hpp>

using kube::Api;
using kube::Client;
using kube::apps::v1::Deployment;
using kube::core::v1::ConfigMap;
using kube::core::v1::Pod;
using namespace std::chrono_literals;

// A Result is not its value.
bool results(const Api<Pod>& pods, const Pod& pod) {
  for (const auto& item : pods.list())
    static_cast<void>(item);  // wrong: says for (auto& item : *result)
  for (const auto& item : pods.list().items) static_cast<void>(item);  // wrong: says result->items
  if (pods.get("a").metadata.name == "a") return true;  // wrong: says result->metadata
  const auto found = pods.get("a");
  if (found.status.phase == "Running") return true;        // wrong: says result->status
  if (found.spec.node_name.empty()) return true;           // wrong: says result->spec
  if (pods.get("a")->spec.node_name.empty()) return true;  // wrong: says value().member
  std::cout << found;                                      // wrong: says result.error().to_string()
  std::cout << pods.delete_("a") << "\n";                  // wrong: says result.error().to_string()
  if (pods.get("a").unwrap().spec.host_network)
    return true;                                  // wrong: says *result after if (!result)
  static_cast<void>(pods.update(found));          // wrong: says update(*result)
  static_cast<void>(pods.create(pods.get("b")));  // wrong: says create(*result)
  for (const auto& event : pods.watch())
    static_cast<void>(event);  // wrong: says for (auto& item : *result)
  auto watch = pods.watch();
  for (const auto& event : *watch)
    static_cast<void>(event);     // wrong: says while (auto event = stream.next(stop))
  if (pod == found) return true;  // wrong: says *result == value
  return found == pod;            // wrong: says *result == value
}

// Arguments in the order of another library.
void arguments(const Api<Pod>& pods, const Pod& pod, const std::stop_token& stop) {
  static_cast<void>(pods.get());                   // wrong: says get(name)
  static_cast<void>(pods.get("web", "a"));         // wrong: says client.api<T>(namespace).get(name)
  static_cast<void>(pods.get(kube::ObjectKey{}));  // wrong: says get(key.name)
  static_cast<void>(pods.get("a", stop));          // wrong: says get(name, {}, stop)
  static_cast<void>(pods.list("app=web"));         // wrong: says list({.label_selector = selector})
  static_cast<void>(pods.list(stop));              // wrong: says list({}, stop)
  static_cast<void>(pods.create("a", pod));        // wrong: says create(object)
  static_cast<void>(pods.update("a", pod));        // wrong: says update(object)
  static_cast<void>(pods.replace("a", pod));       // wrong: says update(object)
  static_cast<void>(pods.patch("a", R"({"spec":{}})"));  // wrong: says Patch::merge_text(text)
  static_cast<void>(pods.within(3).get("a"));            // wrong: says within(3s)
  static_cast<void>(pods.within(2.5).get("a"));          // wrong: says within(3s)
  static_cast<void>(
      pods.exec("web-0", {"ls", "/"}));  // wrong: says kube::exec(pods, name, command)
  static_cast<void>(
      pods.port_forward("web-0", 8080));  // wrong: says kube::port_forward(pods, name, port)
  static_cast<void>(
      pods.async().get("a").get());        // wrong: says get(name, [](const Result<T>& object)
  static_cast<void>(pods.async().list());  // wrong: says list([](const Result<List<T>>& list)
}

// A wait needs a condition and a time.
void waits(const Api<Pod>& pods, const Api<Deployment>& deployments, const std::stop_token& stop) {
  using kube::wait_for;
  static_cast<void>(wait_for(pods, "a", kube::is_pod_ready,
                             30));  // wrong: says wait_for(api, name, condition, 30s)
  static_cast<void>(
      wait_for(pods, "a", kube::is_pod_ready));  // wrong: says wait_for(api, name, condition, 30s)
  static_cast<void>(wait_for(deployments, "a", kube::is_pod_ready,
                             30s));  // wrong: says a condition of the kind of the Api
  static_cast<void>(wait_for(pods, "a", "Ready", 30s));        // wrong: says condition_is(type)
  static_cast<void>(wait_for(pods, "a", "Ready", 30s, stop));  // wrong: says condition_is(type)
  static_cast<void>(wait_for(
      pods, "a", [](Pod& p) { return p.status.phase == "Running"; },
      30s));  // wrong: says [](const T& object)
}

// The way to a client and its handles.
void handles(const kube::rest::Config& config, const Client& client) {
  const Client made(config);                 // wrong: says kube::Client::create(config)
  static_cast<void>(Client::try_default());  // wrong: says Client::create(config)
  static_cast<void>(
      client.core_v1().pods("web"));  // wrong: says client.api<core::v1::Pod>(namespace)
  static_cast<void>(client.apps_v1().deployments(
      "web"));                         // wrong: says client.api<apps::v1::Deployment>(namespace)
  const Api<Pod> pods(client, "web");  // wrong: says client.api<T>(namespace)
  static_cast<void>(Api<Pod>::namespaced(client, "web"));  // wrong: says client.api<T>(namespace)
  static_cast<void>(Api<Pod>::all(client));                // wrong: says client.api<T>()
  static_cast<void>(client.api("v1", "Pod", "web").get("a"));  // wrong: says result->get(...)
}

// A function that gets a copy changes nothing.
void changes(const Api<ConfigMap>& maps, const std::stop_token& stop) {
  static_cast<void>(kube::create_or_update(
      maps, "a", [](ConfigMap map) { map.data["x"] = "y"; }));  // wrong: says by reference
  static_cast<void>(
      kube::create_or_update(maps, "a", [](const ConfigMap&) {}));  // wrong: says by reference
  static_cast<void>(kube::create_or_update(
      maps, "a", [](ConfigMap&) { return true; }));  // wrong: says kube::Result<void>
  static_cast<void>(kube::create_or_update(
      maps, "a", [](ConfigMap&) {}, stop));  // wrong: says mutate, {}, stop
}

// These guesses are right: a Client is taken wherever a RestClient is, and a stop token is
// optional.
void right(const Client& client, const std::shared_ptr<kube::Discovery>& discovery,
           const std::stop_token& stop) {
  const auto pods = client.api<Pod>("web");
  static_cast<void>(pods.get("a", {}));
  static_cast<void>(pods.list({}));
  static_cast<void>(pods.create({}));
  static_cast<void>(pods.patch("a", kube::Patch::merge_text(R"({"spec":{}})")));
  static_cast<void>(pods.patch("a", kube::Patch::merge({})));
  static_cast<void>(pods.within(3s).get("a"));
  static_cast<void>(pods.within(1min).list_all());
  const auto done = [](const auto& result) { static_cast<void>(result); };
  pods.async().get("a", done);
  pods.async().get("a", done, {}, stop);
  pods.async().list(done);
  static_cast<void>(kube::exec(pods, "a", {"date"}));
  static_cast<void>(kube::port_forward(pods, "a", 8080));
  static_cast<void>(kube::wait_for(pods, "a", kube::is_pod_ready, 30s, stop));
  static_cast<void>(kube::wait_for(pods, "a", kube::condition_is("Ready"), 30s));
  static_cast<void>(kube::wait_for(
      pods, "a", {"a node", [](const auto& p) { return !p.spec.node_name.empty(); }}, 30s));
  static_cast<void>(kube::wait_for(
      pods, "a", [](auto& p) { return p.status.phase == "Running"; }, 30s));
  static_cast<void>(kube::create_or_update(client.api<ConfigMap>("web"), "a",
                                           [](auto& map) { map.data["x"] = "y"; }));

  kube::SharedInformer<Pod> informer(client);
  static_cast<void>(informer.wait_for_sync());
  kube::SharedInformer<kube::Unstructured> any(client, pods.resource());
  static_cast<void>(kube::wait_for_cache_sync(informer, any));
  kube::SharedInformerFactory factory(client);
  factory.wait_for_cache_sync();
  kube::DynamicSharedInformerFactory dynamic(client);
  dynamic.wait_for_cache_sync();
  kube::MetadataSharedInformerFactory metadata(client, {.namespace_ = "web"});
  kube::MultiNamespaceInformerFactory several(client, {"web", "db"});
  several.wait_for_cache_sync();
  kube::InformerWatcher<Pod> watcher(client);
  static_cast<void>(watcher.wait_for_sync());
  static_cast<void>(kube::Clientset(client).core_v1().pods("web").get("a"));
  static_cast<void>(kube::remotecommand::attach(client, "web", "a", {.stdout = true}));
  static_cast<void>(kube::portforward::PortForwarder::start(client, "web", "a", {}));
  static_cast<void>(kube::RestMapper::create(client));
  static_cast<void>(kube::RestMapper::create(Client(client)));

  const kube::DiscoveryClient served(client);
  static_cast<void>(served.server_version());
  static_cast<void>(served.server_groups());
  static_cast<void>(served.server_groups_and_resources());
  static_cast<void>(served.server_resources_for_group_version({"apps", "v1"}));
  static_cast<void>(served.openapi_v2());
  static_cast<void>(served.openapi_v3()->paths());
  static_cast<void>(served.openapi_v3()->spec_of({"apps", "v1"}));
  static_cast<void>(kube::server_preferred_resources(served));
  static_cast<void>(kube::is_resource_enabled(served, {"apps", "v1", "deployments"}));
  const auto cached = std::make_shared<kube::MemoryCachedDiscovery>(discovery);
  static_cast<void>(cached->server_version());
  const kube::DeferredRestMapper mapper(cached);
  static_cast<void>(mapper.resolve("po"));
  static_cast<void>(mapper.mapping({"apps", "Deployment"}, "v1"));
  static_cast<void>(mapper.current());
  const kube::ScaleClient scales(client, cached);
}
