// SPDX-License-Identifier: Apache-2.0
#include "cluster.hpp"

#include <atomic>
#include <thread>
#include <utility>

#include <kube/api/core/v1/namespace.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/config/kubeconfig.hpp>

#include "../codec/pods.hpp"
#include "watchers.hpp"

namespace kube::bench {
namespace {

using core::v1::Namespace;
using core::v1::Pod;

constexpr int kWriters = 16;

template <class T>
T need(Result<T> result) {
  if (!result) fail(result.error().to_string());
  return *std::move(result);
}

rest::Config config_of(const std::string& kubeconfig) {
  kubeconfig::LoadOptions options;
  options.path = kubeconfig;
  return need(kubeconfig::load(options));
}

Address address_of(const rest::Config& config) {
  Address out;
  out.tls = config.host.starts_with("https:");
  out.port = static_cast<std::uint16_t>(std::stoul(config.host.substr(config.host.rfind(':') + 1)));
  if (!config.bearer_token.empty()) {
    out.credentials = "Authorization: Bearer " + config.bearer_token.reveal() + "\r\n";
  }
  return out;
}

Pod make_pod(const Pods& pods, int number) {
  Pod pod = running_pod(static_cast<unsigned>(number));
  // The server sets these.
  pod.metadata.uid.clear();
  pod.metadata.resource_version.clear();
  pod.metadata.generate_name.clear();
  pod.metadata.name = "p" + std::to_string(number);
  pod.metadata.namespace_ = pods.namespace_of(number);
  return pod;
}

template <class Work>
void with_threads(int count, const Work& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(work);
  for (std::thread& each : threads) each.join();
}

}  // namespace

Cluster::Cluster(const std::string& kubeconfig, const Pods& pods)
    : url_(config_of(kubeconfig).host),
      address_(address_of(config_of(kubeconfig))),
      client_(need(Client::create(config_of(kubeconfig)))),
      pods_(pods) {}

void Cluster::fill() const {
  for (int i = 0; i < pods_.namespaces(); ++i) {
    Namespace made;
    made.metadata.name = pods_.namespace_of(i);
    need(client_.api<Namespace>().create(made));
  }
  std::atomic<int> next{0};
  with_threads(kWriters, [&] {
    for (int number = 0; (number = next++) < pods_.count;) {
      const Pod pod = make_pod(pods_, number);
      const Api<Pod> api = client_.api<Pod>(pod.metadata.namespace_);
      // An API server takes the status by its subresource alone.
      Pod made = need(api.create(pod));
      made.status = pod.status;
      need(api.update_status(made));
    }
  });
}

double Cluster::pod_bytes() const {
  Connection connection(address_);
  connection.ask(pods_.list(0));
  return static_cast<double>(connection.read_answer()) / Pods::kPerNamespace;
}

std::string Cluster::version() const {
  meta::ListOptions one;
  one.limit = 1;
  return need(client_.api<Pod>(pods_.namespace_of(0)).list(one)).resource_version;
}

Cluster::Written Cluster::write(std::size_t rate, std::chrono::milliseconds time) const {
  const std::size_t count = rate * static_cast<std::size_t>(time.count()) / 1000;
  const auto begin = Clock::now();
  std::atomic<std::size_t> next{0};
  with_threads(kWriters, [&] {
    Connection connection(address_);
    for (std::size_t i = 0; (i = next++) < count;) {
      std::this_thread::sleep_until(begin + std::chrono::nanoseconds(1'000'000'000) * i / rate);
      connection.patch(pods_.path(static_cast<int>(i % static_cast<std::size_t>(pods_.count))),
                       R"({"metadata":{"annotations":{)" + mark_of(Clock::now()) + "}}}");
      connection.read_answer();
    }
  });
  return {count, std::chrono::duration<double>(Clock::now() - begin).count()};
}

}  // namespace kube::bench
