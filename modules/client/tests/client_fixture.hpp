// SPDX-License-Identifier: Apache-2.0
//
// A RestClient whose server is a script and whose time is virtual: everything happens on the test's
// thread, and waiting costs nothing.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/testing/recording_logger.hpp>
#include <kube/testing/scripted_transport.hpp>

namespace kube {

using testing::ScriptedCall;
using testing::ScriptedTransport;

inline const meta::ResourceInfo kPodsResource{.group = "",
                                              .version = "v1",
                                              .kind = "Pod",
                                              .plural = "pods",
                                              .singular = "pod",
                                              .namespaced = true};
inline const meta::ResourceInfo kNodesResource{.group = "",
                                               .version = "v1",
                                               .kind = "Node",
                                               .plural = "nodes",
                                               .singular = "node",
                                               .namespaced = false};
inline const meta::ResourceInfo kDeploymentsResource{.group = "apps",
                                                     .version = "v1",
                                                     .kind = "Deployment",
                                                     .plural = "deployments",
                                                     .singular = "deployment",
                                                     .namespaced = true};

/// "GET /path?query"
inline std::string request_line(const transport::HttpRequest& request) {
  const std::string& url = request.url;
  const std::size_t path = url.find('/', url.find("://") + 3);
  return request.method + " " + (path == std::string::npos ? "" : url.substr(path));
}

inline std::string header(const transport::HttpRequest& request, std::string_view name) {
  return std::string(request.headers.find(name).value_or("none"));
}

inline std::string status_json(int code, const std::string& reason, const std::string& message) {
  return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" +
         message + R"(","reason":")" + reason + R"(","code":)" + std::to_string(code) + "}";
}

/// Counters and histograms as "name{a=b,c=d}" -> sum of increments or number of observations.
class MetricsCapture final : public metrics::Provider,
                             public std::enable_shared_from_this<MetricsCapture> {
 public:
  std::map<std::string, double> values() const {
    const std::lock_guard lock(mutex_);
    return values_;
  }
  std::shared_ptr<metrics::CounterImpl> counter(std::string_view name,
                                                const metrics::Labels& labels) override {
    return std::make_shared<Series>(shared_from_this(), key(name, labels));
  }
  std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view, const metrics::Labels&) override {
    return nullptr;
  }
  std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view name,
                                                    const metrics::Labels& labels) override {
    return std::make_shared<Series>(shared_from_this(), key(name, labels));
  }

 private:
  class Series final : public metrics::CounterImpl, public metrics::HistogramImpl {
   public:
    Series(std::shared_ptr<MetricsCapture> owner, std::string name)
        : owner_(std::move(owner)), name_(std::move(name)) {}
    void add(double amount) override { owner_->bump(name_, amount); }
    void observe(double) override { owner_->bump(name_, 1); }

   private:
    std::shared_ptr<MetricsCapture> owner_;
    std::string name_;
  };

  static std::string key(std::string_view name, const metrics::Labels& labels) {
    std::string text(name);
    for (const auto& [label, value] : labels) {
      text.append(&label == &labels.front().first ? "{" : ",").append(label + "=" + value);
    }
    return text + "}";
  }
  void bump(const std::string& name, double amount) {
    const std::lock_guard lock(mutex_);
    values_[name] += amount;
  }

  mutable std::mutex mutex_;
  std::map<std::string, double> values_;
};

class ClientTest : public ::testing::Test {
 protected:
  /// Requests and tasks that nobody waited for hold the client, and so these two.
  ~ClientTest() override {
    server->stop();
    executor->stop();
  }
  RestClient make(rest::Config config = {.host = "https://h"},
                  std::shared_ptr<rest::WarningHandler> warnings = nullptr) {
    auto client = RestClient::create(config, runtime, server, std::move(warnings));
    EXPECT_TRUE(client) << client.error().to_string();
    return *client;
  }
  /// Answers everything with this.
  void answer(int status, std::string body = "{}",
              transport::Headers headers = {{"Content-Type", "application/json"}}) {
    server->on("", "*", [=](ScriptedCall call) { call.respond(status, body, headers); });
  }
  /// Answers the next request with this.
  void next_answer(int status, std::string body = "{}",
                   transport::Headers headers = {{"Content-Type", "application/json"}}) {
    server->once("", "*", [=](ScriptedCall call) { call.respond(status, body, headers); });
  }
  transport::HttpRequest last_request() const {
    const auto requests = server->requests();
    EXPECT_FALSE(requests.empty());
    return requests.empty() ? transport::HttpRequest{} : requests.back();
  }
  std::size_t sent() const { return server->requests().size(); }
  Duration elapsed() const { return executor->clock()->now() - start; }
  /// Asks to stop when so much virtual time has passed.
  Timer stop_after(Duration delay) {
    return executor->submit_after(delay, [this] { stop.request_stop(); });
  }

  std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
  TimePoint start = executor->clock()->now();
  std::shared_ptr<testing::RecordingLogger> log = std::make_shared<testing::RecordingLogger>();
  std::shared_ptr<MetricsCapture> metrics = std::make_shared<MetricsCapture>();
  Runtime runtime{.executor = executor, .logger = log, .metrics = metrics};
  std::shared_ptr<ScriptedTransport> server =
      std::make_shared<ScriptedTransport>(ScriptedTransport::Options{.executor = executor});
  std::stop_source stop;
};

}  // namespace kube
