// SPDX-License-Identifier: Apache-2.0
#include <kube/config/detail/shared_by_clients.hpp>

#include <vector>

#include <kube/base/mutex.hpp>

namespace kube::rest::detail {

struct SharedByClients::State {
  Mutex mutex;
  std::vector<std::weak_ptr<void>> objects KUBE_GUARDED_BY(mutex);
};

SharedByClients::SharedByClients() : state_(std::make_shared<State>()) {}

std::shared_ptr<void> SharedByClients::find_or_make(
    const std::function<bool(const void*)>& fits,
    const std::function<std::shared_ptr<void>()>& make) const {
  // Outlives the lock: the last holder of one may let it go meanwhile.
  std::vector<std::shared_ptr<void>> seen;
  const MutexLock lock(state_->mutex);
  std::erase_if(state_->objects, [](const auto& object) { return object.expired(); });
  for (const std::weak_ptr<void>& object : state_->objects) {
    seen.push_back(object.lock());
    if (seen.back() && fits(seen.back().get())) return seen.back();
  }
  std::shared_ptr<void> made = make();
  state_->objects.emplace_back(made);
  return made;
}

}  // namespace kube::rest::detail
