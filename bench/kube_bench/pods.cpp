// SPDX-License-Identifier: Apache-2.0
#include "pods.hpp"

#include <algorithm>
#include <stdexcept>

#include <kube/api/core/v1/pod.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>

namespace kube::bench {
namespace {

struct Placeholder {
  std::string_view text;
  std::uint64_t modulo;  // 0: the version
};
// What a pod's number, or its version, replaces, as decimal digits.
std::array<Placeholder, 6> placeholders(std::size_t namespaces) {
  return {{
      {"@name@@@", 100'000'000},  // its number
      {"@uid@@@@@@@@", 1'000'000'000'000},
      {"@ns", namespaces},
      {"@app", 1'000},
      {"@nod", 1'000},
      {"@version@@", 0},
  }};
}

std::string pod_text(std::size_t bytes, std::size_t more) {
  std::string text =
      R"({"metadata":{"name":"web-@name@@@","generateName":"web-","namespace":"ns-@ns",)"
      R"("uid":"00000000-0000-0000-0000-@uid@@@@@@@@","resourceVersion":"@version@@",)"
      R"("creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"a-@app","pod-template-hash":"7d4b9c"},)"
      R"("annotations":{"note":")" +
      std::string(more, 'x') + R"("},"managedFields":[)";
  const std::string entry =
      R"({"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1",)"
      R"("time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":)"
      R"({"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":)"
      R"({".":{},"f:image":{},"f:name":{}}}}}})";
  const std::string container =
      R"({"name":"web","image":"images.example/web:1","args":["--port","8080"],"ports":)"
      R"([{"name":"http","containerPort":8080,"protocol":"TCP"}],"env":[{"name":"SHARD",)"
      R"("value":"1"},{"name":"POD_IP","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":)"
      R"("status.podIP"}}}],"resources":{"limits":{"memory":"256Mi"},"requests":{"cpu":"100m",)"
      R"("memory":"128Mi"}},"volumeMounts":[{"name":"token","readOnly":true,"mountPath":)"
      R"("/var/run/secrets/kubernetes.io/serviceaccount"}],"livenessProbe":{"httpGet":{"path":)"
      R"("/healthz","port":8080,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,)"
      R"("successThreshold":1,"failureThreshold":3},"terminationMessagePath":)"
      R"("/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"})";
  const std::string before_containers =
      R"(]},"spec":{"volumes":[{"name":"token","projected":{"sources":[{"serviceAccountToken":)"
      R"({"expirationSeconds":3607,"path":"token"}}],"defaultMode":420}}],"containers":[)";
  const std::string rest =
      R"(],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",)"
      R"("serviceAccountName":"default","nodeName":"node-@nod","securityContext":{},)"
      R"("schedulerName":"default-scheduler"},"status":{"phase":"Running","conditions":)"
      R"([{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:05Z"}],)"
      R"("hostIP":"10.0.0.1","podIP":"10.1.0.1","startTime":"2026-01-01T00:00:01Z",)"
      R"("qosClass":"Burstable"}})";
  // Three containers, and managed fields up to the size.
  std::string containers;
  for (int i = 0; i < 3; ++i) {
    std::string one = container;
    one.replace(one.find("web"), 3, "we" + std::to_string(i));
    containers += (i > 0 ? "," : "") + one;
  }
  const std::string tail = before_containers + containers + rest;
  bool first = true;
  while (text.size() + entry.size() + 1 + tail.size() <= bytes + more) {
    if (!first) text += ',';
    text += entry;
    first = false;
  }
  return text + tail;
}

}  // namespace

PodTemplate::PodTemplate(std::string text, std::size_t namespaces) : text_(std::move(text)) {
  for (const Placeholder& placeholder : placeholders(namespaces)) {
    const auto at = text_.find(placeholder.text);
    if (at == std::string::npos || text_.find(placeholder.text, at + 1) != std::string::npos) {
      throw std::runtime_error("a template does not have " + std::string(placeholder.text) +
                               " once");
    }
    places_.push_back({at, placeholder.text.size(), placeholder.modulo});
  }
}

void PodTemplate::append(std::size_t number, std::uint64_t version, std::string& out) const {
  const std::size_t begin = out.size();
  out += text_;
  for (const Place& place : places_) {
    std::uint64_t value = place.modulo == 0 ? version : number % place.modulo;
    for (std::size_t i = place.digits; i-- > 0; value /= 10) {
      out[begin + place.offset + i] = static_cast<char>('0' + value % 10);
    }
  }
}

Pods::Pods(std::size_t bytes, std::size_t namespaces) {
  using core::v1::Pod;
  for (std::size_t size = 0; size < kSizes; ++size) {
    const std::string text = pod_text(bytes, size * 16);
    const auto pod = meta::from_json<Pod>(text);
    if (!pod) throw std::runtime_error(pod.error().to_string());
    std::string message;
    meta::write_protobuf(&*pod, Pod::descriptor(), message);
    json_.emplace_back(text, namespaces);
    protobuf_.emplace_back(std::move(message), namespaces);
  }
}

}  // namespace kube::bench
