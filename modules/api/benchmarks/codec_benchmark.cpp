// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing a pod of about 8 KB of JSON and 5 KB of protobuf, as a cluster has them: one
// container, volumes, tolerations, status, managed fields. Beside it what the machine can do at
// best: copying the bytes, and for JSON finding the tokens and walking over them, without keeping
// anything.
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <cstring>
#include <string>
#include <vector>

#include <kube/api/core/v1/pod.hpp>
#include <kube/json/reader.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/codec.hpp>
#include <kube/meta/field_view.hpp>
#include <kube/meta/protobuf.hpp>

namespace kube {
namespace {

using core::v1::Pod;

// The fields of one manager, as the server keeps them.
std::string managed_fields(int entries) {
  std::string text = R"({"f:metadata":{"f:labels":{".":{})";
  for (int i = 0; i < entries; ++i)
    text += ",\"f:app.example.com/label-" + std::to_string(i) + "\":{}";
  text +=
      R"(},"f:ownerReferences":{".":{},"k:{\"uid\":\"5c1d9d0a-3c0e-4b6e-9a59-1f4c2a5c8a11\"}":{}}},"f:spec":{"f:containers":)"
      R"({"k:{\"name\":\"main\"}":{".":{})";
  for (int i = 0; i < entries; ++i)
    text += ",\"f:field" + std::to_string(i) + "\":{\".\":{},\"f:value\":{}}";
  return text + "}}}}";
}

Pod make_pod() {
  Pod pod;
  pod.metadata.name = "web-7d4b9c6f5d-x2x9z";
  pod.metadata.generate_name = "web-7d4b9c6f5d-";
  pod.metadata.namespace_ = "production";
  pod.metadata.uid = "0c9f8a51-9f3a-4a43-8b52-9a4e0b8d6f10";
  pod.metadata.resource_version = "912837465";
  pod.metadata.creation_timestamp = meta::Time(1793179800, 0);
  for (int i = 0; i < 8; ++i) {
    pod.metadata.labels["app.example.com/label-" + std::to_string(i)] =
        "value-of-label-" + std::to_string(i);
    pod.metadata.annotations["annotations.example.com/" + std::to_string(i)] =
        std::string(60, static_cast<char>('a' + i));
  }
  pod.metadata.owner_references.push_back({.api_version = "apps/v1",
                                           .kind = "ReplicaSet",
                                           .name = "web-7d4b9c6f5d",
                                           .uid = "5c1d9d0a-3c0e-4b6e-9a59-1f4c2a5c8a11",
                                           .controller = true,
                                           .block_owner_deletion = true});
  for (const char* manager : {"kube-controller-manager", "kubelet"}) {
    pod.metadata.managed_fields.push_back({.manager = manager,
                                           .operation = "Update",
                                           .api_version = "v1",
                                           .time = meta::Time(1793179800, 0),
                                           .fields_type = "FieldsV1",
                                           .fields_v1 = {managed_fields(20)}});
  }
  core::v1::Container container{
      .name = "main",
      .image = "registry.example.com/team/web:v1.27.3@sha256:0123456789abcdef",
      .args = {"--listen=:8080", "--log-level=info", "--config=/etc/web/config.yaml"}};
  for (int i = 0; i < 12; ++i) {
    container.env.push_back({.name = "VARIABLE_" + std::to_string(i),
                             .value = "the value of variable " + std::to_string(i)});
  }
  container.ports.push_back({.name = "http", .container_port = 8080, .protocol = "TCP"});
  container.resources.requests = {{"cpu", meta::Quantity::must_parse("250m")},
                                  {"memory", meta::Quantity::must_parse("512Mi")}};
  container.resources.limits = {{"cpu", meta::Quantity::must_parse("1")},
                                {"memory", meta::Quantity::must_parse("1Gi")}};
  container.volume_mounts.push_back(
      {.name = "kube-api-access",
       .read_only = true,
       .mount_path = "/var/run/secrets/kubernetes.io/serviceaccount"});
  container.termination_message_path = "/dev/termination-log";
  container.image_pull_policy = "IfNotPresent";
  pod.spec.containers.push_back(container);
  pod.spec.volumes.push_back({.name = "kube-api-access"});
  pod.spec.restart_policy = "Always";
  pod.spec.termination_grace_period_seconds = 30;
  pod.spec.dns_policy = "ClusterFirst";
  pod.spec.service_account_name = "web";
  pod.spec.node_name = "node-0042.zone-a.example.com";
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    pod.spec.tolerations.push_back(
        {.key = key, .operator_ = "Exists", .effect = "NoExecute", .toleration_seconds = 300});
  }
  pod.status.phase = "Running";
  for (const char* type :
       {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
    pod.status.conditions.push_back(
        {.type = type, .status = "True", .last_transition_time = meta::Time(1793179810, 0)});
  }
  pod.status.host_ip = "10.0.42.17";
  pod.status.pod_ip = "10.244.42.99";
  pod.status.pod_ips.push_back({"10.244.42.99"});
  pod.status.start_time = meta::Time(1793179801, 0);
  core::v1::ContainerStatus status{.name = "main", .ready = true, .image = container.image};
  status.container_id =
      "containerd://1c5c8f7a8f4c4a53b3f0d6c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a09f8e";
  status.state.running.ensure().started_at = meta::Time(1793179805, 0);
  pod.status.container_statuses.push_back(status);
  return pod;
}

const std::string& pod_text() {
  static const std::string text = meta::to_json(make_pod());
  return text;
}

const std::string& pod_protobuf() {
  static const std::string bytes = meta::to_protobuf(make_pod()).value();
  return bytes;
}

void count_bytes(benchmark::State& state, const std::string& bytes = pod_text()) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes.size()));
  state.counters["bytes"] = static_cast<double>(bytes.size());
}

