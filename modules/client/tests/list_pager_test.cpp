// SPDX-License-Identifier: Apache-2.0
#include <kube/client/list_pager.hpp>

#include <atomic>
#include <stdexcept>

#include <kube/api/core/v1/pod.hpp>
#include <kube/client/client.hpp>
#include <kube/meta/errors.hpp>
#include <kube/testing/eventually.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using core::v1::Pod;
using ::testing::ElementsAre;

// A server of pages with one pod each. It answers inside of the call, on any thread.
class ListPagerTest : public ::testing::Test {
 protected:
  ListPagerTest() {
    server->on("GET", "*", [this](ScriptedCall call) {
      const int page = ++requested;
      if (page == expired_page) {
        call.respond(410, status_json(410, "Expired", "too old"));
        return;
      }
      const std::string next = page < pages ? std::to_string(page) : "";
      call.respond(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7",)"
                        R"("continue":")" +
                            next + R"("},"items":[{"metadata":{"name":"p)" + std::to_string(page) +
                            R"("}}]})");
    });
  }
  ~ListPagerTest() override { server->stop(); }

  /// Visits all pods; `at` is called for each with its number.
  Result<void> walk(std::size_t ahead, const std::function<Result<void>(int)>& at,
                    std::stop_token stop = {}) {
    return for_each_ahead(
        pods, {.limit = 1},
        [&](const Pod& pod) {
          names.push_back(pod.metadata.name);
          return at(static_cast<int>(names.size()));
        },
        ahead, std::move(stop));
  }

  std::shared_ptr<ScriptedTransport> server = std::make_shared<ScriptedTransport>();
  Client client = Client::create({.host = "https://h", .content_type = "application/json"},
                                 {.transport = server})
                      .value();
  Api<Pod> pods = client.api<Pod>("web");
  std::atomic<int> requested = 0;
  int pages = 5;
  int expired_page = 0;
  std::vector<std::string> names;
};

TEST_F(ListPagerTest, PAGE_08_PGR_11_RequestsSoManyPagesAhead) {
  for (const int ahead : {0, 1, 10}) {
    const int reach = ahead + 1;
    names.clear();
    requested = 0;
    const auto walked = walk(static_cast<std::size_t>(ahead), [&](int page) -> Result<void> {
      const int expected = std::min(page + reach, pages);
      EXPECT_TRUE(testing::eventually([&] { return requested == expected; }));
      EXPECT_LE(requested, expected) << "page " << page << ", " << ahead << " ahead";
      return {};
    });
    EXPECT_TRUE(walked);
    EXPECT_THAT(names, ElementsAre("p1", "p2", "p3", "p4", "p5"));
    EXPECT_EQ(requested, 5);
  }
}

TEST_F(ListPagerTest, PAGE_06_ItemsBeforeAnExpiryAreVisitedAndThenItIsTheError) {
  pages = 30;
  expired_page = 15;
  const auto walked = walk(kPagesAhead, [&](int page) -> Result<void> {
    if (page == 1) {
      EXPECT_TRUE(testing::eventually([&] { return requested == 12; })) << "10 of them wait";
      EXPECT_LE(requested, 12);
    }
    return {};
  });
  ASSERT_FALSE(walked);
  EXPECT_TRUE(is_resource_expired(walked.error()));
  EXPECT_EQ(names.size(), 14U);
  EXPECT_EQ(requested, 15) << "the whole list is not requested instead";
}

