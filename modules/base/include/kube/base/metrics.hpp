// SPDX-License-Identifier: Apache-2.0
//
// The metrics hook: counters, gauges and histograms made by a Provider that the program supplies.
// Names and labels are the field's (docs/observability.md). Without a provider nothing is made, and
// the handles below do nothing at the price of a branch.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kube::metrics {

using Labels = std::vector<std::pair<std::string, std::string>>;

// What a program supplies. Its functions are called in the middle of the library's work: on any
// thread, several at a time, transport's I/O thread and the strands of informers included.
//
// An implementation may call the library, as no lock is held: InformerCore's status(), say, or
// WorkQueue's len() and add(). What it calls may report in its turn, on the same thread; ending
// such a circle (a gauge that adds to the queue which it measures) is up to the implementation.
//
// What it throws is dropped: a series that could not be made counts nothing, and a value that could
// not be reported is lost.
//
// It must not wait: not for I/O, and for nothing that the library has yet to do (a blocking
// request, wait_for_sync(), stop_and_wait()), since the thread that it holds up may be the one that
// does it.

class CounterImpl {
 public:
  virtual ~CounterImpl() = default;
  virtual void add(double amount) = 0;
};
class GaugeImpl {
 public:
  virtual ~GaugeImpl() = default;
  virtual void set(double value) = 0;
};
class HistogramImpl {
 public:
  virtual ~HistogramImpl() = default;
  virtual void observe(double value) = 0;
};

/// The same name and labels give the same series, which may be asked for more than once, by two
/// threads at the same time too. A series lives as long as the handle that was made for it.
class Provider {
 public:
  virtual ~Provider() = default;
  virtual std::shared_ptr<CounterImpl> counter(std::string_view name, const Labels& labels) = 0;
  virtual std::shared_ptr<GaugeImpl> gauge(std::string_view name, const Labels& labels) = 0;
  virtual std::shared_ptr<HistogramImpl> histogram(std::string_view name, const Labels& labels) = 0;
};

namespace detail {
/// Calls what the program supplied; what that throws ends here.
template <class F>
auto quietly(F&& f) noexcept -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    return decltype(f())();
  }
}
}  // namespace detail

/// Handles; empty ones do nothing, and none throws.
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

/// A gauge of something that several threads change under a lock of theirs, which must not be held
/// while the gauge is set: without it, two of them could leave the older value behind.
///
/// @par Thread safety   All functions may be called from any thread.
class LatestGauge {
 public:
  LatestGauge(const std::shared_ptr<Provider>& provider, std::string_view name,
              const Labels& labels)
      : gauge_(provider, name, labels) {}

  /// Under the lock: what is noted last is what the gauge is left with.
  void note(double value) { value_.store(value, std::memory_order_relaxed); }
  /// After it. One thread at a time sets the gauge, and goes on until it has set the last value.
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
  std::atomic<unsigned> changes_{0};  // since a thread began to publish them; 0: nobody does
};

}  // namespace kube::metrics
