// SPDX-License-Identifier: Apache-2.0
//
// One thread, virtual time, a scripted server: what the tests of reflectors and informers run on.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/base/runtime.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/names/group_version.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "wire_texts.hpp"

namespace kube::cache::testing {

using kube::testing::ScriptedCall;
using kube::testing::ScriptedTransport;
using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;

inline meta::ResourceInfo pods() {
  return {"", "v1", "Pod", "pods", "pod", true};
}

/// Answers a request with a Status.
inline void respond_status(ScriptedCall& call, int code, std::string_view reason,
                           std::string_view message, std::string_view more = {},
                           transport::Headers headers = {{"Content-Type", "application/json"}}) {
  call.respond(code, status_text(code, reason, message, more), std::move(headers));
}

class ScriptedRun {
 public:
  explicit ScriptedRun(std::uint64_t seed = 1)
      : executor(std::make_shared<SeededExecutor>(seed)),
        transport(
            std::make_shared<ScriptedTransport>(ScriptedTransport::Options{.executor = executor})),
        runtime{.executor = executor, .random = [] { return 0.0; }} {}

  ScriptedRun(const ScriptedRun&) = delete;
  ScriptedRun& operator=(const ScriptedRun&) = delete;
  /// Requests and tasks that nobody waited for hold the client, and so these two.
  ~ScriptedRun() {
    transport->stop();
    executor->stop();
  }

  RestClient client() const {
    rest::Config config;
    config.host = "http://server";
    return RestClient::create(config, runtime, transport).value();
  }

  /// The request that waits for an answer; fails the test when there is none.
  ScriptedCall next() {
    executor->run_ready();
    auto call = transport->take_request();
    if (!call) throw std::runtime_error("expected a request, but none came");
    return *call;
  }
  ScriptedCall next_list() {
    ScriptedCall call = next();
    EXPECT_EQ(call.query("watch"), std::nullopt) << call.request().url;
    return call;
  }
  ScriptedCall next_watch() {
    ScriptedCall call = next();
    EXPECT_EQ(call.query("watch"), "true") << call.request().url;
    return call;
  }
  /// Nothing is asked for so long, and something is right after.
  void expect_pause(Duration pause) {
    executor->run_for(pause - 1ms);
    EXPECT_EQ(transport->waiting(), 0U) << "asked again too early";
    executor->run_for(1ms);
    EXPECT_EQ(transport->waiting(), 1U) << "did not ask again after the pause";
  }
  void run() { executor->run_ready(); }
  void run_for(Duration duration) { executor->run_for(duration); }

  std::shared_ptr<SeededExecutor> executor;
  std::shared_ptr<ScriptedTransport> transport;
  Runtime runtime;
};

}  // namespace kube::cache::testing
