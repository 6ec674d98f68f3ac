// SPDX-License-Identifier: Apache-2.0
#include "demo_view.hpp"

#include <unistd.h>
#include <array>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <utility>
#include <vector>

namespace kubecpp {
namespace {

[[gnu::format(printf, 1, 2)]] std::string print(const char* format, ...) {
  std::array<char, 512> text{};
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  return text.data();
}

}  // namespace

std::string human_bytes(std::size_t bytes) {
  static constexpr std::array<const char*, 4> kUnits = {"B", "kB", "MB", "GB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? print("%.0f %s", value, kUnits[unit]) : print("%.1f %s", value, kUnits[unit]);
}

std::string describe(const std::optional<DemoFrame::Latency>& latency) {
  if (!latency) return "no pod was bound";
  return print("p50 %.1f ms, p99 %.1f ms", latency->median_ms, latency->p99_ms);
}

DemoView::DemoView(Output& out) : out_(out), terminal_(::isatty(STDOUT_FILENO) == 1) {
  if (terminal_) out_.write("\x1b[?25l");  // hide the cursor while lines move
}

DemoView::~DemoView() {
  if (terminal_) out_.write("\x1b[?25h");
}

void DemoView::show(const DemoFrame& f) {
  if (terminal_) return show_table(f);
  out_.write(print(
      "%3d s  events/s %6.0f  pods %zu  cache %zu objects %s  queue %zu  created "
      "%" PRIu64 "  bound %" PRIu64 "  finished %" PRIu64 "  deleted %" PRIu64
      "  creation to binding: %s\n",
      f.second, f.events_per_second, f.pods, f.cached_objects, human_bytes(f.cached_bytes).c_str(),
      f.queued, f.created, f.bound, f.finished, f.deleted, describe(f.latency).c_str()));
}

void DemoView::show_table(const DemoFrame& f) {
  const auto number = [](auto value) { return std::to_string(value); };
  const std::vector<std::pair<const char*, std::string>> rows = {
      {"events per second", print("%.0f", f.events_per_second)},
      {"nodes, pods", number(f.nodes) + ", " + number(f.pods)},
      {"cached in all informers",
       number(f.cached_objects) + " objects, " + human_bytes(f.cached_bytes)},
      {"keys queued", number(f.queued)},
      {"created, bound", number(f.created) + ", " + number(f.bound)},
      {"finished, deleted", number(f.finished) + ", " + number(f.deleted)},
      {"retried", number(f.retried)},
      {"creation to binding", describe(f.latency)},
  };
  // One write per frame, so that a terminal never shows half a frame.
  std::string text;
  if (lines_shown_ > 0) text += print("\x1b[%zuA", lines_shown_);
  text += print("\x1b[2K\x1b[1mkubecpp demo\x1b[0m  second %d of %d\n", f.second, f.seconds);
  for (const auto& [name, value] : rows) {
    text += print("\x1b[2K  %-26s %s\n", name, value.c_str());
  }
  out_.write(text);
  lines_shown_ = rows.size() + 1;
}

}  // namespace kubecpp
