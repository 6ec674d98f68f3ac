// SPDX-License-Identifier: Apache-2.0
#include "pod_server.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <string_view>

namespace kube::bench {
namespace {

constexpr std::size_t kBytesAtOnce = 1 << 20;
constexpr std::string_view kListBegin =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1000000"},"items":[)";
constexpr std::string_view kListEnd = "]}\n";
constexpr std::string_view kGoodSpec = R"("spec":{)";
constexpr std::string_view kBadSpec = R"("spec":7,"was":{)";

std::string pod_text(std::size_t number) {
  const std::string key = pod_key(number);
  const std::size_t slash = key.find('/');
  return R"({"metadata":{"name":")" + key.substr(slash + 1) +
         R"(","generateName":"web-","namespace":")" + key.substr(0, slash) +
         R"(","uid":"00000000-0000-0000-0000-)" + std::to_string(100'000'000'000 + number) +
         R"(","resourceVersion":")" + std::to_string(1 + number) +
         R"(","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"web","shard":")" +
         std::to_string(number % 50) +
         R"("},"managedFields":[{"manager":"kube-controller-manager","operation":"Update",)"
         R"("apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":)"
         R"({"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":)"
         R"({"k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:name":{},"f:resources":{}}}}}}]},)"
         R"("spec":{"volumes":[{"name":"token","projected":{"sources":[{"serviceAccountToken":)"
         R"({"expirationSeconds":3607,"path":"token"}}],"defaultMode":420}}],"containers":)"
         R"([{"name":"web","image":"images.example/web:1","args":["--port","8080"],"ports":)"
         R"([{"name":"http","containerPort":8080,"protocol":"TCP"}],"env":[{"name":"SHARD",)"
         R"("value":"1"}],"resources":{"limits":{"memory":"256Mi"},"requests":{"cpu":"100m",)"
         R"("memory":"128Mi"}},"volumeMounts":[{"name":"token","readOnly":true,"mountPath":)"
         R"("/var/run/secrets/kubernetes.io/serviceaccount"}],"terminationMessagePath":)"
         R"("/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":)"
         R"("IfNotPresent"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,)"
         R"("dnsPolicy":"ClusterFirst","serviceAccountName":"default","nodeName":"node-)" +
         std::to_string(number % 1000) +
         R"(","securityContext":{},"schedulerName":"default-scheduler"},"status":{"phase":)"
         R"("Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":)"
         R"("2026-01-01T00:00:05Z"}],"hostIP":"10.0.0.1","podIP":"10.1.0.1","startTime":)"
         R"("2026-01-01T00:00:01Z","qosClass":"Burstable"}})";
}

}  // namespace

bool is_bad(std::size_t number) {
  return number % kBadEach == kBadEach / 2;
}

std::string pod_key(std::size_t number) {
  return "ns-" + std::to_string(number % 200) + "/web-" + std::to_string(number);
}

std::vector<std::string> pod_texts(std::size_t count) {
  std::vector<std::string> texts;
  texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) texts.push_back(pod_text(i));
  return texts;
}

PodServer::PodServer(const std::vector<std::string>& pods, bool has_bad)
    : pods_(pods), has_bad_(has_bad) {
  url_ = "http://127.0.0.1:" + std::to_string(listener_.port);
  acceptor_ = std::thread([this] { accept_all(); });
}

void PodServer::accept_all() {
  for (;;) {
    const int connection = ::accept4(listener_.socket, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    connections_.emplace_back([this, connection] {
      respond(connection);
      ::close(connection);
    });
  }
}

void PodServer::respond(int connection) const {
  const std::string head = read_head(connection);
  const std::string_view line = std::string_view(head).substr(0, head.find('\r'));
  if (line.find("watch=") == std::string_view::npos) return list(connection);
  send_all(
      connection,
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  read_head(connection);  // until the client closes the connection
}

void PodServer::list(int connection) const {
  const auto is_changed = [&](std::size_t i) { return has_bad_ && is_bad(i); };
  std::size_t length = kListBegin.size() + kListEnd.size() + pods_.size() - 1;
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    length += pods_[i].size() + (is_changed(i) ? kBadSpec.size() - kGoodSpec.size() : 0);
  }
  std::string bytes =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
      std::to_string(length) + "\r\n\r\n";
  bytes += kListBegin;
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    if (i > 0) bytes += ',';
    const std::size_t begin = bytes.size();
    bytes += pods_[i];
    if (is_changed(i)) bytes.replace(bytes.find(kGoodSpec, begin), kGoodSpec.size(), kBadSpec);
    if (bytes.size() < kBytesAtOnce) continue;
    if (!send_all(connection, bytes)) return;
    bytes.clear();
  }
  bytes += kListEnd;
  send_all(connection, bytes);
}

}  // namespace kube::bench
