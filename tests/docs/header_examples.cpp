// SPDX-License-Identifier: Apache-2.0
//
// The code in the comments of public headers, each fragment between two lines with the header's
// path, and around it what it takes to be compiled: snippets.sh compares. So are fragments of
// documents that no example has. Nothing of this runs.
#include <atomic>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/base/stop.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/client/client.hpp>
#include <kube/client/clientset.hpp>
#include <kube/client/retry.hpp>
#include <kube/codec/nested.hpp>
#include <kube/codec/unknown_fields.hpp>
#include <kube/codec/wire.hpp>
#include <kube/config/kubeconfig.hpp>
#include <kube/controller/controller.hpp>
#include <kube/json/reader.hpp>
#include <kube/meta/conditions.hpp>
#include <kube/meta/status.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/testing/matchers.hpp>
#include <kube/testing/recording_logger.hpp>
#include <kube/testing/round_trip.hpp>
#include <kube/testing/scripted_transport.hpp>
#include <kube/validation/runtime_schema.hpp>
#include <kube/workqueue/parallelize_until.hpp>
#include <kube/workqueue/rate_limiting_queue.hpp>

namespace kube::header_examples {

using apps::v1::Deployment;
using core::v1::Pod;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;

// Whatever a program does with what it has.
template <class... Args>
void use(const Args&... args);

void start_everything();

void run_until_a_signal() {
  // [kube/base/stop_signal.hpp]
  const kube::StopSignal signal;  // first in main()
  start_everything();
  kube::wait_for_stop(signal.token());
  // [kube/base/stop_signal.hpp]
}

void loops(const std::shared_ptr<Clock>& clock, const Api<Deployment>& deployments,
           const std::function<void()>& sync, std::stop_token stop) {
  // [kube/base/stop.hpp]
  // wait.PollUntilContextTimeout: asks every second, for five minutes at most.
  const auto is_ready = [&]() -> Result<bool> {
    auto deployment = deployments.get("front");
    if (!deployment) return deployment.error();
    return deployment->status.ready_replicas == 3;
  };
  Result<void> ready = poll_until(clock, {.interval = 1s, .timeout = 5min}, is_ready, stop);
  if (!ready && is_interrupted(ready.error())) return;  // wait.Interrupted: timeout or stop
  // [kube/base/stop.hpp]

  // [kube/base/stop.hpp:2]
  // wait.JitterUntil: runs sync() every minute, until `stop`.
  run_every(clock, {.period = 1min, .jitter = 0.1}, sync, stop);
  // [kube/base/stop.hpp:2]

  // [kube/base/stop.hpp:3]
  // wait.ExponentialBackoff: five attempts, after 1, 2, 4 and 8 seconds.
  const Backoff delays({.initial = 1s, .jitter = 0});
  Result<void> done = retry_with_backoff(clock, delays, 5, is_ready, stop);
  // [kube/base/stop.hpp:3]
  use(done);
}

void pieces(const std::shared_ptr<Executor>& executor, std::vector<Pod>& pods,
            const std::function<bool(Pod&)>& examine, std::stop_token stop) {
  // [kube/workqueue/parallelize_until.hpp]
  std::atomic<int> fitting = 0;
  Result<void> done = parallelize_until(
      executor, pods.size(), [&](std::size_t i) { fitting += examine(pods[i]) ? 1 : 0; },
      {.workers = 8}, stop);
  // [kube/workqueue/parallelize_until.hpp]
  use(done, fitting);
}

void read(std::string& text, json::Reader& reader) {
  // [kube/json/reader.hpp]
  for (bool more = reader.begin_object(); more; more = reader.next_member()) {
    if (reader.key() == "kind" && reader.peek() == '"') {
      reader.read_string(text);
    } else {
      reader.skip();
    }
  }
  // [kube/json/reader.hpp]
}

struct Widget {
  struct Status {
    std::vector<meta::Condition> conditions{};
  };
  Status status{};
};
void condition(Widget& widget, meta::Time now) {
  // [kube/meta/conditions.hpp]
  set_status_condition(widget.status.conditions,
                       {.type = "Ready", .status = "True", .reason = "Served"}, now);
  // [kube/meta/conditions.hpp]
}

void nested(const Unstructured& pod) {
  // [kube/codec/nested.hpp]
  Result<Optional<std::string>> node = nested_string(pod.content, {"spec", "nodeName"});
  // [kube/codec/nested.hpp]
  use(node);
}

Result<void> run_time_schema(std::string_view yaml, std::string_view text) {
  using meta::FieldLocator;
  using meta::RuntimeSchema;
  using meta::TypeDescriptor;
  // [kube/validation/runtime_schema.hpp]
  auto schema = RuntimeSchema::from_crds(yaml);
  if (!schema) return schema.error();
  const TypeDescriptor* widget = schema->find({"acme.io", "v1", "Widget"});
  if (widget == nullptr) return Error(ErrorCode::Config, "the definitions have no Widget");
  if (auto fits = schema->check(text, *widget, {.strict = true}); !fits) return fits.error();
  auto color = FieldLocator::compile(*widget, "spec.color");
  if (!color) return color.error();
  auto found = color->find(text);
  if (!found) return found.error();
  std::string scratch;
  auto value = found->text(scratch);
  // [kube/validation/runtime_schema.hpp]
  use(value);
  return {};
}

void status(const std::function<void(int code, const std::string& body)>& respond) {
  // [kube/meta/status.hpp]
  const Error error = meta::not_found_error({"apps", "deployments"}, "web");
  respond(error.http_status(), json::dump(meta::status_json(error)));
  // [kube/meta/status.hpp]
}

Result<void> unknown_fields(std::string_view text) {
  using meta::from_json_with_unknown;
  // [kube/codec/unknown_fields.hpp]
  auto kept = from_json_with_unknown<Pod>(text);
  if (!kept) return kept.error();
  kept->value.metadata.labels["seen"] = "yes";
  std::string out = to_json(*kept);  // with the fields that Pod has no member for
  // [kube/codec/unknown_fields.hpp]
  use(out);
  return {};
}

Result<void> wire_fields(std::string_view message, std::vector<std::string_view>& items) {
  namespace wire = meta::wire;
  // [kube/codec/wire.hpp]
  wire::Fields fields(message);
  for (const wire::Field& field : fields) {
    if (field.number() == 2 && fields.expect_bytes(field)) items.push_back(field.value);
  }
  if (fields.fault()) return fields.error();
  // [kube/codec/wire.hpp]
  return {};
}

Result<void> client() {
  // [kube/client/client.hpp]
  auto config = kube::rest::default_config();  // KUBECONFIG, ~/.kube/config, or in a pod
  if (!config) return config.error();
  auto client = kube::Client::create(*config);
  if (!client) return client.error();
  auto pods = client->api<kube::core::v1::Pod>("default").list_all();
  if (!pods) return pods.error();
  for (const auto& pod : *pods) std::cout << pod.metadata.name << "\n";
  // [kube/client/client.hpp]
  return {};
}

Result<Pod> api(const Client& client) {
  // [kube/client/api.hpp]
  Api<core::v1::Pod> pods = client.api<core::v1::Pod>("web");
  Result<core::v1::Pod> pod = pods.get("front-0");
  if (!pod && is_not_found(pod.error())) std::cout << "not found\n";
  if (!pod) return pod.error();
  pod->metadata.labels["seen"] = "yes";
  Result<core::v1::Pod> updated = pods.update(*pod);  // Conflict if it has changed meanwhile
  // [kube/client/api.hpp]
  return updated;
}

void retry(const Client& client, const Api<Deployment>& deployments, std::stop_token stop) {
  // [kube/client/retry.hpp]
  const auto scale = [&]() -> Result<Deployment> {
    Result<Deployment> current = deployments.get("front");
    if (!current) return current;
    current->spec.replicas = 3;
    return deployments.update(*current);
  };
  auto done = kube::retry_on_conflict(client.runtime(), scale, stop);
  // [kube/client/retry.hpp]
  use(done);
}

Result<void> text_request(const Clientset& clientset, std::stop_token stop) {
  // [kube/client/text_request.hpp]
  auto log = clientset.core_v1().pods("web").get_logs("front-0", {.follow = true}).stream(stop);
  if (!log) return log.error();
  while (auto text = log->next(stop)) {
    if (!*text) return text->error();
    std::cout << **text;
  }
  // [kube/client/text_request.hpp]
  return {};
}

Result<void> watch_stream(const Api<Pod>& pods, const List<Pod>& list, std::stop_token stop) {
  // [kube/client/watch_stream.hpp]
  auto stream = pods.watch({.resource_version = list.resource_version});
  if (!stream) return stream.error();
  while (auto event = stream->next(stop)) {
    if (!*event) return event->error();
    if ((*event)->type == WatchEventType::Error) break;  // start over with a list
    std::cout << (*event)->object.metadata.name << "\n";
  }
  // [kube/client/watch_stream.hpp]
  return {};
}

void lister(const Lister<Pod>& lister, const ObjectKey& key, std::set<std::string>& nodes) {
  // [kube/cache/lister.hpp]
  if (const auto pod = lister.find(key)) nodes.insert(pod->spec.node_name);
  // [kube/cache/lister.hpp]
}

void temporaries(const Api<Pod>& pods, const Lister<Pod>& lister, const ObjectKey& key) {
  // [temporaries]
  for (const Pod& pod : pods.list_all().value()) use(pod);  // the list is kept for the loop,
  const auto& spec = pods.get("front-0").value().spec;      // the pod as long as `spec`
  if (const auto pod = lister.find(key)) use(pod->spec, spec);
  // lister.find(key)->spec does not compile: after the semicolon nothing owns the pod.
  // [temporaries]
}

int factory(const Client& client, const ResourceEventHandler<Pod>& handler, std::stop_token stop) {
  // [kube/cache/shared_informer_factory.hpp]
  kube::SharedInformerFactory factory(client.rest());
  auto pods = factory.informer<Pod>();  // every caller gets the same informer
  auto registration = pods->add_event_handler(handler);
  factory.start(stop);
  if (!factory.wait_for_cache_sync(stop)) return 1;
  // [kube/cache/shared_informer_factory.hpp]
  return 0;
}

void work_queue(const ObjectKey& key, const std::function<void(const ObjectKey&)>& reconcile,
                std::stop_token stop) {
  // [kube/workqueue/work_queue.hpp]
  WorkQueue<ObjectKey> queue({.name = "pods"});
  queue.add(key);                        // any thread, any number of times
  while (auto item = queue.get(stop)) {  // a worker
    reconcile(item->key());
  }  // the item's end is client-go's Done
  // [kube/workqueue/work_queue.hpp]
}

void rate_limiting_queue(RateLimitingQueue<ObjectKey>& queue, bool failed, std::stop_token stop) {
  const auto item = queue.get(stop);
  // [kube/workqueue/rate_limiting_queue.hpp]
  if (failed) {
    queue.add_rate_limited(item->key());
  } else {
    queue.forget(item->key());
  }
  // [kube/workqueue/rate_limiting_queue.hpp]
}

Result<void> controller(const Client& client, SharedInformer<Pod>& pods,
                        const Reconciler& reconcile, const std::function<void()>& wait_for_signal) {
  // [kube/controller/controller.hpp]
  kube::Controller controller(client.runtime(), reconcile, {.name = "scheduler", .workers = 4});
  // Enqueue the key of every pod that changes.
  if (auto watched = controller.watch(pods); !watched) return watched;
  if (auto started = controller.start(); !started) return started;
  if (auto started = pods.start(); !started) return started;
  wait_for_signal();
  controller.stop_and_wait();
  // [kube/controller/controller.hpp]
  return {};
}

Result<void> api_server(const std::function<void(const std::string& url)>& run_tests_against) {
  // [kube/apiserver/api_server.hpp]
  auto server = kube::apiserver::ApiServer::start();
  if (!server) return server.error();
  run_tests_against((*server)->url());
  // [kube/apiserver/api_server.hpp]
  return {};
}

using testing::eventually;
using testing::FakeClock;
using testing::round_trip;
using testing::ScriptedCall;
using testing::ScriptedTransport;
using std::chrono_literals::operator""h;

void wait(const std::atomic<int>& calls) {
  // [kube/testing/eventually.hpp]
  ASSERT_TRUE(eventually([&] { return calls > 0; })) << "the handler was never called";
  // [kube/testing/eventually.hpp]
}

void fake_clock() {
  // [kube/testing/fake_clock.hpp]
  FakeClock clock;
  std::jthread worker([&](std::stop_token stop) { clock.sleep_for(1h, stop); });
  clock.await_deadline(clock.now() + 1h);  // the worker does sleep
  clock.advance(1h);                       // and sees that its hour is over
  // [kube/testing/fake_clock.hpp]
}

void scripted_transport(const std::string& pod_list, const std::string& not_found) {
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

  // [kube/testing/scripted_transport.hpp:2]
  // 2. Rules, for code that just needs a server; they run inside start().
  transport->once("GET", "/api/v1/pods", [](ScriptedCall c) { c.refuse(); });
  transport->on("GET", "/api/v1/pods", [&](ScriptedCall c) { c.respond(200, pod_list); });
  transport->on("GET", "/api/v1/*", [&](ScriptedCall c) { c.respond(404, not_found); });
  // [kube/testing/scripted_transport.hpp:2]
}

void match(const Api<Pod>& pods) {
  using ::testing::AllOf;
  using testing::FailsWith;
  using testing::HasMessage;
  using testing::HasReason;
  using ::testing::HasSubstr;
  using testing::IsOk;
  // [kube/testing/matchers.hpp]
  EXPECT_THAT(pods.get("web-0"), IsOk());
  EXPECT_THAT(pods.get("web-1"),
              FailsWith(AllOf(HasReason("NotFound"), HasMessage(HasSubstr("web-1")))));
  // [kube/testing/matchers.hpp]
}

void record() {
  using testing::RecordingLogger;
  // [kube/testing/recording_logger.hpp]
  const auto logger = std::make_shared<RecordingLogger>(LogLevel::Warning);
  const ClientOptions options{.runtime = {.logger = logger}};
  // ...
  EXPECT_TRUE(logger->lines().empty());
  // [kube/testing/recording_logger.hpp]
  use(options);
}

}  // namespace kube::header_examples
