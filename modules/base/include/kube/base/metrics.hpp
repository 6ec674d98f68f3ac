// SPDX-License-Identifier: Apache-2.0
//
// The metrics hook: counters, gauges and histograms made by a Provider that the program supplies.
// Names and labels are the field's (docs/observability.md). Without a provider nothing is made, and
// the handles below do nothing at the price of a branch.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kube::metrics {

using Labels = std::vector<std::pair<std::string, std::string>>;

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

/// @par Thread safety   Called from any thread. The same name and labels give the same series.
///   A series lives as long as the handle that was made for it.
class Provider {
 public:
  virtual ~Provider() = default;
  virtual std::shared_ptr<CounterImpl> counter(std::string_view name, const Labels& labels) = 0;
  virtual std::shared_ptr<GaugeImpl> gauge(std::string_view name, const Labels& labels) = 0;
  virtual std::shared_ptr<HistogramImpl> histogram(std::string_view name, const Labels& labels) = 0;
};

/// Handles; empty ones do nothing.
class Counter {
 public:
  Counter() = default;
  Counter(const std::shared_ptr<Provider>& provider, std::string_view name, const Labels& labels)
      : impl_(provider ? provider->counter(name, labels) : nullptr) {}
  void add(double amount = 1) const {
    if (impl_) impl_->add(amount);
  }

 private:
  std::shared_ptr<CounterImpl> impl_;
};
class Gauge {
 public:
  Gauge() = default;
  Gauge(const std::shared_ptr<Provider>& provider, std::string_view name, const Labels& labels)
      : impl_(provider ? provider->gauge(name, labels) : nullptr) {}
  void set(double value) const {
    if (impl_) impl_->set(value);
  }

 private:
  std::shared_ptr<GaugeImpl> impl_;
};
class Histogram {
 public:
  Histogram() = default;
  Histogram(const std::shared_ptr<Provider>& provider, std::string_view name, const Labels& labels)
      : impl_(provider ? provider->histogram(name, labels) : nullptr) {}
  explicit operator bool() const { return impl_ != nullptr; }
  void observe(double value) const {
    if (impl_) impl_->observe(value);
  }

 private:
  std::shared_ptr<HistogramImpl> impl_;
};

}  // namespace kube::metrics
