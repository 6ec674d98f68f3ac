// SPDX-License-Identifier: Apache-2.0
//
// The metrics of a reflector, under client-go's names (docs/observability.md).
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/ascii.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/metrics.hpp>

namespace kube::cache {

/// Returns the last 15 digits of a version, which a double holds exactly; nullopt if it is not a
/// number.
inline std::optional<double> version_as_number(std::string_view version) {
  if (version.size() > 15) version.remove_prefix(version.size() - 15);
  double number = 0;
  for (const char c : version) {
    if (!ascii::is_digit(c)) return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

/// @par Thread safety   Used on the reflector's strand.
class ReflectorMetrics {
 public:
  ReflectorMetrics(const std::shared_ptr<metrics::Provider>& provider, const std::string& name)
      : lists_(provider, "reflector_lists_total", {{"name", name}}),
        list_duration_(provider, "reflector_list_duration_seconds", {{"name", name}}),
        items_per_list_(provider, "reflector_items_per_list", {{"name", name}}),
        watches_(provider, "reflector_watches_total", {{"name", name}}),
        short_watches_(provider, "reflector_short_watches_total", {{"name", name}}),
        watch_duration_(provider, "reflector_watch_duration_seconds", {{"name", name}}),
        items_per_watch_(provider, "reflector_items_per_watch", {{"name", name}}),
        last_version_(provider, "reflector_last_resource_version", {{"name", name}}) {}

  void list_begins() const { lists_.add(); }
  void list_came(std::size_t items, Duration time) const {
    list_duration_.observe(seconds(time));
    items_per_list_.observe(static_cast<double>(items));
  }
  void watch_begins() const { watches_.add(); }
  void watch_ended(std::size_t events, Duration time, bool is_short) const {
    watch_duration_.observe(seconds(time));
    items_per_watch_.observe(static_cast<double>(events));
    if (is_short) short_watches_.add();
  }
  void reached(std::string_view version) const {
    if (!last_version_) return;
    if (const auto number = version_as_number(version)) last_version_.set(*number);
  }

 private:
  static double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

  metrics::Counter lists_;
  metrics::Histogram list_duration_;
  metrics::Histogram items_per_list_;
  metrics::Counter watches_;
  metrics::Counter short_watches_;
  metrics::Histogram watch_duration_;
  metrics::Histogram items_per_watch_;
  metrics::Gauge last_version_;
};

}  // namespace kube::cache
