// SPDX-License-Identifier: Apache-2.0
//
// The code in the comments of public headers, as in header_examples.cpp, that needs nothing but
// itself: it runs, and does what its comments say.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/batch/v1/job.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/delta_fifo.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/cache/reflector.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/cache/store.hpp>
#include <kube/cache/thread_safe_store.hpp>
#include <kube/client/wait_for.hpp>
#include <kube/fake/fake_client.hpp>
#include <kube/testing/cached_objects.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/testing/round_trip.hpp>
#include <kube/testing/scripted_transport.hpp>

namespace kube::header_examples {
namespace {

using apps::v1::Deployment;
using batch::v1::Job;
using core::v1::Pod;
using fake::FakeClient;
using testing::eventually;
using testing::FakeClock;
using testing::round_trip;
using testing::ScriptedCall;
using testing::ScriptedTransport;
using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;

// The status of a GET; 0 when it has failed.
int status_of(transport::RoundTripper& transport, const std::string& path) {
  const auto response = round_trip(transport, {.url = "http://server" + path}, {});
  return response ? response->status : 0;
}

TEST(HeaderExamples, Eventually) {
  std::atomic<int> calls = 0;
  const std::jthread caller([&] { ++calls; });
  // [kube/testing/eventually.hpp]
  ASSERT_TRUE(eventually([&] { return calls > 0; })) << "the handler was never called";
  // [kube/testing/eventually.hpp]
}

TEST(HeaderExamples, FakeClock) {
  // [kube/testing/fake_clock.hpp]
  FakeClock clock;
  std::jthread worker([&](std::stop_token stop) { clock.sleep_for(1h, stop); });
  clock.await_deadline(clock.now() + 1h);  // the worker does sleep
  clock.advance(1h);                       // and sees that its hour is over
  // [kube/testing/fake_clock.hpp]
}

TEST(HeaderExamples, ScriptedTransport) {
  // [kube/testing/scripted_transport.hpp]
  // 1. One request after the other, for code that runs in another thread or on an executor.
  auto transport = std::make_shared<ScriptedTransport>();
  std::jthread user([&](std::stop_token stop) {
    auto pods = round_trip(*transport, {.url = "http://server/api/v1/pods"}, stop);
    EXPECT_FALSE(pods);
  });
  ScriptedCall call = transport->await_request().value();
  EXPECT_EQ(call.path(), "/api/v1/pods");
  call.head(200).data(R"({"items":[)").reset();  // cut off in the middle of the list
  // [kube/testing/scripted_transport.hpp]
  user.join();

  const std::string pod_list = R"({"items":[]})";
  const std::string not_found = "{}";
  // [kube/testing/scripted_transport.hpp:2]
  // 2. Rules, run inside start(): once() comes before on(); of several on() the newest counts.
  transport->on("GET", "/api/v1/*", [&](ScriptedCall c) { c.respond(404, not_found); });
  transport->on("GET", "/api/v1/pods", [&](ScriptedCall c) { c.respond(200, pod_list); });
  transport->once("GET", "/api/v1/pods", [](ScriptedCall c) { c.refuse(); });
  // [kube/testing/scripted_transport.hpp:2]
  EXPECT_EQ(status_of(*transport, "/api/v1/pods"), 0);
  EXPECT_EQ(status_of(*transport, "/api/v1/pods"), 200);
  EXPECT_EQ(status_of(*transport, "/api/v1/pods"), 200);
  EXPECT_EQ(status_of(*transport, "/api/v1/nodes"), 404);
}

TEST(HeaderExamples, ScriptedTransportBeforeAnother) {
  const auto network = std::make_shared<ScriptedTransport>();
  network->on("", "*", [](ScriptedCall c) { c.respond(200); });
  const std::string conflict = "{}";
  // [kube/testing/scripted_transport.hpp:3]
  auto transport =
      std::make_shared<ScriptedTransport>(ScriptedTransport::Options{.otherwise = network});
  transport->once("PUT", "/api/v1/*", [&](ScriptedCall c) { c.respond(409, conflict); });
  // [kube/testing/scripted_transport.hpp:3]
  const transport::HttpRequest put{.method = "PUT", .url = "http://server/api/v1/pods"};
  EXPECT_EQ(round_trip(*transport, put, {}).value().status, 409);
  EXPECT_EQ(round_trip(*transport, put, {}).value().status, 200);
}

Pod pod(const std::string& namespace_, const std::string& name) {
  Pod made;
  made.metadata.namespace_ = namespace_;
  made.metadata.name = name;
  return made;
}
// Code under test: the letter behind the last name.
std::string next_name(const Lister<Pod>& pods) {
  char last = 'a';
  for (const Cached<Pod>& each : pods.list()) last = std::max(last, each.name().back());
  return {static_cast<char>(last + 1)};
}
std::vector<ObjectKey> keys_of(const Cached<Pod>& pod) {
  return {pod.object_key()};
}

/// The names of the pods there are.
class PodNames final : public ReflectorStore<Pod> {
 public:
  Result<void> add(const Cached<Pod>& pod) override {
    const std::lock_guard lock(mutex_);
    names_.emplace(pod.key());
    return {};
  }
  Result<void> update(const Cached<Pod>&) override { return {}; }
  Result<void> remove(const Cached<Pod>& pod) override {
    const std::lock_guard lock(mutex_);
    names_.erase(std::string(pod.key()));
    return {};
  }
  Result<void> replace(std::vector<Cached<Pod>> pods, std::string_view) override {
    const std::lock_guard lock(mutex_);
    names_.clear();
    for (const Cached<Pod>& pod : pods) names_.emplace(pod.key());
    return {};
  }
  Result<void> resync() override { return {}; }
  bool contains(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    return names_.contains(key);
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> names_;
};

TEST(HeaderExamples, Reflector) {
  const auto fake = FakeClient::start(
                        "{apiVersion: v1, kind: Pod, metadata: {name: front-0, namespace: web},"
                        " spec: {containers: [{name: c, image: i}]}}")
                        .value();
  const Client client = fake->client();
  const std::stop_token stop;
  const auto example = [&]() -> Result<void> {
    // [kube/cache/reflector.hpp]
    const auto names = std::make_shared<PodNames>();  // a ReflectorStore<Pod>
    auto web = cache::rest_lister_watcher(client.rest(), meta::resource_of<Pod>(), "web", "", "");
    Reflector<Pod> reflector(client.runtime(), std::move(web), names);
    if (auto started = reflector.start(); !started) return started.error();
    if (!reflector.wait_for_sync(stop)) return Error(ErrorCode::Cancelled, "stopped");
    // [kube/cache/reflector.hpp]
    EXPECT_TRUE(names->contains("web/front-0"));
    client.api<Pod>("web").delete_("front-0").value();
    EXPECT_TRUE(eventually([&] { return !names->contains("web/front-0"); }));
    return {};
  };
  example().value();
}

Pod pod_on(const std::string& name, const std::string& node) {
  Pod made = pod("web", name);
  made.spec.node_name = node;
  return made;
}

TEST(HeaderExamples, Store) {
  const Pod pod = pod_on("front-0", "node-1");
  const auto example = [&]() -> Result<void> {
    // [kube/cache/store.hpp]
    Store<Pod> pods({.indexers = {{"node", *index_by_field<Pod>("spec.nodeName")}}});
    if (auto added = pods.add(pod); !added) return added;
    const auto on_node = pods.by_index("node", "node-1");  // every query of Indexer<T>
    const Lister<Pod> lister = pods.lister();              // for code that reads an informer's
    // [kube/cache/store.hpp]
    EXPECT_EQ(on_node.value().size(), 1U);
    EXPECT_TRUE(lister.get("web", "front-0"));
    return {};
  };
  example().value();
}

TEST(HeaderExamples, Indexer) {
  Store<Pod> store;
  store.add(pod_on("front-0", "node-1")).value();
  store.add_index("node", *index_by_field<Pod>("spec.nodeName")).value();
  // [kube/cache/indexer.hpp]
  const Indexer<Pod> pods = store.indexer();  // or that of an informer
  const auto front = pods.get_by_key("web/front-0");
  const auto on_node = pods.by_index("node", "node-1").value();
  const auto beside = pods.index("node", front).value();  // all that share a node with it
  const auto nodes = pods.list_index_values("node");
  // [kube/cache/indexer.hpp]
  EXPECT_TRUE(front);
  EXPECT_EQ(on_node.size(), 1U);
  EXPECT_EQ(beside.size(), 1U);
  EXPECT_THAT(nodes, ::testing::ElementsAre("node-1"));
}

TEST(HeaderExamples, ThreadSafeStore) {
  const Cached<Pod> pod = testing::cached(pod_on("front-0", "node-1"));
  const auto example = [&]() -> Result<void> {
    // [kube/cache/thread_safe_store.hpp]
    ThreadSafeStore<Pod> latest({{"node", *index_by_field<Pod>("spec.nodeName")}});
    if (auto added = latest.add("blue", pod); !added) return added;  // any text is a key
    const auto on_node = latest.index_keys("node", "node-1");        // {"blue"}
    // [kube/cache/thread_safe_store.hpp]
    EXPECT_THAT(on_node.value(), ::testing::ElementsAre("blue"));
    return {};
  };
  example().value();
}

TEST(HeaderExamples, DeltaFifo) {
  const Pod pod = pod_on("front-0", "node-1");
  const std::stop_token stop;
  const auto example = [&]() -> Result<void> {
    // [kube/cache/delta_fifo.hpp]
    Store<Pod> pods;
    DeltaFifo<Pod> queue({.known_objects = pods.indexer()});
    if (auto queued = queue.add(pod); !queued) return queued;  // any thread, and a Reflector
    const auto apply = [&](const Delta<Pod>& delta, bool) {
      const bool is_gone = delta.type == DeltaType::Deleted;
      return is_gone ? pods.remove(delta.object) : pods.update(delta.object);
    };
    const auto popped = queue.pop(apply, stop);  // the consumer's thread, again and again
    // [kube/cache/delta_fifo.hpp]
    EXPECT_EQ(pods.size(), 1U);
    return popped;
  };
  example().value();
}

TEST(HeaderExamples, ConfigureOfAFactory) {
  const auto fake = FakeClient::start(
                        "{apiVersion: v1, kind: Pod, metadata: {name: front-0, namespace: web},"
                        " spec: {containers: [{name: c, image: i}]}}")
                        .value();
  SharedInformerFactory factory(fake->client().rest());
  const auto log_error = [](const Error&) {};
  // [factory-configure]
  factory.configure<Pod>([&](SharedInformer<Pod>& pods) {
    pods.set_transform([](Pod pod) -> Result<Pod> {
          pod.metadata.managed_fields.clear();
          return pod;
        })
        .value();
    pods.set_watch_error_handler(log_error).value();
    pods.add_indexers({{"node", *index_by_field<Pod>("spec.nodeName")}}).value();
  });
  factory.start();
  const InformerHandle<Pod> pods = factory.acquire<Pod>();  // started, and configured before
  // [factory-configure]
  ASSERT_TRUE(pods->wait_for_sync());
  EXPECT_THAT(pods->indexer().index_names(), ::testing::ElementsAre("namespace", "node"));
  const auto front = pods->lister().get("web", "front-0").value();
  EXPECT_TRUE(front->metadata.managed_fields.empty());
}

TEST(HeaderExamples, CachedObjects) {
  using ::testing::ElementsAre;
  const IndexFunc<Pod> index_by_node = [](const Cached<Pod>& cached) {
    return std::vector<std::string>{cached->spec.node_name};
  };
  // [kube/testing/cached_objects.hpp]
  const auto pods = testing::lister_of<Pod>({pod("web", "a"), pod("web", "b")});
  EXPECT_EQ(next_name(pods), "c");
  // [kube/testing/cached_objects.hpp]

  // [kube/testing/cached_objects.hpp:2]
  const auto by_node = testing::indexer_of<Pod>({pod("web", "a")}, {{"node", index_by_node}});
  EXPECT_THAT(keys_of(testing::cached(pod("web", "a"))), ElementsAre(ObjectKey{"web", "a"}));
  // [kube/testing/cached_objects.hpp:2]
  EXPECT_EQ(by_node.by_index("node", "").value().size(), 1U);
}

constexpr const char* kWaitedFor = R"(
apiVersion: v1
kind: Namespace
metadata: {name: web}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, kind: Widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: web}
status: {conditions: [{type: Ready, status: "True"}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: main}]}
status: {conditions: [{type: Available, status: "True"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, namespace: web}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: main}]}}}
status: {conditions: [{type: Failed, status: "True", reason: DeadlineExceeded}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: web, labels: {app: old}}
spec: {containers: [{name: main, image: main}]}
)";

