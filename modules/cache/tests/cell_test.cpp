// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/detail/cell.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "wire_texts.hpp"

namespace kube::cache {
namespace {

static_assert(!std::is_copy_constructible_v<Cell>);
static_assert(std::is_nothrow_move_constructible_v<CellRef>);
static_assert(std::is_nothrow_move_constructible_v<CellUser>);

std::atomic<int> decodes{0};
std::atomic<int> texts_alive{0};

// Decodes to the body's text; "bad" can't be decoded.
const CellType& counted_type() {
  static const CellType type{[](Encoding, std::string_view body) -> Result<void*> {
                               ++decodes;
                               if (body == "bad") return Error(ErrorCode::Decode, "not a text");
                               ++texts_alive;
                               return static_cast<void*>(new std::string(body));
                             },
                             [](void* object) {
                               --texts_alive;
                               delete static_cast<std::string*>(object);
                             },
                             sizeof(std::string)};
  return type;
}

CellRef make(std::string_view body) {
  return Cell::make(counted_type(), {.namespace_ = "default",
                                     .name = "web-0",
                                     .uid = "u-1",
                                     .resource_version = "42",
                                     .body = body});
}

class CellTest : public ::testing::Test {
 protected:
  void SetUp() override { decodes = 0; }
  void TearDown() override { EXPECT_EQ(texts_alive, 0) << "a decoded object leaked"; }
};

TEST_F(CellTest, KeyIsNamespaceSlashNameOrNameAlone) {
  const CellRef cell = make("x");
  EXPECT_EQ(cell->key(), "default/web-0");
  EXPECT_EQ(cell->namespace_(), "default");
  EXPECT_EQ(cell->name(), "web-0");
  EXPECT_EQ(cell->uid(), "u-1");
  EXPECT_EQ(cell->resource_version(), "42");
  EXPECT_EQ(cell->body(), "x");

  const CellRef cluster = Cell::make(
      counted_type(),
      {.namespace_ = "", .name = "node-1", .uid = "", .resource_version = "", .body = ""});
  EXPECT_EQ(cluster->key(), "node-1");
  EXPECT_EQ(cluster->namespace_(), "");
  EXPECT_EQ(cluster->name(), "node-1");
  EXPECT_EQ(cluster->body(), "");
}

TEST_F(CellTest, TakesItsPartsAndAFixedHeader) {
  const CellRef cell = make(std::string(1000, 'x'));
  EXPECT_LE(cell->memory(), 1000 + 13 + 3 + 2 + 48);
  EXPECT_GE(cell->memory(), 1000u + 13 + 3 + 2);
}

TEST_F(CellTest, DecodesOnceForAllItsUsers) {
  const CellRef cell = make("hello");
  const CellUser a(cell);
  const CellUser b = a;
  const CellUser c(cell);
  EXPECT_EQ(decodes, 0) << "nobody has looked yet";
  EXPECT_EQ(*static_cast<const std::string*>(*a.decoded()), "hello");
  EXPECT_EQ(*b.decoded(), *c.decoded());
  EXPECT_EQ(decodes, 1);
}

TEST_F(CellTest, DropsTheDecodedObjectWithItsLastUserAndDecodesAnewForTheNext) {
  const CellRef cell = make("hello");
  {
    const CellUser user(cell);
    ASSERT_TRUE(user.decoded());
    EXPECT_EQ(texts_alive, 1);
  }
  EXPECT_EQ(texts_alive, 0) << "a reference alone keeps no decoded object";
  const CellUser again(cell);
  ASSERT_TRUE(again.decoded());
  EXPECT_EQ(decodes, 2);
}

TEST_F(CellTest, OutlivesTheStoreThatHeldIt) {
  CellRef cell = make("hello");
  const CellUser user(cell);
  cell = CellRef();
  EXPECT_EQ(*static_cast<const std::string*>(*user.decoded()), "hello");
  const CellRef back = user.ref();
  EXPECT_EQ(back->key(), "default/web-0");
}

TEST_F(CellTest, BytesThatAreNotOfTheTypeAreAnErrorThatNamesTheObject) {
  const CellUser user(make("bad"));
  const auto decoded = user.decoded();
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code(), ErrorCode::Decode);
  EXPECT_EQ(decoded.error().to_string(), "object default/web-0: not a text");
  EXPECT_FALSE(user.decoded()) << "asking again gives the same answer";
}

TEST_F(CellTest, KeepsADecodedObjectUnderPolicyDecoded) {
  ++texts_alive;
  CellRef cell = Cell::make_decoded(
      counted_type(),
      {.namespace_ = "", .name = "n", .uid = "", .resource_version = "1", .body = "dropped"},
      new std::string("kept"));
  for (int i = 0; i < 2; ++i) {
    const CellUser user(cell);
    EXPECT_EQ(*static_cast<const std::string*>(*user.decoded()), "kept");
  }
  EXPECT_EQ(decodes, 0);
  EXPECT_EQ(cell->body(), "");
  cell = CellRef();
  EXPECT_EQ(texts_alive, 0);
}

TEST_F(CellTest, UsersThatComeAndGoInManyThreadsNeverSeeADroppedObject) {
  const CellRef cell = make("shared");
  std::atomic<bool> wrong{false};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 3000; ++i) {
          const CellUser user(cell);
          const CellUser copy = user;
          const auto text = copy.decoded();
          if (!text || *static_cast<const std::string*>(*text) != "shared") wrong = true;
        }
      });
    }
  }
  EXPECT_FALSE(wrong);
  EXPECT_EQ(texts_alive, 0);
}

TEST_F(CellTest, UsersThatDoNotLookLeaveTheDecodedObjectToTheOneThatDropsIt) {
  const CellRef cell = make("shared");
  std::atomic<bool> looking{true};
  std::jthread passing([&] {
    while (looking) const CellUser user(cell);
  });
  for (int i = 0; i < 100'000; ++i) {
    const CellUser user(cell);
    EXPECT_TRUE(user.decoded());
  }
  looking = false;
  passing.join();
  EXPECT_EQ(texts_alive, 0);
}

// A transform may make such parts; a server's are refused before.
TEST_F(CellTest, PartsThatAreTooLongAreCutAndBreakNothing) {
  const std::string long_part(70'000, 'p');
  const CellRef cell = Cell::make(testing::text_type(),
                                  {"x", long_part, long_part, long_part, Encoding::Json, "{}"});
  EXPECT_EQ(cell->name(), long_part.substr(0, 65'535));
  EXPECT_EQ(cell->uid(), cell->name());
  EXPECT_EQ(cell->body(), "{}");
}

}  // namespace
}  // namespace kube::cache
