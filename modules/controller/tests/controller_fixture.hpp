// SPDX-License-Identifier: Apache-2.0
//
// A controller's world on a seeded executor: every schedule can be replayed, no test sleeps.
#pragma once

#include <memory>

#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/controller/controller.hpp>

namespace kube::testing {

inline Result<ReconcileResult> done() {
  return ReconcileResult::done();
}
inline Error broken() {
  return Error(ErrorCode::Unreachable, "no server");
}

class ControllerTest : public ::testing::Test {
 protected:
  ~ControllerTest() override { executor_->stop(); }
  Runtime runtime() const { return {.executor = executor_}; }
  ControllerOptions options(int workers = 1) const {
    ControllerOptions result;
    result.workers = workers;
    result.executor = executor_;
    return result;
  }
  Duration since_start() const { return executor_->clock()->now() - start_; }

  std::shared_ptr<SeededExecutor> executor_ = std::make_shared<SeededExecutor>(1);
  TimePoint start_ = executor_->clock()->now();
};

}  // namespace kube::testing
