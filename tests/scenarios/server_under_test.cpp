// SPDX-License-Identifier: Apache-2.0
#include "server_under_test.hpp"

#include <dirent.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <utility>

#include <kube/api/core/v1/namespace.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/client/api.hpp>
#include <kube/config/kubeconfig.hpp>
#include <kube/config/transport_for.hpp>
#include <kube/testing/eventually.hpp>

namespace scenarios {
namespace {

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

kube::apiserver::ApiServer& embedded_server() {
  static const std::unique_ptr<kube::apiserver::ApiServer> server = [] {
    kube::apiserver::ApiServer::Options options;
    options.host_names = {kUnresolvedHost};
    return std::move(kube::apiserver::ApiServer::start(options)).value();
  }();
  return *server;
}

std::string new_namespace_name() {
  static std::atomic<int> count{0};
  return "scenario-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

}  // namespace

bool on_real_server() {
  return environment("KUBE_SCENARIO_KUBECONFIG") != nullptr;
}

kube::rest::Config server_config() {
  if (const char* path = environment("KUBE_SCENARIO_KUBECONFIG")) {
    return kube::kubeconfig::load({.path = path}).value();
  }
  kube::rest::Config config;
  config.host = embedded_server().url();
  return config;
}

kube::Client new_client(std::shared_ptr<kube::transport::RoundTripper> transport) {
  kube::ClientOptions options;
  options.transport = std::move(transport);
  return kube::Client::create(server_config(), std::move(options)).value();
}

std::shared_ptr<ObservedTransport> new_observed_transport() {
  return std::make_shared<ObservedTransport>(
      kube::transport::CurlTransport::create(kube::rest::transport_options(server_config()))
          .value());
}

bool has(Capability capability) {
  switch (capability) {
    case Capability::ServerSideApply:
      return on_real_server();
  }
  return false;
}

std::string without(Capability capability) {
  switch (capability) {
    case Capability::ServerSideApply:
      return "this server has no server-side apply";
  }
  return "unknown capability";
}

bool throttle_next_request() {
  if (on_real_server()) return false;
  embedded_server().overload(1, std::chrono::seconds(1));
  return true;
}

bool compact_history() {
  if (!on_real_server()) {
    embedded_server().compact_all();
    return true;
  }
  const char* command = environment("KUBE_SCENARIO_COMPACT");
  return command != nullptr && std::system(command) == 0;
}

bool eventually(const std::function<bool()>& holds) {
  return kube::testing::eventually(holds, {.interval = std::chrono::milliseconds(5)});
}

std::size_t threads_of_this_process() {
  DIR* folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return 0;
  std::size_t count = 0;
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] != '.') ++count;
  }
  ::closedir(folder);
  return count;
}

Scenario::Scenario() : client_(new_client()), namespace_(new_namespace_name()) {
  kube::core::v1::Namespace ns;
  ns.metadata.name = namespace_;
  must(client_.api<kube::core::v1::Namespace>().create(ns));
}

Scenario::~Scenario() {
  // A real server without a controller manager never finishes this; the name is not used again.
  static_cast<void>(client_.api<kube::core::v1::Namespace>().delete_(namespace_));
}

}  // namespace scenarios
