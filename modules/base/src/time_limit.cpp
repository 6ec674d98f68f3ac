// SPDX-License-Identifier: Apache-2.0
#include <kube/base/time_limit.hpp>

#include <utility>

namespace kube {

TimeLimit::TimeLimit(Executor& executor, Duration limit, std::stop_token stop)
    : stop_(std::move(stop)), ended_({stop_, late_->get_token()}) {
  if (limit == Duration::max()) return;
  timer_ = executor.submit_after(limit, [late = late_] { late->request_stop(); });
}

}  // namespace kube
