// SPDX-License-Identifier: Apache-2.0
//
// The embedded API server, and the one who approves and signs its requests.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kube/api/certificates/v1/certificate_signing_request.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/certificate/signing_request.hpp>
#include <kube/client/client.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>

#include "pki_fixture.hpp"

namespace kube::certificate {

using certificates::v1::CertificateSigningRequest;
inline constexpr const char* kSigner = "example.com/nodes";
inline constexpr const char* kClientAuth = "client auth";

class ClusterTest : public ::testing::Test {
 protected:
  /// A client whose time is the fake clock's.
  Client client_of(const rest::Config& server_config) {
    ClientOptions options;
    options.runtime.executor = pool;
    auto made = Client::create(server_config, std::move(options));
    EXPECT_TRUE(made) << made.error().to_string();
    return *made;
  }

  /// The names of all requests, oldest first.
  std::vector<std::string> names() {
    std::vector<CertificateSigningRequest> all = requests.list_all().value().items;
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return std::stoull(a.metadata.resource_version) < std::stoull(b.metadata.resource_version);
    });
    std::vector<std::string> found;
    for (const auto& request : all) found.push_back(request.metadata.name);
    return found;
  }
  /// The name of the only request that is not decided; waits for it.
  std::string await_request() {
    std::string name;
    EXPECT_TRUE(testing::eventually([&] {
      for (const auto& request : requests.list_all().value()) {
        if (request.status.conditions.empty()) name = request.metadata.name;
      }
      return !name.empty();
    }));
    return name;
  }
  void await_watch() {
    EXPECT_TRUE(testing::eventually([&] { return server->statistics().watchers > 0; }));
  }
  void decide(const std::string& name, const std::string& type) {
    auto request = requests.get(name).value();
    request.status.conditions.push_back(
        {.type = type, .status = "True", .reason = "Test", .message = "by the test"});
    const auto decided =
        requests.update_subresource<CertificateSigningRequest>(name, "approval", request);
    EXPECT_TRUE(decided) << decided.error().to_string();
  }
  void issue(const std::string& name, std::chrono::seconds lifetime = std::chrono::hours(100)) {
    auto request = requests.get(name).value();
    request.status.certificate =
        ca.sign(request.spec.request, {.lifetime = lifetime, .clock = clock});
    const auto stored = requests.update_status(request);
    EXPECT_TRUE(stored) << stored.error().to_string();
  }
  void approve_and_issue(const std::string& name,
                         std::chrono::seconds lifetime = std::chrono::hours(100)) {
    decide(name, "Approved");
    issue(name, lifetime);
  }

  std::shared_ptr<testing::FakeClock> clock = std::make_shared<testing::FakeClock>();
  std::shared_ptr<ThreadPool> pool =
      std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 2, .clock = clock});
  std::unique_ptr<apiserver::ApiServer> server = apiserver::ApiServer::start().value();
  rest::Config config{.host = server->url()};
  /// The approver's.
  Api<CertificateSigningRequest> requests =
      Client::create(config).value().api<CertificateSigningRequest>();
  const TestCa ca{"authority", clock};
};

}  // namespace kube::certificate