// Makes the pod run and then be ready, each after the wait for it has begun.
void run_pod(const FakeClient& fake, const Api<Pod>& pods, const std::stop_token& stop) {
  auto started = pods.get("web-0", {}, stop);
  ASSERT_TRUE(started) << started.error().to_string();
  ASSERT_TRUE(eventually([&] {
    const auto actions = fake.actions();
    return std::any_of(actions.begin(), actions.end(),
                       [](const fake::Action& action) { return action.verb == "watch"; });
  }));
  started->status.phase = "Running";
  started->status.conditions.push_back({.type = "Ready", .status = "True"});
  ASSERT_TRUE(pods.update_status(*started, {}, stop));
}

Result<void> wait_for_everything(const Client& client, std::stop_token stop) {
  const Api<Pod> pods = client.api<Pod>("web");
  const Api<Deployment> deployments = client.api<Deployment>("web");
  const Api<Unstructured> widgets = client.api({.group = "example.com",
                                                .version = "v1",
                                                .kind = "Widget",
                                                .plural = "widgets",
                                                .singular = "widget",
                                                .namespaced = true},
                                               "web");
  // [kube/client/wait_for.hpp]
  auto pod = kube::wait_for(pods, "web-0", kube::is_pod_ready, 30s, stop);
  if (!pod) return pod.error();  // Timeout: its text says what was last seen
  // [kube/client/wait_for.hpp]

  // [kube/client/wait_for.hpp:2]
  const auto is_running = [](const Pod& p) { return p.status.phase == "Running"; };
  auto running = kube::wait_for(pods, "web-0", is_running, 30s);
  auto widget = kube::wait_for(widgets, "w", kube::condition_is("Ready"), 30s);
  // [kube/client/wait_for.hpp:2]
  if (!running) return running.error();
  if (!widget) return widget.error();

  // [wait-for-deployment]
  auto deployment = kube::wait_for(deployments, "web", kube::is_deployment_available, 60s);
  if (!deployment) return deployment.error();
  // [wait-for-deployment]
  EXPECT_EQ(deployment->metadata.name, "web");
  EXPECT_TRUE(kube::is_pod_ready(*pod));

  auto deleted = pods.delete_("web-0", {.grace_period_seconds = 0}, stop);
  if (!deleted) return deleted.error();
  // [kube/client/wait_for.hpp:3]
  auto gone = kube::wait_deleted(pods, "web-0", 30s);
  gone = kube::wait_deleted(pods, {.label_selector = "app=old"}, 60s);
  // [kube/client/wait_for.hpp:3]
  return gone;
}

