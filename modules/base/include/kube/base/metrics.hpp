// SPDX-License-Identifier: Apache-2.0
//
// The metrics hook: counters, gauges and histograms of a Provider that the program supplies. Names
// and labels are client-go's (docs/observability.md). Without a provider the handles below cost a
// branch.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <kube/base/caught.hpp>

namespace kube::metrics {

using Labels = std::vector<std::pair<std::string, std::string>>;

// The program implements the four interfaces below. The library calls their functions in the middle
// of its work, on any thread, including the transport's I/O thread and the strands of informers.
//
// An implementation may call the library: no lock is held. What it calls may report values on the
// same thread; the implementation has to end such a recursion (a gauge that adds to the queue that
// it measures).
//
// Exceptions are dropped: a series that could not be made counts nothing, and a value that could
// not be reported is lost.
//
// An implementation must not wait for I/O, nor for anything that the library has yet to do (a
// blocking request, wait_for_sync(), stop_and_wait()): it may be blocking the thread that does it.

/// @par Thread safety   add() is called from any thread, several at a time.
class CounterImpl {
 public:
  virtual ~CounterImpl() = default;
  virtual void add(double amount) = 0;
};
/// @par Thread safety   set() is called from any thread; for one gauge several at a time.
class GaugeImpl {
 public:
  virtual ~GaugeImpl() = default;
  virtual void set(double value) = 0;
};
/// @par Thread safety   observe() is called from any thread, several at a time.
class HistogramImpl {
 public:
  virtual ~HistogramImpl() = default;
  virtual void observe(double value) = 0;
};

/// Makes series. Equal names and labels are the same series, which may be requested several times.
/// A series lives as long as the handle that was made for it.
/// @par Thread safety   All functions are called from any thread, several at a time.
class Provider {
 public:
  virtual ~Provider() = default;
  virtual std::shared_ptr<CounterImpl> counter(std::string_view name, const Labels& labels) = 0;
  virtual std::shared_ptr<GaugeImpl> gauge(std::string_view name, const Labels& labels) = 0;
  virtual std::shared_ptr<HistogramImpl> histogram(std::string_view name, const Labels& labels) = 0;
};

namespace detail {
/// Calls the program's implementation and drops what it throws.
template <class F>
auto quietly(F&& f) noexcept -> decltype(f()) {
  if constexpr (std::is_void_v<decltype(f())>) {
    static_cast<void>(caught(f));
  } else {
    decltype(f()) out{};
    static_cast<void>(caught([&] { out = f(); }));
    return out;
  }
}
}  // namespace detail

/// Handles. Empty ones do nothing; none throws. Copies share the series.
/// @par Thread safety   add() may be called from any thread.
class Counter {
 public:
  Counter() = default;
  Counter(const std::shared_ptr<Provider>& provider, std::string_view name, const Labels& labels)
      : impl_(
            detail::quietly([&] { return provider ? provider->counter(name, labels) : nullptr; })) {
  }
  void add(double amount = 1) const {
    if (impl_) detail::quietly([&] { impl_->add(amount); });
  }

 private:
  std::shared_ptr<CounterImpl> impl_;
};
/// @par Thread safety   set() may be called from any thread.
class Gauge {
 public:
  Gauge() = default;
  Gauge(const std::shared_ptr<Provider>& provider, std::string_view name, const Labels& labels)
      : impl_(detail::quietly([&] { return provider ? provider->gauge(name, labels) : nullptr; })) {
  }
  explicit operator bool() const { return impl_ != nullptr; }
  void set(double value) const {
    if (impl_) detail::quietly([&] { impl_->set(value); });
  }

 private:
  std::shared_ptr<GaugeImpl> impl_;
};
/// @par Thread safety   observe() may be called from any thread.
class Histogram {
 public:
  Histogram() = default;
  Histogram(const std::shared_ptr<Provider>& provider, std::string_view name, const Labels& labels)
      : impl_(detail::quietly(
            [&] { return provider ? provider->histogram(name, labels) : nullptr; })) {}
  explicit operator bool() const { return impl_ != nullptr; }
  void observe(double value) const {
    if (impl_) detail::quietly([&] { impl_->observe(value); });
  }

 private:
  std::shared_ptr<HistogramImpl> impl_;
};

/// A gauge of a value that several threads change under a lock, which they must not hold while they
/// set the gauge. With a plain Gauge an older value could be set last.
///
/// @par Thread safety   All functions may be called from any thread.
class LatestGauge {
 public:
  LatestGauge(const std::shared_ptr<Provider>& provider, std::string_view name,
              const Labels& labels)
      : gauge_(provider, name, labels) {}

  /// Called under the lock. The value noted last is the one that stays.
  void note(double value) { value_.store(value, std::memory_order_relaxed); }
  /// Called after the lock. One thread at a time sets the gauge, until it has set the last value.
  void publish() {
    if (!gauge_ || changes_.fetch_add(1) != 0) return;
    unsigned seen = 0;
    do {
      seen = changes_.load();
      gauge_.set(value_.load(std::memory_order_relaxed));
    } while (!changes_.compare_exchange_strong(seen, 0));
  }

 private:
  const Gauge gauge_;
  std::atomic<double> value_{0};
  std::atomic<unsigned> changes_{0};  // since a thread began to publish them; 0: no thread does
};

}  // namespace kube::metrics
