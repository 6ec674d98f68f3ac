// SPDX-License-Identifier: Apache-2.0
//
// The rate limiters that the clients of a rest::Config share.
#pragma once

#include <memory>

#include <kube/base/clock.hpp>
#include <kube/base/flow_control.hpp>

namespace kube::rest::detail {

/// The limiters of a Config and its copies: one for each qps and burst that a client was made with.
/// A copy of a Config whose qps is changed has a limiter of its own, therefore.
/// @par Thread safety   A value; all functions may be called from any thread.
class SharedLimiters {
 public:
  SharedLimiters();
  // A move would leave the other Config without limiters.
  SharedLimiters(const SharedLimiters&) = default;
  SharedLimiters& operator=(const SharedLimiters&) = default;
  ~SharedLimiters() = default;

  /// Returns the limiter, which is made at the first call with these arguments.
  std::shared_ptr<flowcontrol::RateLimiter> limiter(float qps, int burst,
                                                    const std::shared_ptr<Clock>& clock) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kube::rest::detail
