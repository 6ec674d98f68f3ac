// SPDX-License-Identifier: Apache-2.0
//
// A source that believes that it learns from each refusal.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <kube/cache/lister_watcher.hpp>

namespace kube::cache::testing {

/// Says of every refusal that the next request will be another one.
class EverLearning final : public ListerWatcher {
 public:
  explicit EverLearning(std::shared_ptr<ListerWatcher> real) : real_(std::move(real)) {}
  std::shared_ptr<transport::Exchange> list(const ListOptions& options,
                                            std::chrono::milliseconds idle,
                                            std::shared_ptr<transport::ResponseHandler> handler,
                                            std::stop_token stop) override {
    return real_->list(options, idle, std::move(handler), std::move(stop));
  }
  std::shared_ptr<transport::Exchange> watch(const ListOptions& options,
                                             std::chrono::milliseconds idle,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override {
    return real_->watch(options, idle, std::move(handler), std::move(stop));
  }
  bool note_response(const Error&) override { return true; }
  std::string to_string() const override { return real_->to_string(); }

 private:
  const std::shared_ptr<ListerWatcher> real_;
};

}  // namespace kube::cache::testing
