// SPDX-License-Identifier: Apache-2.0
#include "deadlines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr SteadyTime kStart{1h};

TEST(Deadlines, WithoutBoundsNothingEverPasses) {
  Deadlines deadlines(kStart, std::nullopt, std::nullopt);
  EXPECT_EQ(deadlines.next(), SteadyTime::max());
  EXPECT_EQ(deadlines.check(kStart + 1000h, false), std::nullopt);
}

TEST(Deadlines, TheWholeBoundCountsFromTheStartWhateverIsHeard) {
  Deadlines deadlines(kStart, 10s, std::nullopt);
  EXPECT_EQ(deadlines.next(), kStart + 10s);
  deadlines.heard(kStart + 9s);
  EXPECT_EQ(deadlines.check(kStart + 9s, false), std::nullopt);
  EXPECT_THAT(deadlines.check(kStart + 10s, true).value(), HasSubstr("after 10 s"));
}

TEST(Deadlines, SilenceCountsFromWhatWasLastHeard) {
  Deadlines deadlines(kStart, std::nullopt, 10s);
  EXPECT_EQ(deadlines.next(), kStart + 10s);
  deadlines.heard(kStart + 8s);
  EXPECT_EQ(deadlines.check(kStart + 10s, false), std::nullopt);
  EXPECT_EQ(deadlines.next(), kStart + 18s);
  EXPECT_EQ(deadlines.check(kStart + 17s, false), std::nullopt);
  EXPECT_THAT(deadlines.check(kStart + 18s, false).value(), HasSubstr("nothing was received"));
}

TEST(Deadlines, SilenceDuringAPauseDoesNotCount) {
  Deadlines deadlines(kStart, std::nullopt, 10s);
  EXPECT_EQ(deadlines.check(kStart + 60s, true), std::nullopt);
  EXPECT_EQ(deadlines.next(), kStart + 70s);
  deadlines.heard(kStart + 65s);  // resume()
  EXPECT_EQ(deadlines.check(kStart + 70s, false), std::nullopt);
  EXPECT_EQ(deadlines.next(), kStart + 75s);
  EXPECT_TRUE(deadlines.check(kStart + 75s, false));
}

TEST(Deadlines, TheHeadsBoundCountsUntilTheHeadIsThere) {
  Deadlines deadlines(kStart, std::nullopt, 90s, 30s);
  EXPECT_EQ(deadlines.next(), kStart + 30s);
  deadlines.heard(kStart + 20s);
  EXPECT_THAT(deadlines.check(kStart + 30s, true).value(), HasSubstr("did not begin within 30 s"));
  deadlines.answered();
  EXPECT_EQ(deadlines.check(kStart + 30s, false), std::nullopt);
  EXPECT_EQ(deadlines.next(), kStart + 110s);
}

TEST(Deadlines, TheNearerBoundIsNext) {
  Deadlines deadlines(kStart, 15s, 10s);
  EXPECT_EQ(deadlines.next(), kStart + 10s);
  deadlines.heard(kStart + 9s);
  EXPECT_EQ(deadlines.check(kStart + 10s, false), std::nullopt);
  EXPECT_EQ(deadlines.next(), kStart + 15s);
}

}  // namespace
}  // namespace kube::transport
