// SPDX-License-Identifier: Apache-2.0
//
// Watches as streams of typed events.
#include <kube/client/watch_stream.hpp>

#include <kube/meta/errors.hpp>

#include "api_fixture.hpp"

namespace kube {
namespace {

using ::testing::HasSubstr;

class WatchStreamOfPods : public ApiTest {};

TEST_F(WatchStreamOfPods, WatchDecodesEvents) {
  answer(200, std::string(R"({"type":"ADDED","object":)") + kPodJson + "}" +
                  R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1",)"
                  R"("metadata":{"resourceVersion":"12"}}})" +
                  R"({"type":"ERROR","object":)" + status_json(410, "Expired", "too old") + "}");
  auto stream = pods.watch({.allow_watch_bookmarks = true, .resource_version = "5"});
  ASSERT_TRUE(stream);
  auto added = stream->next();
  ASSERT_TRUE(added && *added);
  EXPECT_EQ((*added)->type, WatchEventType::Added);
  EXPECT_EQ((*added)->object.spec.node_name, "n1");
  auto bookmark = stream->next();
  EXPECT_EQ((*bookmark)->object.metadata.resource_version, "12");
  auto failed = stream->next();
  EXPECT_EQ((*failed)->type, WatchEventType::Error);
  EXPECT_TRUE(is_resource_expired((*failed)->error.value()));
  EXPECT_FALSE(stream->next());
}

TEST_F(WatchStreamOfPods, WATCH_04_AnEventThatIsNoSuchObjectIsAnErrorEvent) {
  for (const char* object : {R"({"kind":"Pod","metadata":{"name":5}})", R"({"kind":"Node"})",
                             R"({"kind":"Pod","metadata":{"name":nope}})"}) {
    answer(200, std::string(R"({"type":"ADDED","object":)") + object + "}");
    auto stream = pods.watch();
    ASSERT_TRUE(stream);
    auto failed = stream->next();
    ASSERT_TRUE(failed && *failed) << object;
    EXPECT_EQ((*failed)->type, WatchEventType::Error);
    EXPECT_THAT((*failed)->error->message(), HasSubstr("unable to decode an event"));
    EXPECT_FALSE(stream->next());
    EXPECT_FALSE(stream->end_reason());
  }
}

}  // namespace
}  // namespace kube
