// SPDX-License-Identifier: Apache-2.0
//
// Read your writes: a key waits until the caches have what its reconciler wrote.
#include <utility>

#include "controller_impl.hpp"

namespace kube {

bool Controller::Impl::is_held(const ObjectKey& key) {
  const MutexLock lock(mutex);
  const auto at = holds.find(key);
  if (at == holds.end()) return false;
  at->second.asked = true;
  return true;
}

void Controller::Impl::hold(const ObjectKey& key, std::vector<detail::AwaitedVersion> versions) {
  std::erase_if(versions, [](const auto& each) { return each.is_reached(each.version); });
  if (versions.empty()) return;
  std::uint64_t number = 0;
  const std::shared_ptr<const void> waits = std::make_shared<char>();
  {
    const MutexLock lock(mutex);
    if (state == ControllerState::Stopped) return;
    number = ++hold_count;
    Hold& added = holds[key];
    added.number = number;
    added.versions = versions.size();
    added.waits = waits;
    note_held();
  }
  held_keys.publish();
  Timer timer;
  const Result<void> submitted = call_user_code("the executor", [&] {
    timer = runtime.executor->submit_after(options.max_write_wait,
                                           [weak = weak_from_this(), key, number] {
                                             if (const auto self = weak.lock())
                                               self->write_wait_ended(key, number);
                                           });
  });
  if (!submitted) {  // a wait without a bound could last for ever
    write_wait_ended(key, number);
    return;
  }
  {
    const MutexLock lock(mutex);
    const auto at = holds.find(key);
    if (at != holds.end() && at->second.number == number) std::swap(at->second.timeout, timer);
  }
  for (detail::AwaitedVersion& each : versions) {
    const auto reached = [weak = weak_from_this(), key, number] {
      if (const auto self = weak.lock()) self->version_reached(key, number);
    };
    each.when_reached(std::move(each.version), reached, waits);
  }
}

void Controller::Impl::version_reached(const ObjectKey& key, std::uint64_t number) {
  Hold ended;  // its timer is cancelled without the lock
  {
    const MutexLock lock(mutex);
    const auto at = holds.find(key);
    if (at == holds.end() || at->second.number != number || --at->second.versions > 0) return;
    ended = take_hold(at);
  }
  after_hold(key, ended);
}

void Controller::Impl::write_wait_ended(const ObjectKey& key, std::uint64_t number) {
  Hold ended;
  {
    const MutexLock lock(mutex);
    const auto at = holds.find(key);
    if (at == holds.end() || at->second.number != number) return;
    ended = take_hold(at);
  }
  KUBE_LOG(runtime.logger, LogLevel::Warning, kControllerComponent,
           "a cache lacks what was written; its key is no longer held back",
           {"controller", options.name}, {"key", key.to_string()});
  expired_waits.add();
  after_hold(key, ended);
}

Controller::Impl::Hold Controller::Impl::take_hold(std::map<ObjectKey, Hold>::iterator at) {
  Hold taken = std::move(at->second);
  holds.erase(at);
  if (taken.asked) ++held_to_queue;
  note_held();
  return taken;
}

void Controller::Impl::after_hold(const ObjectKey& key, const Hold& ended) {
  if (ended.asked) {
    queue.add(key);
    const MutexLock lock(mutex);
    --held_to_queue;
    note_held();
  }
  held_keys.publish();
}

void Controller::Impl::note_held() {
  held_keys.note(static_cast<double>(holds.size() + held_to_queue));
}

void Controller::Impl::drop_holds() {
  std::map<ObjectKey, Hold> dropped;  // its timers are cancelled without the lock
  {
    const MutexLock lock(mutex);
    dropped.swap(holds);
    note_held();
  }
  held_keys.publish();
}

}  // namespace kube
