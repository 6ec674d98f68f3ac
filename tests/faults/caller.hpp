// SPDX-License-Identifier: Apache-2.0
//
// A program that calls Api<Pod> again and again.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <kube/client/client.hpp>
#include <kube/json/value.hpp>

namespace faults {

/// What a client does meanwhile.
class ClientWork {
 public:
  virtual ~ClientWork() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
  /// What it knows of the server's pods: "shop/cart@980", sorted.
  virtual std::vector<std::string> view() const = 0;
  /// Adds what it counts.
  virtual void describe(kube::json::Object& into) const = 0;
};

std::string line_of(std::string_view namespace_, std::string_view name, std::string_view version);

class Caller final : public ClientWork {
 public:
  /// `kind`: "get", "list" or "create".
  Caller(kube::Client client, std::string_view kind) : client_(std::move(client)), kind_(kind) {}
  ~Caller() override { stop(); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  void start() override;
  void stop() override;
  std::vector<std::string> view() const override;
  void describe(kube::json::Object& into) const override;

 private:
  using Outcome = kube::Result<std::vector<std::string>>;
  Outcome call(const std::stop_token& stop) const;
  void run(const std::stop_token& stop);

  const kube::Client client_;
  const std::string kind_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string said_;
  std::vector<std::string> view_;
  std::jthread thread_;
};

}  // namespace faults
