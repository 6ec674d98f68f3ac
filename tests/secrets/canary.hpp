// SPDX-License-Identifier: Apache-2.0
//
// A secret that is easy to find again: the tests put it wherever a secret may come in, and search
// for it in all that comes out.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/log.hpp>
#include <kube/base/metrics.hpp>
#include <kube/base/result.hpp>

namespace secrets {

/// Letters and digits that no text of ours has; every URL, header and YAML takes them as they are.
inline constexpr std::string_view kCanary = "Zq9CanaRY4Xw7";

/// How the text shows the canary: "plain", "percent-encoded", "base64", "hexadecimal" or
/// "escaped"; empty when it does not. Letters may have changed their case, and what stands around
/// it in base64 or in an escape does not matter.
std::string shown_by(std::string_view text);

/// `text` with every "CANARY" in it replaced by the canary.
std::string with_canary(std::string_view text);

/// All that a run has printed, each with where it comes from.
///
/// A handle: copies have the same outputs. Loggers and metrics have one, since an answer that is
/// under way may end a moment after its informer and its client are gone.
class Outputs {
 public:
  void add(std::string where, std::string text);
  void add(std::string where, const kube::Error& error);
  /// A test failure for each output that shows the canary.
  void expect_no_canary(std::string_view input) const;
  std::size_t size() const;
  /// All texts, for tests of the search itself.
  std::string all() const;

 private:
  struct State {
    std::mutex mutex{};
    std::vector<std::pair<std::string, std::string>> texts{};
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// Every line, of every level and component.
class LogInto final : public kube::Logger {
 public:
  explicit LogInto(Outputs outputs) : outputs_(std::move(outputs)) {}
  bool enabled(kube::LogLevel, std::string_view) const override { return true; }
  void write(const kube::LogRecord& record) override;

 private:
  Outputs outputs_;
};

/// The names and labels of all metrics.
class MetricsInto final : public kube::metrics::Provider {
 public:
  explicit MetricsInto(Outputs outputs) : outputs_(std::move(outputs)) {}
  std::shared_ptr<kube::metrics::CounterImpl> counter(std::string_view name,
                                                      const kube::metrics::Labels& labels) override;
  std::shared_ptr<kube::metrics::GaugeImpl> gauge(std::string_view name,
                                                  const kube::metrics::Labels& labels) override;
  std::shared_ptr<kube::metrics::HistogramImpl> histogram(
      std::string_view name, const kube::metrics::Labels& labels) override;

 private:
  void add(std::string_view name, const kube::metrics::Labels& labels);
  Outputs outputs_;
};

}  // namespace secrets
