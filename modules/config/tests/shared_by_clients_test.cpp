// SPDX-License-Identifier: Apache-2.0
#include <kube/config/detail/shared_by_clients.hpp>

#include <gtest/gtest.h>

#include <kube/config/config.hpp>

namespace kube::rest {
namespace {

std::shared_ptr<int> number_of(const Config& config, int number) {
  return std::static_pointer_cast<int>(config.shared.find_or_make(
      [&](const void* object) { return *static_cast<const int*>(object) == number; },
      [&] { return std::make_shared<int>(number); }));
}

TEST(SharedByClients, CopiesShareObjectsAndOthersDoNot) {
  Config config{.host = "https://h"};
  const Config copy = config;
  const Config moved = std::move(config);
  const auto one = number_of(copy, 1);
  EXPECT_EQ(number_of(moved, 1), one);
  EXPECT_EQ(number_of(config, 1), one) << "moved from, and still a Config";
  EXPECT_NE(number_of(copy, 2), one);
  EXPECT_NE(number_of(Config{.host = "https://h"}, 1), one);
}

TEST(SharedByClients, AnObjectLivesAsLongAsItsHolders) {
  const Config config;
  std::weak_ptr<int> seen;
  {
    const auto held = number_of(config, 1);
    seen = held;
    EXPECT_EQ(number_of(config, 1), held);
  }
  EXPECT_TRUE(seen.expired());
  EXPECT_TRUE(number_of(config, 1)) << "a new one";
}

}  // namespace
}  // namespace kube::rest
