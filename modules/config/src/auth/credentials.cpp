// SPDX-License-Identifier: Apache-2.0
#include "credentials.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <kube/base/call_user_code.hpp>

namespace kube::rest {

CredentialSource::Shared CredentialSource::current(WallTime now) const {
  const MutexLock lock(mutex_);
  return valid(now);
}

CredentialSource::Shared CredentialSource::valid(WallTime now) const {
  if (!credentials_ || stale_) return nullptr;
  if (credentials_->expires && now > *credentials_->expires) return nullptr;
  return credentials_;
}

bool CredentialSource::begin() {
  if (running_) return false;
  running_ = true;
  stop_ = std::stop_source();
  if (ended_) stop_.request_stop();
  return true;
}

CredentialSource::Ticket CredentialSource::refresh(std::uint64_t unusable, RefreshContext context,
                                                   Ready ready) {
  Ticket ticket = 0;
  bool first = false;
  {
    const MutexLock lock(mutex_);
    unusable_ = std::max(unusable_, unusable);
    ticket = ++last_ticket_;
    waiters_.emplace(ticket, std::move(ready));
    first = begin();
  }
  if (first) launch(std::move(context));
  return ticket;
}

bool CredentialSource::withdraw(Ticket ticket) {
  std::stop_source unneeded(std::nostopstate);
  Waiters::node_type withdrawn;
  {
    const MutexLock lock(mutex_);
    withdrawn = waiters_.extract(ticket);
    if (!withdrawn) return false;
    if (waiters_.empty() && running_) unneeded = stop_;
  }
  if (unneeded.stop_possible()) unneeded.request_stop();
  return true;
}

void CredentialSource::refused(std::uint64_t generation, RefreshContext context) {
  {
    const MutexLock lock(mutex_);
    if (generation != generation_ || stale_) return;
    stale_ = true;
    if (!begin()) return;
  }
  launch(std::move(context));
}

// The last thread may still be calling waiters, and this may be one of their calls: nothing waits
// for it here.
void CredentialSource::launch(RefreshContext context) {
  try {
    const MutexLock lock(thread_mutex_);
    thread_.join_later();
    thread_ = WorkerThread("kube-auth", [self = shared_from_this(), context = std::move(context)] {
      self->run(context);
    });
  } catch (const std::system_error& e) {
    Waiters waiters;
    {
      const MutexLock lock(mutex_);
      running_ = false;
      waiters.swap(waiters_);
    }
    const Result<Shared> failed =
        Error(ErrorCode::Internal, std::string("the thread can't be started: ") + e.what());
    for (const auto& [ticket, ready] : waiters) ready(failed);
  }
}

bool CredentialSource::finish_if_refreshed(WallTime now) {
  Waiters waiters;
  Shared there;
  {
    const MutexLock lock(mutex_);
    there = valid(now);
    if (!there || there->generation <= unusable_) return false;
    running_ = false;
    waiters.swap(waiters_);
  }
  const Result<Shared> result(std::move(there));
  for (const auto& [ticket, ready] : waiters) ready(result);
  return true;
}

void CredentialSource::run(RefreshContext context) {
  if (finish_if_refreshed(context.clock->wall_now())) return;
  for (;;) {
    std::stop_token stop;
    {
      const MutexLock lock(mutex_);
      stop = stop_.get_token();
    }
    Result<Credentials> fetched =
        call_user_code("the refresh of credentials", [&] { return fetch_(context, stop); });
    Waiters waiters;
    Result<Shared> result(nullptr);
    {
      const MutexLock lock(mutex_);
      // Stopped because nobody waited any more, and then somebody came.
      if (!fetched && stop.stop_requested() && !ended_ && !waiters_.empty()) {
        stop_ = std::stop_source();
        continue;
      }
      running_ = false;
      waiters.swap(waiters_);
      if (fetched) {
        fetched->generation = ++generation_;
        credentials_ = std::make_shared<const Credentials>(*std::move(fetched));
        stale_ = false;
        result = credentials_;
      } else {
        result = fetched.error();
      }
    }
    if (!result && waiters.empty() && !stop.stop_requested()) {
      KUBE_LOG(context.logger, LogLevel::Error, "config", "credentials could not be refreshed",
               {"error", result.error().to_string()});
    }
    for (const auto& [ticket, ready] : waiters) ready(result);
    return;
  }
}

void CredentialSource::stop_and_wait() {
  std::stop_source stop(std::nostopstate);
  {
    const MutexLock lock(mutex_);
    ended_ = true;
    stop = stop_;
  }
  stop.request_stop();
  WorkerThread last;
  {
    const MutexLock lock(thread_mutex_);
    last = std::move(thread_);
  }
  last.join();
}

}  // namespace kube::rest
