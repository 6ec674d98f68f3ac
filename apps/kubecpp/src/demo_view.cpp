// SPDX-License-Identifier: Apache-2.0
#include "demo_view.hpp"

#include <unistd.h>
#include <array>
#include <cinttypes>

namespace kubecpp {

std::string human_bytes(std::size_t bytes) {
  static constexpr std::array<const char*, 4> kUnits = {"B", "kB", "MB", "GB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text.data();
}

DemoView::DemoView(std::FILE* out) : out_(out), terminal_(::isatty(::fileno(out)) == 1) {
  if (terminal_) std::fputs("\x1b[?25l", out_);  // hide the cursor while lines move
}

DemoView::~DemoView() {
  if (terminal_) std::fputs("\x1b[?25h", out_);
  std::fflush(out_);
}

void DemoView::show(const DemoFrame& f) {
  if (!terminal_) {
    std::fprintf(
        out_,
        "%3d s  events/s %6.0f  pods %zu  cache %zu objects %s  queue %zu  created %" PRIu64
        "  bound %" PRIu64 "  finished %" PRIu64 "  deleted %" PRIu64
        "  create-to-bind p50 %.1f ms p99 %.1f ms\n",
        f.second, f.events_per_second, f.pods, f.cached_objects,
        human_bytes(f.cached_bytes).c_str(), f.queued, f.created, f.bound, f.finished, f.deleted,
        f.latency_p50_ms, f.latency_p99_ms);
    std::fflush(out_);
    return;
  }
  if (lines_shown_ > 0) std::fprintf(out_, "\x1b[%dA", lines_shown_);
  lines_shown_ = 0;
  const auto line = [&](const char* name, const std::string& value) {
    std::fprintf(out_, "\x1b[2K  %-26s %s\n", name, value.c_str());
    ++lines_shown_;
  };
  const auto number = [](auto value) { return std::to_string(value); };
  std::array<char, 64> text{};
  std::fprintf(out_, "\x1b[2K\x1b[1mkubecpp demo\x1b[0m  second %d of %d\n", f.second, f.seconds);
  ++lines_shown_;
  std::snprintf(text.data(), text.size(), "%.0f", f.events_per_second);
  line("events a second", text.data());
  line("nodes, pods", number(f.nodes) + ", " + number(f.pods));
  line("cached in all informers",
       number(f.cached_objects) + " objects, " + human_bytes(f.cached_bytes));
  line("keys queued", number(f.queued));
  line("created, bound", number(f.created) + ", " + number(f.bound));
  line("finished, deleted", number(f.finished) + ", " + number(f.deleted));
  line("retried", number(f.retried));
  std::snprintf(text.data(), text.size(), "p50 %.1f ms, p99 %.1f ms", f.latency_p50_ms,
                f.latency_p99_ms);
  line("creation to binding", text.data());
  std::fflush(out_);
}

}  // namespace kubecpp
