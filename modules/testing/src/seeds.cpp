// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/seeds.hpp>

#include <charconv>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace kube::testing {
namespace {

std::vector<std::uint64_t> from_to(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> seeds(last - first + 1);
  std::iota(seeds.begin(), seeds.end(), first);
  return seeds;
}

// Takes a number from the beginning of the text; returns 0 when there is none.
std::uint64_t take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return 0;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

}  // namespace

std::vector<std::uint64_t> chosen_seeds(std::uint64_t count) {
  const char* given = std::getenv("KUBE_SEEDS");
  if (given == nullptr || *given == '\0') return from_to(1, count);
  std::string_view text = given;
  std::uint64_t first = 1;
  std::uint64_t last = take_number(text);
  if (text.starts_with('-')) {
    text.remove_prefix(1);
    first = std::exchange(last, take_number(text));
  }
  if (!text.empty() || first == 0 || last < first) {
    throw std::invalid_argument("KUBE_SEEDS: expected a number of seeds, or FIRST-LAST, found \"" +
                                std::string(given) + "\"");
  }
  return from_to(first, last);
}

}  // namespace kube::testing
