// SPDX-License-Identifier: Apache-2.0
#include <kube/names/label_terms.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>

namespace kube::labels {
namespace {

unsigned below(unsigned bound, std::mt19937& random) {
  return static_cast<unsigned>(random() % bound);
}

std::string random_value(std::mt19937& random) {
  return std::string(below(2, random) == 0 ? "x" : "") + std::to_string(below(4, random));
}

// Requirements of few keys and values, so that they meet.
std::string random_selector(std::mt19937& random) {
  const auto value = [&] { return random_value(random); };
  std::string out;
  for (unsigned left = below(7, random); left > 0; --left) {
    const std::string key(1, static_cast<char>('a' + below(4, random)));
    const std::string all[] = {key,
                               "!" + key,
                               key + "=" + value(),
                               key + "!=" + value(),
                               key + " in (" + value() + "," + value() + ")",
                               key + " notin (" + value() + "," + value() + ")",
                               key + ">" + std::to_string(below(4, random)),
                               key + "<" + std::to_string(below(4, random))};
    if (!out.empty()) out += ",";
    out += all[below(std::size(all), random)];
  }
  return out;
}

TEST(LabelTerms, SelectWhatTheirSelectorSelects) {
  std::mt19937 random(7);
  int matched = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = random_selector(random);
    const auto selector = parse(text);
    ASSERT_TRUE(selector) << text;
    const LabelTerms terms(*selector);
    EXPECT_EQ(terms.empty(), selector->empty()) << text;
    Set set;
    for (unsigned left = below(5, random); left > 0; --left) {
      set[std::string(1, static_cast<char>('a' + below(4, random)))] = random_value(random);
    }
    SortedLabels sorted(set.begin(), set.end());
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(terms.matches(sorted), selector->matches(set)) << text;
    matched += selector->matches(set) ? 1 : 0;
  }
  EXPECT_GT(matched, 2'000);
  EXPECT_FALSE(LabelTerms(Selector::nothing()).matches({}));
  EXPECT_FALSE(LabelTerms(Selector::nothing()).empty());
}

}  // namespace
}  // namespace kube::labels
