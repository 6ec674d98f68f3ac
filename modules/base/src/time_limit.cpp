// SPDX-License-Identifier: Apache-2.0
#include <kube/base/time_limit.hpp>

#include <utility>

namespace kube {

TimeLimit::TimeLimit(Executor& executor, Duration limit, std::stop_token stop)
    : ended_({stop, late_->get_token()}), on_stop_(std::move(stop), [first = first_] {
        First none = First::None;
        first->compare_exchange_strong(none, First::Stop);
      }) {
  if (limit == Duration::max()) return;
  timer_ = executor.submit_after(limit, [late = late_, first = first_] {
    First none = First::None;
    if (first->compare_exchange_strong(none, First::Time)) late->request_stop();
  });
}

}  // namespace kube
