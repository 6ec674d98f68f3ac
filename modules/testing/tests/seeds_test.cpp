// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/seeds.hpp>

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace kube::testing {
namespace {

/// KUBE_SEEDS while it lives.
class SeedsTest : public ::testing::Test {
 protected:
  SeedsTest() {
    if (const char* before = std::getenv("KUBE_SEEDS")) before_ = before;
    ::unsetenv("KUBE_SEEDS");
  }
  ~SeedsTest() override {
    if (before_) ::setenv("KUBE_SEEDS", before_->c_str(), 1);
  }
  static std::vector<std::uint64_t> seeds(const std::string& given, std::uint64_t count = 3) {
    ::setenv("KUBE_SEEDS", given.c_str(), 1);
    std::vector<std::uint64_t> result;
    for (const std::uint64_t seed : chosen_seeds(count)) result.push_back(seed);
    ::unsetenv("KUBE_SEEDS");
    return result;
  }

 private:
  std::optional<std::string> before_;
};

using Numbers = std::vector<std::uint64_t>;

TEST_F(SeedsTest, AreTheFirstOnesUnlessOthersAreChosen) {
  EXPECT_EQ(chosen_seeds(3).size(), 3U);
  EXPECT_EQ(seeds(""), (Numbers{1, 2, 3}));
  EXPECT_EQ(seeds("2"), (Numbers{1, 2}));
  EXPECT_EQ(seeds("417-417"), (Numbers{417}));
  EXPECT_EQ(seeds("5-7"), (Numbers{5, 6, 7}));
}

TEST_F(SeedsTest, WhatIsNoChoiceIsRefused) {
  for (const char* given :
       {"x", "0", "-", "3-", "-3", "0-3", "7-5", "1-2-3", " 1", "99999999999999999999"}) {
    EXPECT_THROW(seeds(given), std::invalid_argument) << given;
    ::unsetenv("KUBE_SEEDS");
  }
}

}  // namespace
}  // namespace kube::testing
