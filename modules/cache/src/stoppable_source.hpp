// SPDX-License-Identifier: Apache-2.0
//
// A source of objects for a reflector that can be stopped.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "callback_gate.hpp"

#include <kube/cache/lister_watcher.hpp>

namespace kube::cache {

/// Does not call the source, which may be user code, after its user has stopped. The reflector
/// then waits for no exchange, so none is made.
class StoppableSource final : public ListerWatcher {
 public:
  StoppableSource(std::shared_ptr<ListerWatcher> source, std::shared_ptr<CallbackGate> calls)
      : source_(std::move(source)), calls_(std::move(calls)) {}

  std::shared_ptr<transport::Exchange> list(const ListOptions& options,
                                            std::chrono::milliseconds idle_timeout,
                                            std::shared_ptr<transport::ResponseHandler> handler,
                                            std::stop_token stop) override {
    const auto inside = calls_->enter();
    if (!inside) return nullptr;
    return source_->list(options, idle_timeout, std::move(handler), std::move(stop));
  }
  std::shared_ptr<transport::Exchange> watch(const ListOptions& options,
                                             std::chrono::milliseconds idle_timeout,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override {
    const auto inside = calls_->enter();
    if (!inside) return nullptr;
    return source_->watch(options, idle_timeout, std::move(handler), std::move(stop));
  }
  bool note_response(const Error& refusal) override {
    const auto inside = calls_->enter();
    return inside && source_->note_response(refusal);
  }
  bool is_watch_list_semantics_unsupported() const override {
    return source_->is_watch_list_semantics_unsupported();
  }
  std::string to_string() const override { return source_ ? source_->to_string() : "no source"; }

 private:
  const std::shared_ptr<ListerWatcher> source_;
  const std::shared_ptr<CallbackGate> calls_;
};

}  // namespace kube::cache
