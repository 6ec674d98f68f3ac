// SPDX-License-Identifier: Apache-2.0
#include "validation/own_diff.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kube/names/go_text.hpp>

namespace kube::apiserver {
namespace {

constexpr std::size_t kContext = 3;
/// The most pairs of lines that are looked at; what is left then counts as changed.
constexpr std::size_t kMaxPairs = 10'000'000;

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

/// A run of lines that both texts have.
struct Match {
  std::size_t old;
  std::size_t now;
  std::size_t size;
};

/// Pairs lines as the library of the reference server does: the longest run of equal lines, the
/// first of several, and then the same on both sides of it. A longest common subsequence would
/// often be another one.
class Matcher {
 public:
  Matcher(const TextLines& old, const TextLines& now)
      : old_(old), now_(now), before_(now.size() + 1), sizes_(now.size() + 1) {
    for (std::size_t j = 0; j < now.size(); ++j) places_[now[j]].push_back(j);
    // In a long text, lines that come often begin no run.
    constexpr std::size_t kLong = 200;
    if (now.size() < kLong) return;
    const std::size_t most = now.size() / 100 + 1;
    std::erase_if(places_, [&](const auto& line) { return line.second.size() > most; });
  }

  /// Returns the runs in order. Those that touch are not joined.
  std::vector<Match> matches() {
    std::vector<Match> out;
    std::vector<Range> left{{0, old_.size(), 0, now_.size()}};
    while (!left.empty()) {
      const Range range = left.back();
      left.pop_back();
      const Match found = longest(range);
      if (found.size == 0) continue;
      out.push_back(found);
      left.push_back({range.old_first, found.old, range.now_first, found.now});
      left.push_back(
          {found.old + found.size, range.old_end, found.now + found.size, range.now_end});
    }
    std::ranges::sort(out, {}, &Match::old);
    return out;
  }

 private:
  using Places = std::vector<std::size_t>;
  struct Range {
    std::size_t old_first;
    std::size_t old_end;
    std::size_t now_first;
    std::size_t now_end;
  };

  Match longest(const Range& range) {
    Match best{range.old_first, range.now_first, 0};
    const Places* last = nullptr;
    for (std::size_t i = range.old_first; i < range.old_end && pairs_ < kMaxPairs; ++i) {
      ++pairs_;
      const auto found = places_.find(old_[i]);
      const Places* places = found == places_.end() ? nullptr : &found->second;
      if (places != nullptr) add_runs(i, *places, range, best);
      if (last != nullptr) clear(*last, before_);
      before_.swap(sizes_);
      last = places;
    }
    if (last != nullptr) clear(*last, before_);
    return extended(best, range);
  }

  // Notes the sizes of the runs that end at a line of the old text and at one of the new.
  void add_runs(std::size_t i, const Places& places, const Range& range, Match& best) {
    pairs_ += places.size();
    for (const std::size_t j : places) {
      if (j < range.now_first || j >= range.now_end) continue;
      const std::size_t size = before_[j] + 1;
      sizes_[j + 1] = size;
      if (size > best.size) best = {i + 1 - size, j + 1 - size, size};
    }
  }

  static void clear(const Places& places, std::vector<std::size_t>& sizes) {
    for (const std::size_t j : places) sizes[j + 1] = 0;
  }

  // What begins no run may still be a part of one.
  Match extended(Match match, const Range& range) const {
    while (match.old > range.old_first && match.now > range.now_first &&
           old_[match.old - 1] == now_[match.now - 1]) {
      --match.old;
      --match.now;
      ++match.size;
    }
    while (match.old + match.size < range.old_end && match.now + match.size < range.now_end &&
           old_[match.old + match.size] == now_[match.now + match.size]) {
      ++match.size;
    }
    return match;
  }

  const TextLines& old_;
  const TextLines& now_;
  std::unordered_map<std::string_view, Places> places_{};  // of the lines of the new text
  // Of the runs that end at the line before, and at this one; all zero between two searches.
  std::vector<std::size_t> before_;
  std::vector<std::size_t> sizes_;
  std::size_t pairs_ = 0;
};

std::vector<DiffLine> compare(const TextLines& old, const TextLines& now) {
  std::vector<Match> matches = Matcher(old, now).matches();
  matches.push_back({old.size(), now.size(), 0});
  std::vector<DiffLine> out;
  std::size_t i = 0;
  std::size_t j = 0;
  for (const Match& match : matches) {
    while (i < match.old) out.push_back({'-', old[i++]});
    while (j < match.now) out.push_back({'+', now[j++]});
    for (; i < match.old + match.size; ++i, ++j) out.push_back({' ', old[i]});
  }
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
