// SPDX-License-Identifier: Apache-2.0
//
// The code in the comments of public headers, each fragment between two lines with the header's
// path, and around it what it takes to be compiled: snippets.sh compares. So are fragments of
// documents that no example has. Nothing of this runs; what runs is in the tests beside it.
#include <atomic>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/apps/v1/replica_set.hpp>
#include <kube/api/authorization/v1/subject_access_review.hpp>
#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/event.hpp>
#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/api/core/v1/pod_log_options.hpp>
#include <kube/api/object_reference.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/apiserver/frontend.hpp>
#include <kube/base/stop.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/cache/expiring_store.hpp>
#include <kube/cache/index_functions.hpp>
#include <kube/cache/informer_health.hpp>
#include <kube/cache/informer_watcher.hpp>
#include <kube/cache/key_func.hpp>
#include <kube/cache/multi_namespace_informer_factory.hpp>
#include <kube/cache/mutation_cache.hpp>
#include <kube/cache/resource_informer_factory.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/cache/snapshot.hpp>
#include <kube/cache/store.hpp>
#include <kube/cache/undelta_store.hpp>
#include <kube/certificate/manager.hpp>
#include <kube/client/apply_manifest.hpp>
#include <kube/client/cached_discovery.hpp>
#include <kube/client/client.hpp>
#include <kube/client/client_side_apply.hpp>
#include <kube/client/clientset.hpp>
#include <kube/client/deferred_rest_mapper.hpp>
#include <kube/client/extract.hpp>
#include <kube/client/list_pager.hpp>
#include <kube/client/rest_request.hpp>
#include <kube/client/retry.hpp>
#include <kube/client/retry_watcher.hpp>
#include <kube/client/server_side_migration.hpp>
#include <kube/client/watch_until.hpp>
#include <kube/codec/nested.hpp>
#include <kube/codec/unknown_fields.hpp>
#include <kube/codec/wire.hpp>
#include <kube/config/client_config.hpp>
#include <kube/config/kubeconfig.hpp>
#include <kube/config/retry_policy.hpp>
#include <kube/controller/controller.hpp>
#include <kube/fake/fake_client.hpp>
#include <kube/fake/fake_watch.hpp>
#include <kube/fake/settle.hpp>
#include <kube/json/json_path_template.hpp>
#include <kube/json/reader.hpp>
#include <kube/meta/conditions.hpp>
#include <kube/meta/status.hpp>
#include <kube/patch/csa_upgrade.hpp>
#include <kube/remote/port_forward.hpp>
#include <kube/remote/remote_command.hpp>
#include <kube/simulation/simulation.hpp>
#include <kube/testing/matchers.hpp>
#include <kube/testing/object_matchers.hpp>
#include <kube/testing/recording_logger.hpp>
#include <kube/testing/recording_transport.hpp>
#include <kube/transport/websocket.hpp>
#include <kube/validation/runtime_schema.hpp>
#include <kube/workqueue/parallelize_until.hpp>
#include <kube/workqueue/priority_queue.hpp>
#include <kube/workqueue/rate_limiting_queue.hpp>

