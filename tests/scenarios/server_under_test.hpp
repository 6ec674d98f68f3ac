// SPDX-License-Identifier: Apache-2.0
//
// The server that the scenarios run against: the embedded one, or the one of the kubeconfig in
// KUBE_SCENARIO_KUBECONFIG. The assertions are the same.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <kube/client/client.hpp>
#include <kube/testing/eventually.hpp>

#include "observed_transport.hpp"

namespace scenarios {

using kube::testing::kPatience;

/// A name of the server that no resolver has, for proxies. The embedded server refuses other names.
inline constexpr const char* kUnresolvedHost = "cluster.invalid";

/// True when the scenarios run against a server that we did not start.
bool on_real_server();

/// Where the server is and who we are there.
kube::rest::Config server_config();

/// A client of its own: connections and threads are not shared with other clients.
kube::Client new_client(std::shared_ptr<kube::transport::RoundTripper> transport = nullptr);

/// The real transport to the server under test, for new_client().
std::shared_ptr<ObservedTransport> new_observed_transport();

/// What not every server can do. A test that needs it skips with without() where it is missing;
/// the real server has everything, and CI takes no skipped test there.
enum class Capability { ServerSideApply };
bool has(Capability capability);
std::string without(Capability capability);

/// The next request for a resource is answered by 429 with Retry-After. Only of the embedded
/// server; false otherwise.
bool throttle_next_request();

/// Makes the server forget its history, so that old resourceVersions are answered by 410. Needs
/// KUBE_SCENARIO_COMPACT (a command) on a real server; false when that is not set.
bool compact_history();

/// Polls until `holds()`, for kPatience at most. For conditions of a running system only.
bool eventually(const std::function<bool()>& holds);

/// The threads that run now, those of the embedded server included.
std::size_t threads_of_this_process();

/// A test with a client and a namespace of its own.
class Scenario : public ::testing::Test {
 protected:
  Scenario();
  ~Scenario() override;

  /// Fails the test when there was an error.
  template <class T>
  T must(kube::Result<T> result) {
    if (!result) throw kube::ApiException(result.error());
    return *std::move(result);
  }
  void must(const kube::Result<void>& result) { result.value(); }

  kube::Client client_;
  std::string namespace_;
};

}  // namespace scenarios