TEST_F(ListPagerTest, PAGE_07_AnErrorAnExceptionAndAStopEndTheRequests) {
  pages = 1000;
  const auto failed = walk(2, [](int page) -> Result<void> {
    if (page == 3) return Error(ErrorCode::Config, "enough");
    return {};
  });
  EXPECT_EQ(failed.error().message(), "enough");
  EXPECT_EQ(names.size(), 3U);
  const auto throws = [](int) -> Result<void> { throw std::runtime_error("no"); };
  EXPECT_THROW(static_cast<void>(walk(2, throws)), std::runtime_error);
  names.clear();
  std::stop_source stop;
  const auto stopped = walk(
      2,
      [&](int page) -> Result<void> {
        if (page == 2) stop.request_stop();
        return {};
      },
      stop.get_token());
  EXPECT_EQ(stopped.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(names.size(), 2U) << "the page under way is finished";
  EXPECT_LT(requested, 30);
}

// A server of so many pods, in pages of ten.
class PagesOfTen : public ::testing::Test {
 protected:
  PagesOfTen() {
    server->on("GET", "*", [this](ScriptedCall call) {
      const int begin = std::stoi(std::string(call.query("continue").value_or("0")));
      if (begin > 0 && expires) {
        call.respond(410, status_json(410, "Expired", "too old"));
        return;
      }
      const int end = std::min(begin + 10, total);
      std::string items;
      for (int i = begin; i < end; ++i) {
        items +=
            (i == begin ? "" : ",") + (R"({"metadata":{"name":"p)" + std::to_string(i)) + R"("}})";
      }
      call.respond(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7")" +
                            (end < total ? R"(,"continue":")" + std::to_string(end) + '"' : "") +
                            R"(},"items":[)" + items + "]}");
    });
  }
  ~PagesOfTen() override { server->stop(); }

  /// Visits all pods, the pages ahead or one by one; `at` is called for each with its number.
  Result<void> walk(bool ahead, const std::function<Result<void>(int)>& at = {}) {
    visited.clear();
    const auto visit = [&](const Pod& pod) -> Result<void> {
      visited.push_back(pod.metadata.name);
      return at ? at(static_cast<int>(visited.size())) : Result<void>();
    };
    return ahead ? for_each_ahead(pods, {.limit = 10}, visit, kPagesAhead, stop.get_token())
                 : pods.for_each({.limit = 10}, visit, stop.get_token());
  }

  std::shared_ptr<ScriptedTransport> server = std::make_shared<ScriptedTransport>();
  Client client = Client::create({.host = "https://h", .content_type = "application/json"},
                                 {.transport = server})
                      .value();
  Api<Pod> pods = client.api<Pod>("web");
  std::stop_source stop;
  int total = 21;
  bool expires = false;
  std::vector<std::string> visited;
};

TEST_F(PagesOfTen, PGR_07_AllItemsAreVisitedInOrder) {
  for (const bool ahead : {false, true}) {
    for (const int count : {0, 9, 10, 11, 21}) {
      total = count;
      ASSERT_TRUE(walk(ahead));
      std::vector<std::string> expected;
      for (int i = 0; i < count; ++i) expected.push_back("p" + std::to_string(i));
      EXPECT_EQ(visited, expected);
    }
  }
}

TEST_F(PagesOfTen, PGR_08_AnExpiredPageIsTheErrorAfterTheItemsBeforeIt) {
  expires = true;
  for (const bool ahead : {false, true}) {
    const auto walked = walk(ahead);
    ASSERT_FALSE(walked);
    EXPECT_TRUE(is_resource_expired(walked.error()));
    EXPECT_EQ(visited.size(), 10U);
  }
}

TEST_F(PagesOfTen, PGR_09_TheVisitorsErrorAndItsExceptionEndTheWalkThere) {
  for (const bool ahead : {false, true}) {
    const auto walked = walk(ahead, [](int item) -> Result<void> {
      if (item == 3) return Error(ErrorCode::Config, "enough");
      return {};
    });
    ASSERT_FALSE(walked);
    EXPECT_EQ(walked.error().to_string(), "enough");
    EXPECT_EQ(visited.size(), 3U);
    const auto throws = [](int item) -> Result<void> {
      if (item == 3) throw std::runtime_error("no");
      return {};
    };
    EXPECT_THROW(static_cast<void>(walk(ahead, throws)), std::runtime_error);
    EXPECT_EQ(visited.size(), 3U);
  }
}

TEST_F(PagesOfTen, PGR_10_AStopLetsThePageEnd) {
  for (const bool ahead : {false, true}) {
    stop = std::stop_source();
    const auto walked = walk(ahead, [&](int item) -> Result<void> {
      if (item == 3) stop.request_stop();
      return {};
    });
    ASSERT_FALSE(walked);
    EXPECT_EQ(walked.error().code(), ErrorCode::Cancelled);
    EXPECT_EQ(visited.size(), 10U);
  }
}

}  // namespace
}  // namespace kube