Result<void> wait_for_a_job(const Client& client) {
  const Api<Job> jobs = client.api<Job>("web");
  // [wait-for-job]
  auto job = kube::wait_for(jobs, "migrate", kube::is_job_finished, 10min);
  if (!job) return job.error();  // not finished in time
  if (!kube::is_job_complete(*job)) return Error(ErrorCode::Internal, "the migration has failed");
  // [wait-for-job]
  return {};
}

Result<void> wait_until_none_is_left(const Client& client) {
  const Api<Pod> pods = client.api<Pod>("web");
  // [wait-until]
  const auto has_ended = [](const Pod* p) {
    return p == nullptr || p->status.phase == "Succeeded" || p->status.phase == "Failed";
  };
  auto last = kube::wait_until(pods, "web-0", has_ended, 30s);  // nullopt: there is no such pod
  // [wait-until]
  if (!last) return last.error();
  EXPECT_FALSE(last->has_value());
  return {};
}

TEST(HeaderExamples, WaitFor) {
  auto fake = FakeClient::start(kWaitedFor);
  ASSERT_TRUE(fake) << fake.error().to_string();
  const Client client = (*fake)->client();
  const std::jthread kubelet(
      [&](const std::stop_token& stop) { run_pod(**fake, client.api<Pod>("web"), stop); });
  const auto waited = wait_for_everything(client, {});
  EXPECT_TRUE(waited) << waited.error().to_string();
  EXPECT_EQ(wait_for_a_job(client).error().message(), "the migration has failed");
  EXPECT_TRUE(wait_until_none_is_left(client));
}

}  // namespace
}  // namespace kube::header_examples
