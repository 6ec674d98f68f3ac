// SPDX-License-Identifier: Apache-2.0
//
// A running server, and short functions for the actions of tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/apiserver/api_server.hpp>

#include "http_client.hpp"

namespace kube::apiserver::test {

using serving::test::Answer;
using serving::test::Headers;
using serving::test::HttpClient;
using serving::test::kPatience;
using serving::test::text_at_path;
using serving::test::WatchClient;

/// Most tests use config maps of namespace "t".
inline constexpr std::string_view kConfigMaps = "/api/v1/namespaces/t/configmaps";

class ServerTest : public ::testing::Test {
 protected:
  /// Starts with a fixed seed and low revisions; override to change options.
  virtual ApiServer::Options options() const;
  void SetUp() override;
  void start(ApiServer::Options options);
  void TearDown() override { server_.reset(); }

  ApiServer& server() { return *server_; }
  std::uint16_t port() const { return server_->port(); }

  /// Sends one request on a kept connection.
  Answer call(std::string_view method, std::string_view target, std::string_view body = {},
              const Headers& headers = {});
  Answer get(std::string_view target, const Headers& headers = {}) {
    return call("GET", target, {}, headers);
  }
  Answer post(std::string_view target, std::string_view body) { return call("POST", target, body); }
  Answer put(std::string_view target, const json::Value& body) {
    return call("PUT", target, json::dump(body));
  }
  Answer merge(std::string_view target, std::string_view patch) {
    return call("PATCH", target, patch, {{"Content-Type", "application/merge-patch+json"}});
  }
  Answer remove(std::string_view target, std::string_view options = {}) {
    return call("DELETE", target, options);
  }

  /// Creates a config map in a namespace and expects 201.
  Answer make_config_map(std::string_view name, std::string_view data = "{}",
                         std::string_view namespace_ = "t", std::string_view metadata = {});
  void make_namespace(std::string_view name);
  std::string revision() const { return std::to_string(server_->resource_version()); }

  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<HttpClient> client_;
};

std::string config_map(std::string_view name, std::string_view data = "{}",
                       std::string_view metadata = {});
/// Returns a pod with one container; `spec` is merged into its spec.
std::string pod(std::string_view name, std::string_view spec = {}, std::string_view metadata = {});

/// Names of a list's items, in order, separated by blanks.
std::string names_of(const Answer& list);
std::string keys_of(const Answer& list);
/// Checks all members of a failure's Status.
void expect_status(const Answer& answer, int code, std::string_view reason);
/// The first cause of a Status: "reason field".
std::string first_cause(const Answer& answer);
json::Value with(json::Value object, std::initializer_list<std::string_view> path,
                 json::Value value);

}  // namespace kube::apiserver::test
