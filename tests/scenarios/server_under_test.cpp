// SPDX-License-Identifier: Apache-2.0
#include "server_under_test.hpp"

#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include <kube/api/core/v1/namespace.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/client/api.hpp>
#include <kube/config/kubeconfig.hpp>

namespace scenarios {
namespace {

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

kube::apiserver::ApiServer& embedded_server() {
  static const std::unique_ptr<kube::apiserver::ApiServer> server = [] {
    return std::move(kube::apiserver::ApiServer::start()).value();
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

kube::Client new_client() {
  if (const char* path = environment("KUBE_SCENARIO_KUBECONFIG")) {
    return kube::Client::create(kube::kubeconfig::load({.path = path}).value()).value();
  }
  kube::rest::Config config;
  config.host = embedded_server().url();
  return kube::Client::create(config).value();
}

bool compact_history() {
  if (!on_real_server()) {
    embedded_server().compact_all();
    return true;
  }
  const char* command = environment("KUBE_SCENARIO_COMPACT");
  return command != nullptr && std::system(command) == 0;
}

::testing::AssertionResult eventually(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= deadline) {
      return ::testing::AssertionFailure() << "did not hold within 30 s";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return ::testing::AssertionSuccess();
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
