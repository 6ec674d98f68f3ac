// SPDX-License-Identifier: Apache-2.0
#include "validation/own_diff.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kube/names/go_text.hpp>

namespace kube::apiserver {
namespace {

constexpr std::size_t kContext = 3;
/// The most that is compared line by line; beyond it, all lines between the first and the last
/// difference have changed.
constexpr std::size_t kMaxCompared = 1'000'000;

/// A line of either text, or of both.
struct DiffLine {
  char mark;  ///< ' ', '-' or '+'.
  std::string_view text;
};

using TextLines = std::vector<std::string_view>;

// Indentation of one space for a level.
std::string indented(const json::Value& value) {
  const std::string pretty = json::dump_pretty(value);
  std::string out;
  for (const std::string_view line : go::split(pretty, '\n')) {
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    out.append(start / 2, ' ').append(line.substr(start)).append("\n");
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

TextLines lines_of(std::string_view text) {
  TextLines out = go::split(text, '\n');
  if (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

// Adds the lines of a longest common subsequence, and those between.
void add_compared(std::span<const std::string_view> old, std::span<const std::string_view> now,
                  std::vector<DiffLine>& out) {
  const std::size_t width = now.size() + 1;
  std::vector<std::uint32_t> common((old.size() + 1) * width, 0);
  for (std::size_t i = old.size(); i-- > 0;) {
    for (std::size_t j = now.size(); j-- > 0;) {
      common[i * width + j] =
          old[i] == now[j] ? common[(i + 1) * width + j + 1] + 1
                           : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < old.size() || j < now.size()) {
    if (i < old.size() && j < now.size() && old[i] == now[j]) {
      out.push_back({' ', old[i++]});
      ++j;
    } else if (i < old.size() &&
               (j == now.size() || common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      out.push_back({'-', old[i++]});
    } else {
      out.push_back({'+', now[j++]});
    }
  }
}

std::vector<DiffLine> compare(const TextLines& old, const TextLines& now) {
  const std::size_t least = std::min(old.size(), now.size());
  std::size_t first = 0;
  while (first < least && old[first] == now[first]) ++first;
  std::size_t last = 0;
  while (last < least - first && old[old.size() - 1 - last] == now[now.size() - 1 - last]) ++last;
  std::vector<DiffLine> out;
  for (std::size_t i = 0; i < first; ++i) out.push_back({' ', old[i]});
  const std::span<const std::string_view> left(old.data() + first, old.size() - first - last);
  const std::span<const std::string_view> right(now.data() + first, now.size() - first - last);
  if (left.size() * right.size() <= kMaxCompared) {
    add_compared(left, right, out);
  } else {
    for (const std::string_view line : left) out.push_back({'-', line});
    for (const std::string_view line : right) out.push_back({'+', line});
  }
  for (std::size_t i = old.size() - last; i < old.size(); ++i) out.push_back({' ', old[i]});
  return out;
}

std::string range_of(std::size_t start, std::size_t count) {
  const std::string first = std::to_string(count == 0 ? start : start + 1);
  return count == 1 ? first : first + "," + std::to_string(count);
}

// Adds the lines from `first` up to `end`, under a line that says where they are.
void add_hunk(const std::vector<DiffLine>& lines, std::size_t first, std::size_t end,
              std::string& out) {
  const auto count = [&](std::size_t from, std::size_t to, char mark) {
    const auto counts = [mark](const DiffLine& line) {
      return line.mark == ' ' || line.mark == mark;
    };
    return static_cast<std::size_t>(std::count_if(lines.begin() + static_cast<std::ptrdiff_t>(from),
                                                  lines.begin() + static_cast<std::ptrdiff_t>(to),
                                                  counts));
  };
  out += "@@ -" + range_of(count(0, first, '-'), count(first, end, '-')) + " +" +
         range_of(count(0, first, '+'), count(first, end, '+')) + " @@\n";
  for (std::size_t i = first; i < end; ++i)
    out.append(1, lines[i].mark).append(lines[i].text).append("\n");
}

}  // namespace

std::string own_diff(const json::Value& before, const json::Value& after) {
  const std::string old = indented(before);
  const std::string now = indented(after);
  const std::vector<DiffLine> lines = compare(lines_of(old), lines_of(now));
  std::string out;
  std::size_t at = 0;
  while (at < lines.size()) {
    if (lines[at].mark == ' ') {
      ++at;
      continue;
    }
    const std::size_t first = at < kContext ? 0 : at - kContext;
    // The end of the last change that is no farther away than two contexts.
    std::size_t end = at;
    for (std::size_t i = at; i < lines.size() && i <= end + 2 * kContext; ++i)
      if (lines[i].mark != ' ') end = i + 1;
    const std::size_t stop = std::min(end + kContext, lines.size());
    add_hunk(lines, first, stop, out);
    at = stop;
  }
  return out;
}

}  // namespace kube::apiserver