// The floor: simdjson's tokens, and a walk over all of them.
void WalkTokens(benchmark::State& state) {
  for (auto _ : state) {
    json::Reader reader(pod_text());
    benchmark::DoNotOptimize(reader.skip());
  }
  count_bytes(state);
}
BENCHMARK(WalkTokens);

// simdjson's own document.
void SimdjsonDom(benchmark::State& state) {
  simdjson::dom::parser parser;
  const simdjson::padded_string text(pod_text());
  for (auto _ : state) {
    simdjson::dom::element document;
    benchmark::DoNotOptimize(parser.parse(text).get(document));
  }
  count_bytes(state);
}
BENCHMARK(SimdjsonDom);

void ParseValue(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(json::parse(pod_text()));
  count_bytes(state);
}
BENCHMARK(ParseValue);

void DecodePod(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(meta::from_json<Pod>(pod_text()));
  count_bytes(state);
}
BENCHMARK(DecodePod);

void EncodePod(benchmark::State& state) {
  const Pod pod = *meta::from_json<Pod>(pod_text());
  std::string out;
  for (auto _ : state) {
    out.clear();
    meta::write_json(&pod, Pod::descriptor(), out);
    benchmark::DoNotOptimize(out.data());
  }
  count_bytes(state);
}
BENCHMARK(EncodePod);

void CopyPod(benchmark::State& state) {
  const Pod pod = *meta::from_json<Pod>(pod_text());
  for (auto _ : state) benchmark::DoNotOptimize(Pod(pod));
  count_bytes(state);
}
BENCHMARK(CopyPod);

// The floor of protobuf.
void CopyProtobufBytes(benchmark::State& state) {
  std::vector<char> copy(pod_protobuf().size());
  for (auto _ : state) {
    std::memcpy(copy.data(), pod_protobuf().data(), copy.size());
    benchmark::DoNotOptimize(copy.data());
    benchmark::ClobberMemory();
  }
  count_bytes(state, pod_protobuf());
}
BENCHMARK(CopyProtobufBytes);

void DecodePodProtobuf(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(meta::from_protobuf<Pod>(pod_protobuf()));
  count_bytes(state, pod_protobuf());
}
BENCHMARK(DecodePodProtobuf);

void EncodePodProtobuf(benchmark::State& state) {
  const Pod pod = meta::from_protobuf<Pod>(pod_protobuf()).value();
  for (auto _ : state) benchmark::DoNotOptimize(meta::to_protobuf(pod));
  count_bytes(state, pod_protobuf());
}
BENCHMARK(EncodePodProtobuf);

// One field of an object that isn't decoded; to be compared with DecodePod and DecodePodProtobuf.
void view_field(benchmark::State& state, const char* text, const std::string& bytes) {
  const auto path = meta::FieldLocator::compile<Pod>(text).value();
  std::string scratch;
  for (auto _ : state) {
    const auto field = path.find(bytes);
    benchmark::DoNotOptimize(field->text(scratch)->data());
  }
  count_bytes(state, bytes);
}
BENCHMARK_CAPTURE(view_field, label_of_json, "metadata.labels['app.example.com/label-3']",
                  pod_text());
BENCHMARK_CAPTURE(view_field, node_name_of_json, "spec.nodeName", pod_text());
BENCHMARK_CAPTURE(view_field, phase_of_json, "status.phase", pod_text());
BENCHMARK_CAPTURE(view_field, label_of_protobuf, "metadata.labels['app.example.com/label-3']",
                  pod_protobuf());
BENCHMARK_CAPTURE(view_field, node_name_of_protobuf, "spec.nodeName", pod_protobuf());
BENCHMARK_CAPTURE(view_field, phase_of_protobuf, "status.phase", pod_protobuf());

// A subtree: the owner references are decoded, nothing else.
void view_owners(benchmark::State& state, const std::string& bytes) {
  const auto path = meta::FieldLocator::compile<Pod>("metadata.ownerReferences").value();
  for (auto _ : state) {
    benchmark::DoNotOptimize(path.find(bytes)->read<std::vector<meta::OwnerReference>>());
  }
  count_bytes(state, bytes);
}
BENCHMARK_CAPTURE(view_owners, of_json, pod_text());
BENCHMARK_CAPTURE(view_owners, of_protobuf, pod_protobuf());

}  // namespace
}  // namespace kube
