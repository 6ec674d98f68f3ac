// SPDX-License-Identifier: Apache-2.0
//
// An executor that can be closed while the one below it continues: after close() none of its tasks
// runs, so that the objects they refer to can be destroyed.
#pragma once

#include <memory>
#include <utility>

#include <kube/base/executor.hpp>
#include <kube/base/gate.hpp>

namespace kube::serving {

/// @par Thread safety   All functions may be called from any thread.
class GatedExecutor final : public Executor {
 public:
  explicit GatedExecutor(std::shared_ptr<Executor> executor) : executor_(std::move(executor)) {}
  ~GatedExecutor() override { close(); }

  void submit(Task task) override { executor_->submit(guarded(std::move(task))); }
  [[nodiscard]] Timer submit_at(TimePoint when, Task task) override {
    return executor_->submit_at(when, guarded(std::move(task)));
  }
  const std::shared_ptr<Clock>& clock() const override { return executor_->clock(); }

  /// Blocks until running tasks have ended. Must not be called by one of them.
  void close() { gate_->close_and_wait(); }

 private:
  Task guarded(Task task) const {
    return [gate = gate_, task = std::move(task)] {
      if (const auto pass = gate->enter()) task();
    };
  }

  std::shared_ptr<Executor> executor_;
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
};

}  // namespace kube::serving
