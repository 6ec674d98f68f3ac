// SPDX-License-Identifier: Apache-2.0
#include <kube/base/flow_control.hpp>

#include <algorithm>
#include <vector>

#include <kube/base/token_bucket.hpp>

namespace kube::flowcontrol {
namespace {

class TokenBucketLimiter final : public RateLimiter {
 public:
  TokenBucketLimiter(float qps, int burst, std::shared_ptr<Clock> clock)
      : qps_(qps), bucket_(static_cast<double>(qps), burst, std::move(clock)) {}

  bool try_accept() override { return bucket_.try_accept(); }
  void accept() override { (void)bucket_.wait({}); }
  Result<void> wait_until(TimePoint deadline, std::stop_token stop) override {
    return bucket_.wait_until(deadline, std::move(stop));
  }
  float qps() const override { return qps_; }

 private:
  const float qps_;
  TokenBucket bucket_;
};

class AlwaysLimiter final : public RateLimiter {
 public:
  bool try_accept() override { return true; }
  void accept() override {}
  Result<void> wait_until(TimePoint /*deadline*/, std::stop_token /*stop*/) override { return {}; }
  float qps() const override { return 1; }
};

class NeverLimiter final : public RateLimiter {
 public:
  bool try_accept() override { return false; }
  void accept() override {
    MutexLock lock(mutex_);
    while (!stopped_) changed_.wait(lock);
  }
  Result<void> wait_until(TimePoint /*deadline*/, std::stop_token /*stop*/) override {
    return Error(ErrorCode::Timeout, "the rate limiter will never allow the request");
  }
  void stop() override {
    const MutexLock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  float qps() const override { return 1; }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool stopped_ KUBE_GUARDED_BY(mutex_) = false;
};

}  // namespace

std::shared_ptr<RateLimiter> token_bucket_rate_limiter(float qps, int burst,
                                                       std::shared_ptr<Clock> clock) {
  return std::make_shared<TokenBucketLimiter>(qps, burst, std::move(clock));
}
std::shared_ptr<RateLimiter> always_rate_limiter() {
  return std::make_shared<AlwaysLimiter>();
}
std::shared_ptr<RateLimiter> never_rate_limiter() {
  return std::make_shared<NeverLimiter>();
}

Backoff::Backoff(Options options, std::shared_ptr<Clock> clock, RandomSource random)
    : options_(std::move(options)), clock_(std::move(clock)), random_(std::move(random)) {}

std::optional<Backoff::Entry> Backoff::find(std::string_view id) const {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return std::nullopt;
  return found->second;
}

bool Backoff::expired(TimePoint event, const Entry& entry) const {
  if (options_.has_expired) return options_.has_expired(event, entry.last_update, options_.max);
  return event - entry.last_update > 2 * options_.max;
}

void Backoff::next(std::string_view id, TimePoint event) {
  std::optional<Entry> entry = find(id);
  const bool again = entry && !expired(event, *entry);
  const Duration base = again ? entry->delay : options_.initial;
  const double share = options_.jitter > 0 ? random_() * options_.jitter : 0;
  const Duration jitter(static_cast<Duration::rep>(share * static_cast<double>(base.count())));
  // As in client-go, only delays that have grown are limited.
  const Duration delay = again ? std::min(2 * base + jitter, options_.max) : base + jitter;
  const TimePoint now = clock_->now();
  const MutexLock lock(mutex_);
  entries_.insert_or_assign(std::string(id), Entry{delay, now});
}

Duration Backoff::get(std::string_view id) const {
  const std::optional<Entry> entry = find(id);
  return entry ? entry->delay : Duration::zero();
}

void Backoff::reset(std::string_view id) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found != entries_.end()) entries_.erase(found);
}

bool Backoff::is_in_backoff_since(std::string_view id, TimePoint event) const {
  const std::optional<Entry> entry = find(id);
  return entry && !expired(event, *entry) && clock_->now() - event < entry->delay;
}

bool Backoff::is_in_backoff_since_update(std::string_view id, TimePoint event) const {
  const std::optional<Entry> entry = find(id);
  return entry && !expired(event, *entry) && event - entry->last_update < entry->delay;
}

void Backoff::gc() {
  const TimePoint now = clock_->now();
  std::vector<std::pair<std::string, Entry>> all;
  {
    const MutexLock lock(mutex_);
    all.assign(entries_.begin(), entries_.end());
  }
  std::erase_if(all, [&](const auto& named) { return !expired(now, named.second); });
  const MutexLock lock(mutex_);
  for (const auto& [id, entry] : all) {
    const auto found = entries_.find(id);
    // It may have been changed meanwhile.
    if (found != entries_.end() && found->second.last_update == entry.last_update) {
      entries_.erase(found);
    }
  }
}

}  // namespace kube::flowcontrol