namespace kube::header_examples {

using apps::v1::Deployment;
using apps::v1::ReplicaSet;
using authorization::v1::SubjectAccessReview;
using core::v1::Node;
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

void secrets(rest::Config& config, transport::HttpRequest& request, const std::string& token) {
  // [kube/base/secret_text.hpp]
  config.bearer_token = token;  // a literal, a std::string or a std::string_view
  request.headers.set("Authorization", "Bearer " + config.bearer_token.reveal());
  // [kube/base/secret_text.hpp]
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

Result<void> template_of(const json::Value& document) {
  using json::JsonPathTemplate;
  // [kube/json/json_path_template.hpp]
  auto names = JsonPathTemplate::parse(R"({range .items[*]}{.metadata.name}{"\n"}{end})");
  if (!names) return names.error();
  auto text = names->to_text(document, {.allow_missing_keys = true});  // "front\nback\n"
  // [kube/json/json_path_template.hpp]
  use(text);
  return {};
}

Result<void> retry_watcher(const Api<Pod>& pods, std::stop_token stop) {
  // [kube/client/retry_watcher.hpp]
  auto list = pods.list_all();
  if (!list) return list.error();
  auto watch = RetryWatcher<Pod>::create(pods, {.resource_version = list->resource_version});
  if (!watch) return watch.error();
  while (auto event = watch->next(stop)) {
    if (!*event) return event->error();                                    // stopped
    if ((*event)->type == WatchEventType::Error) return *(*event)->error;  // list again
    std::cout << (*event)->object.metadata.name << "\n";
  }
  // [kube/client/retry_watcher.hpp]
  return {};
}

Result<void> watch_until_example(const Api<Pod>& pods, const Result<Pod>& created,
                                 std::stop_token stop) {
  // [kube/client/watch_until.hpp]
  const auto is_running = [](const WatchEvent<Pod>& event) -> Result<bool> {
    return event.object.status.phase == "Running";
  };
  auto running = watch_until<Pod>(pods, {.resource_version = created->metadata.resource_version},
                                  {is_running}, {.timeout = 1min}, stop);
  if (!running.result) return running.result.error();
  // [kube/client/watch_until.hpp]
  return {};
}

Result<void> informer_watcher(const Client& client, std::stop_token stop) {
  // [kube/cache/informer_watcher.hpp]
  InformerWatcher<Pod> watcher(client.rest(), {.namespace_ = "web"});
  if (auto started = watcher.start(); !started) return started.error();
  const auto is_gone = [](const WatchEvent<Pod>& event) -> Result<bool> {
    return event.type == WatchEventType::Deleted;
  };
  auto gone = until_with_sync<Pod>(watcher, {}, {is_gone}, {.timeout = 1min}, stop);
  // [kube/cache/informer_watcher.hpp]
  return gone.result;
}

void references(core::v1::Event& event, const Pod& pod) {
  // [kube/api/object_reference.hpp]
  event.involved_object = object_reference(pod);
  event.involved_object = object_reference(pod, "spec.containers{main}");
  // [kube/api/object_reference.hpp]
}

Result<void> manifest(const Client& client, std::string_view text) {
  // [kube/client/apply_manifest.hpp]
  auto applied = apply_manifest(client, text, {.field_manager = "my-program"});
  if (!applied) return applied.error();  // not a manifest; nothing was applied
  for (const AppliedObject& each : *applied) {
    if (!each.result) std::cerr << each.where << ": " << each.result.error().message() << "\n";
  }
  // [kube/client/apply_manifest.hpp]
  return {};
}

Result<void> pager(const Api<Pod>& pods) {
  // [kube/client/list_pager.hpp]
  const auto print = [](const Pod& pod) -> Result<void> {
    std::cout << pod.metadata.name << "\n";
    return {};
  };
  auto visited = for_each_ahead(pods, {.limit = 1000}, print);
  // [kube/client/list_pager.hpp]
  return visited;
}

Result<void> upgrade(const Api<Unstructured>& api, const json::Value& object) {
  // [kube/patch/csa_upgrade.hpp]
  auto patch = meta::upgrade_managed_fields_patch(object, {"kubectl-client-side-apply"}, "me");
  if (!patch) return patch.error();
  if (!patch->is_null()) use(api.patch("web", Patch::json(*patch)));
  // [kube/patch/csa_upgrade.hpp]
  return {};
}

Result<void> client_side(const Api<Unstructured>& api, const Unstructured& manifest) {
  // [kube/client/client_side_apply.hpp]
  auto live = api.get("web");
  if (!live) return live.error();
  auto patch = client_side_patch(with_last_applied(manifest), *live);
  if (!patch) return patch.error();
  if (!is_empty(*patch)) use(api.patch("web", *patch, {.field_manager = "me"}));
  // [kube/client/client_side_apply.hpp]
  return {};
}

Result<void> migrate(const Api<Unstructured>& api, const json::Value& document) {
  // [kube/client/server_side_migration.hpp]
  auto applied = api.patch("web", Patch::apply(document), {.field_manager = "kubectl"});
  if (!applied) return applied.error();
  std::vector<std::string> warnings;
  *applied =
      migrate_to_server_side(api, document, *applied, {.field_manager = "kubectl"}, warnings);
  // [kube/client/server_side_migration.hpp]
  return {};
}

void run_controller(const Client& client);
Result<void> fake_client(std::string_view objects_in_yaml) {
  // [kube/fake/fake_client.hpp]
  auto fake = fake::FakeClient::start(objects_in_yaml);
  if (!fake) return fake.error();
  (*fake)->prepend_reactor("create", "pods", [](fake::Action&) -> fake::Reaction {
    return Result<json::Value>(meta::internal_error("out of order"));
  });
  run_controller((*fake)->client());
  for (const fake::Action& action : (*fake)->actions()) std::cout << action.verb << "\n";
  // [kube/fake/fake_client.hpp]
  return {};
}

void fake_watch(fake::FakeClient& client, const Pod& pod) {
  // [kube/fake/fake_watch.hpp]
  fake::FakeWatch watch;
  client.prepend_watch_reactor("pods", [watch](const fake::Action&) -> fake::WatchReaction {
    return Result<fake::FakeWatch>(watch);
  });
  run_controller(client.client());
  watch.modify(pod);
  watch.fail(meta::resource_expired_error("too old resource version"));
  watch.stop();
  // [kube/fake/fake_watch.hpp]
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

void rest_request(const Client& client, std::stop_token stop) {
  // [kube/client/rest_request.hpp]
  kube::RestRequest request(client.rest(), {"", "v1"});
  request.get().namespace_("web").resource("pods").name("front-0").sub_resource({"log"});
  request.versioned_params(kube::core::v1::PodLogOptions{.container = "app"});
  const auto log = request.do_raw(stop);
  // [kube/client/rest_request.hpp]
  use(log);
}

void retry_policy(rest::Config& config, RestRequest& request) {
  // [kube/config/retry_policy.hpp]
  config.retry = {.max_retries = 3, .retry_writes = false};
  request.retry({.max_retries = 0});
  // [kube/config/retry_policy.hpp]
}

Result<void> resources_from_the_cache(const rest::Config& config, const Client& client,
                                      std::stop_token stop) {
  // [kube/client/cached_discovery.hpp]
  auto discovery =
      DiskCachedDiscovery::create(config, client.runtime(), {.root = "/home/me/.kube/cache"});
  if (!discovery) return discovery.error();
  const DeferredRestMapper mapper(*discovery);
  auto pods = mapper.resolve("po", stop);
  // [kube/client/cached_discovery.hpp]
  use(pods);
  return {};
}

Result<void> the_next_apply(const Api<Deployment>& deployments, const Deployment& deployment) {
  // [kube/client/extract.hpp]
  auto mine = extract<Deployment>(deployment, "my-controller");
  if (!mine) return mine.error();
  mine->spec.replicas = 3;
  auto applied = deployments.apply(*mine, {.field_manager = "my-controller"});
  // [kube/client/extract.hpp]
  use(applied);
  return {};
}

Result<int> a_shell(const RestClient& client, std::stop_token stop) {
  // [kube/remote/remote_command.hpp]
  kube::core::v1::PodExecOptions options{.stdin_ = true, .stdout = true};
  options.command = {"sh"};
  auto shell = kube::remotecommand::exec(client, "web", "front-0", options, {}, stop);
  if (!shell) return shell.error();
  if (auto sent = shell->write("date\n", stop); !sent) return sent.error();
  if (auto closed = shell->close_input(); !closed) return closed.error();
  while (auto output = shell->next(stop)) {
    if (!*output) return output->error();
    std::cout << (*output)->bytes;
  }
  return shell->exit_code();
  // [kube/remote/remote_command.hpp]
}

Result<void> forwarded_ports(const RestClient& client, std::stop_token stop) {
  // [kube/remote/port_forward.hpp]
  auto ports = kube::portforward::parse_ports({"8888:5000"});
  if (!ports) return ports.error();
  auto forwarder =
      kube::portforward::PortForwarder::start(client, "web", "front-0", *ports, {}, stop);
  if (!forwarder) return forwarder.error();
  auto ended = (*forwarder)->wait(stop);
  // [kube/remote/port_forward.hpp]
  return ended;
}

Result<void> rotated_certificate(rest::Config config, const std::string& bootstrap_certificate,
                                 const std::string& bootstrap_key, std::stop_token stop) {
  // [kube/certificate/manager.hpp]
  namespace certificate = kube::certificate;
  auto store = certificate::FileStore::open({.prefix = "agent", .certificate_folder = "pki"});
  if (!store) return store.error();
  config.tls.certificate.file = (*store)->current_path();  // is read again when it changes
  config.tls.key.file = (*store)->current_path();
  certificate::ManagerOptions options;
  options.request = {.common_name = "agent-1", .organizations = {"agents"}};
  options.signer_name = "kubernetes.io/kube-apiserver-client";
  options.get_usages = certificate::client_usages;
  options.store = *store;
  options.bootstrap_certificate = bootstrap_certificate;  // PEM
  options.bootstrap_key = bootstrap_key;
  options.client = [config](const auto& /*current*/) { return kube::Client::create(config); };
  auto manager = certificate::Manager::create(std::move(options));
  if (!manager) return manager.error();
  (*manager)->start();  // and all clients of `config` use what it gets
  // [kube/certificate/manager.hpp]
  wait_for_stop(stop);
  return {};
}

void websocket(transport::RoundTripper& transport, const std::string& url,
               std::shared_ptr<transport::WebSocketHandler> handler,
               std::shared_ptr<Executor> executor, std::stop_token stop) {
  using transport::HttpRequest;
  using transport::WebSocket;
  // [kube/transport/websocket.hpp]
  WebSocket::Options options{.protocols = {"v5.channel.k8s.io"}};
  auto socket = std::make_shared<WebSocket>(std::move(options), handler, executor);
  HttpRequest request{.url = url, .headers = socket->handshake_headers()};
  request.upgrade = "websocket";
  socket->attach(transport.start(std::move(request), socket, stop));
  socket->send("a message");
  // [kube/transport/websocket.hpp]
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

Result<void> expiring_store(const SubjectAccessReview& review) {
  // [kube/cache/expiring_store.hpp]
  ExpiringStore<SubjectAccessReview> answers(5min);
  if (auto added = answers.add(review); !added) return added;
  const auto known = answers.get_by_key("may-alice-get-pods");  // empty after five minutes
  // [kube/cache/expiring_store.hpp]
  use(known);
  return {};
}

void write_backends(const CachedList<Pod>& all);

Result<void> undelta_store(const Pod& pod) {
  // [kube/cache/undelta_store.hpp]
  UndeltaStore<Pod> pods([&](const CachedList<Pod>& all) { write_backends(all); });
  if (auto added = pods.add(pod); !added) return added;  // writes the backends again
  // [kube/cache/undelta_store.hpp]
  return {};
}

Result<void> mutation_cache(SharedInformer<Pod>& informer, const Api<Pod>& pods, const Pod& pod) {
  // [kube/cache/mutation_cache.hpp]
  MutationCache<Pod> cache(informer.indexer(), {.include_adds = true});
  const auto registration = informer.add_event_handler(cache.handler());
  auto created = pods.create(pod);
  if (!created) return created.error();
  cache.mutation(*created);
  const auto seen = cache.get_by_key("web/front-0");  // there, before the watch has brought it
  // [kube/cache/mutation_cache.hpp]
  use(seen, registration);
  return {};
}

void key_func() {
  // [kube/cache/key_func.hpp]
  // One object for each node: the last one that was added.
  const auto node = index_by_field<Pod>("spec.nodeName");
  Store<Pod> last({.key_func = index_func_to_key_func_adapter<Pod>(*node)});
  // [kube/cache/key_func.hpp]
  use(last);
}

int multi_namespace_informer(const Client& client, const ResourceEventHandler<Pod>& handler,
                             std::stop_token stop) {
  // [kube/cache/multi_namespace_informer.hpp]
  MultiNamespaceInformer<Pod> pods(client.rest(), {"web", "jobs"});
  auto registration = pods.add_event_handler(handler);
  if (auto started = pods.start(); !started) return 1;
  if (!pods.wait_for_sync(stop)) return 1;
  for (const auto& pod : pods.lister().list()) use(pod.key());  // of both namespaces
  // [kube/cache/multi_namespace_informer.hpp]
  return 0;
}

void multi_namespace_informer_factory(const Client& client, std::stop_token stop) {
  // [kube/cache/multi_namespace_informer_factory.hpp]
  MultiNamespaceInformerFactory factory(client.rest(), {"web", "jobs"});
  auto pods = factory.informer<Pod>();
  factory.start(stop);
  // [kube/cache/multi_namespace_informer_factory.hpp]
  use(pods);
}

Result<void> several_namespaces(const Client& client, const Pod& changed, std::stop_token stop) {
  // [several-namespaces]
  MultiNamespaceInformerFactory factory(client.rest(), {"web", "jobs"});
  auto pods = factory.informer<Pod>();
  auto registration =
      pods.add_event_handler({.on_add = [](const Cached<Pod>& pod, bool) { use(pod.key()); }});
  factory.start(stop);
  if (!pods.wait_for_sync(stop)) return Error(ErrorCode::Cancelled, "stopped");
  auto written = client.api<Pod>("web").update(changed);
  if (!written) return written.error();
  auto fresh = pods.wait_for("web", written->metadata.resource_version, 5s, stop);
  if (!fresh) return fresh;
  for (const auto& pod : pods.lister().list()) use(pod.key());  // of both namespaces
  // [several-namespaces]
  return {};
}

void resource_informer_factory(const Client& client, std::stop_token stop) {
  // [kube/cache/resource_informer_factory.hpp]
  // The example.com widgets with app=web in namespace web.
  DynamicSharedInformerFactory dynamic(client.rest(),
                                       {.namespace_ = "web", .label_selector = "app=web"});
  auto widgets = dynamic.for_resource({"example.com", "v1", "widgets"});
  // [kube/cache/resource_informer_factory.hpp]

  // [kube/cache/resource_informer_factory.hpp:2]
  // Only the metadata of all secrets: the server sends nothing else.
  MetadataSharedInformerFactory metadata(client.rest());
  auto secrets = metadata.for_resource({"", "v1", "secrets"});
  metadata.start(stop);
  // [kube/cache/resource_informer_factory.hpp:2]
  use(widgets, secrets);
}

bool health(const SharedInformerFactory& factory) {
  using std::chrono_literals::operator""min;
  // [kube/cache/informer_health.hpp]
  // The answer of /healthz: 200 when it has a value, otherwise 500 with the text of the error.
  const kube::Result<void> alive = kube::check_health(factory, {.max_staleness = 5min});
  // [kube/cache/informer_health.hpp]
  return alive.has_value();
}

void counted_handles(SharedInformerFactory& factory, const ObjectKey& key) {
  // [handles]
  kube::InformerHandle<Pod> pods = factory.acquire<Pod>({.namespace_ = "web"});
  const auto pod = pods->lister().find(key);
  pods.release();  // the last one closes the watch and frees the memory
  // [handles]
}

Result<void> drop_fields(const Client& client) {
  // [drop-fields]
  SharedInformer<Pod> pods(
      client.rest(),
      {.drop_fields = {"metadata.managedFields",
                       "metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']",
                       "spec.containers[*].env"}});
  // InvalidArgument: "drop_fields: path "spec.nope" of Pod: core.v1.PodSpec has no field "nope"".
  if (auto started = pods.start(); !started) return started;
  // [drop-fields]
  return {};
}

void read_objects(const SharedInformer<Pod>& pods, const ObjectKey& key) {
  // [cache-get]
  const Lister<Pod> lister = pods.lister();
  if (const auto pod = lister.find(key)) use(pod->spec.node_name);  // the pod is not copied
  const auto pod = lister.get("web", "front-0");                    // or an error
  if (!pod && is_not_found(pod.error())) return;
  Pod next = **pod;  // a copy, to change
  next.metadata.labels["seen"] = "yes";
  // [cache-get]
  use(next);
}

Result<void> read_lists(const SharedInformer<Pod>& pods) {
  // [cache-list]
  for (const auto& pod : pods.lister().in_namespace("web").list()) use(pod.key());
  const auto selector = labels::parse("app=web,tier in (front,back)");
  if (!selector) return selector.error();
  const auto matching = pods.lister().list(*selector);
  if (!matching) return matching.error();  // the labels of an object can't be read
  for (const auto& pod : *matching) use(pod->status.phase);
  // [cache-list]
  return {};
}

Result<void> index_by_labels(SharedInformer<Pod>& informer) {
  // [kube/cache/index_functions.hpp]
  auto added = informer.add_index("app", index_by_label<Pod>("app"));
  auto web = informer.lister().list(*labels::parse("app=web,tier!=cache"));
  // [kube/cache/index_functions.hpp]
  use(web);
  return added;
}

Result<void> index_by_owners(SharedInformer<Pod>& informer, const ReplicaSet& replica_set) {
  // [kube/cache/index_functions.hpp:2]
  auto added = informer.add_index("owner", index_by_owner<Pod>());
  auto pods = informer.indexer().by_index("owner", replica_set.metadata.uid);
  pods = informer.indexer().by_index("owner", owner_value("ReplicaSet", "web-7d4b9c"));
  // [kube/cache/index_functions.hpp:2]
  use(pods);
  return added;
}

Result<void> index_by_selectors(SharedInformer<Pod>& informer) {
  // [kube/cache/index_functions.hpp:3]
  auto selector = labels::parse("track=canary");
  auto added = informer.add_index("canaries", index_by_selector<Pod>(*selector));
  auto canaries = informer.indexer().by_index("canaries", kMatching);
  // [kube/cache/index_functions.hpp:3]
  use(canaries);
  return added;
}

void snapshot_of_two(const SharedInformer<Pod>& pod_informer,
                     const SharedInformer<Node>& node_informer) {
  // [kube/cache/snapshot.hpp]
  const auto [pods, nodes] = snapshot(pod_informer.lister(), node_informer.lister());
  // [kube/cache/snapshot.hpp]
  use(pods, nodes);
}

Result<void> add_indexes(SharedInformer<Pod>& pods) {
  // [cache-indexes]
  auto by_node = index_by_field<Pod>("spec.nodeName");  // an error: pods have no such field
  if (!by_node) return by_node.error();
  const auto canary = labels::parse("track=canary");
  if (!canary) return canary.error();
  for (auto& [name, function] : std::map<std::string, IndexFunc<Pod>>{
           {"node", *by_node},
           {"app", index_by_label<Pod>("app")},
           {"owner", index_by_owner<Pod>()},
           {"canaries", index_by_selector<Pod>(*canary)},
           {"image", [](const Cached<Pod>& pod) {  // a function of the program's own decodes
              std::vector<std::string> images;
              for (const auto& container : pod->spec.containers) images.push_back(container.image);
              return images;
            }}}) {
    if (auto added = pods.add_index(name, std::move(function)); !added) return added;
  }
  // [cache-indexes]
  return {};
}

Result<void> read_indexes(const SharedInformer<Pod>& pods, const Deployment& owner) {
  // [cache-by-index]
  const Indexer<Pod> indexer = pods.indexer();
  const auto on_node = indexer.by_index("node", "node-1");
  if (!on_node) return on_node.error();  // there is no such index
  for (const auto& pod : *on_node) use(pod->status.phase);
  const auto owned = indexer.by_index("owner", owner.metadata.uid);  // by uid, or kind and name
  const auto replicas = indexer.by_index("owner", owner_value("ReplicaSet", "web-7d4b9c"));
  const auto canaries = indexer.by_index("canaries", kMatching);
  const std::size_t web = indexer.count("app", "web");  // copies no object
  // [cache-by-index]
  use(owned, replicas, canaries, web);
  return {};
}

Result<void> index_custom_resources(const Client& client, std::string_view crds,
                                    std::stop_token stop) {
  using meta::RuntimeSchema;
  // [cache-custom]
  const auto schema = RuntimeSchema::from_crds(crds);  // outlives the index
  if (!schema) return schema.error();
  const auto* widget = schema->find({"acme.io", "v1", "Widget"});
  if (widget == nullptr) return Error(ErrorCode::Config, "the definitions have no Widget");
  auto by_color = index_by_field(*widget, "spec.color");
  if (!by_color) return by_color.error();

  DynamicSharedInformerFactory factory(client.rest());
  const auto widgets = factory.for_resource({"acme.io", "v1", "widgets"});
  if (auto added = widgets->add_index("color", *std::move(by_color)); !added) return added;
  factory.start(stop);
  if (auto synced = factory.wait_for_cache_sync(stop).as_result(); !synced) return synced;
  const auto red = widgets->indexer().by_index("color", "Red");
  // [cache-custom]
  return red ? Result<void>() : red.error();
}

void read_at_one_moment(const SharedInformer<Pod>& pods, const SharedInformer<Deployment>& apps) {
  // [cache-snapshot]
  const auto [pods_then, apps_then] = snapshot(pods.lister(), apps.lister());
  for (const auto& app : apps_then.list()) {
    use(app, pods_then.in_namespace(std::string(app.namespace_())).list());
  }
  // [cache-snapshot]
}

Result<void> read_after_a_write(const Api<Pod>& api, const SharedInformer<Pod>& pods,
                                const Pod& pod, std::stop_token stop) {
  using std::chrono_literals::operator""s;
  // [cache-wait]
  const auto created = api.create(pod);
  if (!created) return created.error();
  if (auto fresh = pods.wait_for(created->metadata.resource_version, 5s, stop); !fresh)
    return fresh;
  const auto there = pods.lister().find({created->metadata.namespace_, created->metadata.name});
  // [cache-wait]
  use(there);
  return {};
}

Result<void> read_one_field(const SharedInformer<Pod>& pods) {
  // [cache-field]
  const auto path = meta::FieldLocator::compile<Pod>("status.containerStatuses[0].restartCount");
  if (!path) return path.error();
  for (const auto& pod : pods.lister().list()) {
    const auto restarts = pod.read<std::int32_t>(*path);  // of the bytes; nothing is decoded
    if (restarts && *restarts > 10) use(pod.key());
  }
  // [cache-field]
  return {};
}

Result<Client> connect_to_a_context() {
  // [connect-to-a-context]
  kube::kubeconfig::LoadingRules rules;
  rules.explicit_path = "/etc/scheduler/kubeconfig";
  auto files = rules.load();
  if (!files) return files.error();

  kube::kubeconfig::ConfigOverrides overrides;
  overrides.current_context = "prod";
  overrides.user.impersonate.user_name = "system:serviceaccount:ops:scheduler";
  auto config = kube::kubeconfig::ClientConfig(*files, overrides).client_config();
  if (!config) return config.error();

  auto client = kube::Client::create(*config);
  // [connect-to-a-context]
  return client;
}

void allow_plugins(rest::Config& config) {
  // [allow-plugins]
  if (config.exec_provider) {
    config.exec_provider->stdin_unavailable = true;
    config.exec_provider->policy = {.type = kube::rest::ExecPluginPolicy::Type::Allowlist,
                                    .allowlist = {{"aws", "/usr/bin/kubelogin"}}};
  }
  // [allow-plugins]
}

void limits(rest::Config& config) {
  using std::chrono_literals::operator""s;
  // [limits]
  config.connect_timeout = 5s;        // for the name and the TCP connection
  config.tls_handshake_timeout = 5s;  // after that
  config.timeout = 30s;               // for a request; not for watches
  config.retry = {.max_retries = 3, .retry_writes = false};
  config.qps = 50;  // shared by all clients of this Config
  config.burst = 100;
  config.separate_watch_connections = true;  // watches do not delay requests
  // [limits]
}

HandlerRegistration slow_handler(SharedInformer<Pod>& pods,
                                 const ResourceEventHandler<Pod>& handler) {
  // [slow-handler]
  auto registration = pods.add_event_handler(handler, {.name = "metering", .max_pending = 10'000});
  // [slow-handler]
  return registration;
}

Result<void> fresh_read(const Api<Pod>& api, const SharedInformer<Pod>& pods, const Pod& next,
                        std::stop_token stop) {
  using std::chrono_literals::operator""s;
  // [fresh-read]
  auto written = api.update(next);
  if (!written) return written.error();
  // Timeout: "cache of pods: expected at least resourceVersion 1204, found 1180".
  auto fresh = pods.wait_for(written->metadata.resource_version, 5s, stop);
  // [fresh-read]
  return fresh;
}

Result<ReconcileResult> read_your_writes(const Client& client, const SharedInformer<Pod>& pods,
                                         const ReconcileRequest& request, const Pod& next) {
  // [kube/controller/controller.hpp:2]
  auto pod = client.api<Pod>(request.key.namespace_).create(next);
  if (!pod) return pod.error();
  request.written(pods, *pod);  // the next reconcile finds it in pods.lister()
  // [kube/controller/controller.hpp:2]
  return ReconcileResult::done();
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

void priority_queue(const Runtime& runtime, const ObjectKey& key, const ObjectKey& other,
                    const std::function<bool(const ObjectKey&)>& reconcile, std::stop_token stop) {
  // [kube/workqueue/priority_queue.hpp]
  PriorityQueue<ObjectKey> queue({.name = "pods", .runtime = runtime});
  queue.add(key);                                // an event
  queue.add(other, {.priority = kLowPriority});  // one of the initial list
  while (auto item = queue.get(stop)) {
    const bool failed = !reconcile(item->key());
    if (failed) queue.add(item->key(), {.priority = item->priority(), .rate_limited = true});
  }
  // [kube/workqueue/priority_queue.hpp]
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
  using ::testing::ElementsAre;
  using ::testing::HasSubstr;
  using testing::RecordingLogger;
  // [kube/testing/recording_logger.hpp]
  const auto logger = std::make_shared<RecordingLogger>(LogLevel::Warning);
  const ClientOptions options{.runtime = {.logger = logger}};
  // ...
  EXPECT_TRUE(logger->await_line("etcd is away")) << *logger;
  EXPECT_THAT(logger->take_lines(), ElementsAre(HasSubstr("reconcile failed")));
  // [kube/testing/recording_logger.hpp]
  use(options);
}

struct PodCounter {
  explicit PodCounter(const Client& client);
  Result<void> start();
  const Controller& controller() const;
};
void settle(const std::unique_ptr<fake::FakeClient>& fake) {
  using testing::IsOk;
  // [kube/fake/settle.hpp]
  PodCounter counter(fake->client());
  ASSERT_THAT(counter.start(), IsOk());
  ASSERT_THAT(fake::settle(fake->server(), counter.controller()), IsOk());
  EXPECT_THAT(fake->client().api<core::v1::ConfigMap>("web").get("pod-count"), IsOk());
  // [kube/fake/settle.hpp]
}

void match_objects(const Api<Pod>& pods, const Lister<Pod>& lister) {
  using ::testing::AllOf;
  using testing::HasCondition;
  using testing::HasKey;
  using testing::HasLabel;
  using testing::IsOkAndHolds;
  using ::testing::UnorderedElementsAre;
  // [kube/testing/object_matchers.hpp]
  EXPECT_THAT(pods.get("web-0"),
              IsOkAndHolds(AllOf(HasLabel("app", "web"), HasCondition("Ready", "True"))));
  EXPECT_THAT(lister.list(), UnorderedElementsAre(HasKey("x/a"), HasKey("x/b")));
  // [kube/testing/object_matchers.hpp]
}

Unstructured some_pod(testing::Simulation& sim);

// [kube/simulation/simulation.hpp]
void scenario(testing::Simulation& sim) {
  SharedInformer<Pod> pods(sim.client().rest());
  const testing::ObservedInformer observed = sim.observe(pods);
  static_cast<void>(pods.start());
  for (int i = 0; i < 20; ++i) {
    sim.step("create a pod", [&] { static_cast<void>(sim.server().create(some_pod(sim))); });
    sim.run_for(std::chrono::seconds(sim.draw(5)));
  }
  sim.rest();  // no more faults: in the end the cache equals the server
}
// [kube/simulation/simulation.hpp]

testing::SimulationReport once() {
  // [kube/simulation/simulation.hpp:2]
  testing::SimulationReport report = testing::simulate({.seed = 7}, scenario);
  // [kube/simulation/simulation.hpp:2]
  return report;
}

void replay(const std::shared_ptr<transport::RoundTripper>& real_transport,
            const std::shared_ptr<Executor>& executor,
            const std::function<void(std::shared_ptr<transport::RoundTripper>)>& run_with) {
  using testing::RecordingTransport;
  using testing::ReplayTransport;
  // [kube/testing/recording_transport.hpp]
  auto recording = std::make_shared<RecordingTransport>(real_transport, executor->clock());
  run_with(recording);
  const std::string saved = recording->text();
  // in the test
  auto replay = ReplayTransport::create(saved, executor);
  run_with(replay.value());
  // [kube/testing/recording_transport.hpp]
}

void front(apiserver::ApiServer& server) {
  using apiserver::Frontend;
  using apiserver::FrontendResponse;
  // [kube/apiserver/frontend.hpp]
  Frontend frontend(server);
  frontend.handle({.method = "GET", .target = "/api/v1/pods"},
                  [](const FrontendResponse& response) { std::cout << response.body; });
  frontend.follow(1);  // the watch cache learns of one more write
  // [kube/apiserver/frontend.hpp]
}

}  // namespace kube::header_examples
