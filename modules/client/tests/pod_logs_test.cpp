// SPDX-License-Identifier: Apache-2.0
#include <kube/client/pod_logs.hpp>

#include <kube/api/core/v1/node.hpp>

#include "api_fixture.hpp"

namespace kube {
namespace {

using core::v1::Pod;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

template <class T>
concept CanReadLogs = requires(const Api<T>& api) {
  api.logs("a");
};
static_assert(CanReadLogs<Pod>);
static_assert(!CanReadLogs<core::v1::Node>, "nodes have no log");
static_assert(!CanReadLogs<Unstructured>);

class PodLogs : public ApiTest {};

TEST_F(PodLogs, TheWholeLog) {
  answer(200, "one\ntwo\n", {{"Content-Type", "text/plain"}});
  EXPECT_EQ(pods.logs("a").do_raw().value(), "one\ntwo\n");
  EXPECT_EQ(sent_line(), "GET /api/v1/namespaces/web/pods/a/log");
  EXPECT_TRUE(pods.logs("a", {.container = "main", .tail_lines = 5}).do_raw());
  EXPECT_EQ(sent_line(), "GET /api/v1/namespaces/web/pods/a/log?container=main&tailLines=5");
  EXPECT_EQ(pods.logs("").do_raw().error().code(), ErrorCode::InvalidArgument);
}

TEST_F(PodLogs, AStreamOfIt) {
  server->on("", "*", [](ScriptedCall call) { call.head(200, {}).data("one\n").end(); });
  auto text = pods.logs("a", {.follow = true}).stream();
  ASSERT_TRUE(text);
  EXPECT_EQ(text->next().value().value(), "one\n");
  EXPECT_FALSE(text->next());
}

TEST_F(PodLogs, TheLimitOfWithin) {
  const auto late = pods.within(3s).logs("a").do_raw();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::Timeout);
  EXPECT_THAT(late.error().to_string(), HasSubstr("the call did not end within 3s"));
  EXPECT_EQ(elapsed(), 3s);
  // It begins anew with each use of the request.
  const TextRequest request = pods.within(3s).logs("a");
  EXPECT_FALSE(request.do_raw());
  EXPECT_FALSE(request.do_raw());
  EXPECT_EQ(elapsed(), 9s);
  // A stream has to begin in time, and may then go on.
  server->on("", "*", [](ScriptedCall call) { call.head(200, {}); });
  EXPECT_TRUE(pods.within(3s).logs("a", {.follow = true}).stream());
  EXPECT_EQ(last_request().head_timeout, 3s);
  EXPECT_EQ(last_request().timeout, std::nullopt);
}

}  // namespace
}  // namespace kube
