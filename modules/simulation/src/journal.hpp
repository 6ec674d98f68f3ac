// SPDX-License-Identifier: Apache-2.0
//
// What a run did: its numbered happenings, the first broken rule, and the trace.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/log.hpp>
#include <kube/simulation/simulation.hpp>

#include "black_box.hpp"
#include "random.hpp"

namespace kube::testing {

/// @par Thread safety   All functions may be called from any thread, but set_clock(), take_trace()
///   and happened().
class Journal {
 public:
  Journal(std::uint64_t seed, std::set<std::uint32_t> without, bool traces)
      : seed_(seed), without_(std::move(without)), traces_(traces) {}

  void set_clock(std::shared_ptr<Clock> clock) { clock_ = std::move(clock); }

  /// Whether something that is not part of a calm run happens here, with a chance of `in_thousand`.
  /// Each call has a number, and dice of its own: what is left out changes nothing else by itself.
  /// Returns the dice for its details when it happens.
  std::optional<Random> happens(std::uint64_t in_thousand, std::string_view what) {
    const std::lock_guard lock(mutex_);
    const std::uint32_t number = next_number_++;
    Random dice(seed_, 1000 + number);
    if (dice.below(1000) >= in_thousand || without_.contains(number)) return std::nullopt;
    happened_.push_back(number);
    if (box_ != nullptr) box_->happened(number);
    note([&] { return "#" + std::to_string(number) + " " + std::string(what); });
    return dice;
  }
  const std::vector<std::uint32_t>& happened() const { return happened_; }

  /// Reports a broken rule; the first one counts.
  void fail(std::string rule, std::string what) {
    const std::lock_guard lock(mutex_);
    note([&] { return "BROKEN: " + rule + ": " + what; });
    if (broken_) return;
    broken_ = BrokenRule{std::move(rule), std::move(what)};
    if (box_ != nullptr) box_->broken(*broken_);
  }
  std::optional<BrokenRule> broken() const {
    const std::lock_guard lock(mutex_);
    return broken_;
  }

  template <class Line>
  void note(Line&& line) {
    if (!traces_) return;
    const std::string text = line();
    const std::lock_guard lock(mutex_);
    append(text);
  }
  bool traces() const { return traces_; }
  std::string take_trace() { return std::exchange(trace_, {}); }
  /// Writes seed, rule and trace to standard error, for a run that ends the process; a black box
  /// knows them.
  void write_last_words() const;

 private:
  void append(const std::string& line);

  const std::uint64_t seed_;
  const std::set<std::uint32_t> without_;
  const bool traces_;
  std::shared_ptr<Clock> clock_;
  mutable std::recursive_mutex mutex_;  // what happens is noted, too
  std::uint32_t next_number_ = 1;
  std::vector<std::uint32_t> happened_;
  std::optional<BrokenRule> broken_;
  std::string trace_;
  BlackBox* const box_ = BlackBox::of_process();
};

/// The library's log, as a part of the trace.
/// @par Thread safety   As Journal.
class JournalLogger final : public Logger {
 public:
  explicit JournalLogger(Journal& journal) : journal_(journal) {}
  bool enabled(LogLevel, std::string_view) const override { return journal_.traces(); }
  void write(const LogRecord& record) override;

 private:
  Journal& journal_;
};

}  // namespace kube::testing
