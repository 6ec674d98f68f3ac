// SPDX-License-Identifier: Apache-2.0
//
// Watches over HTTP: bookmarks as time passes, protobuf, and resuming from an older version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/codec/watch_frames.hpp>
#include <kube/testing/fake_clock.hpp>

#include "cluster_fixture.hpp"

namespace kube::cacheserver::test {
namespace {

/// The test controls the server's time.
class BookmarkTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    options.runtime.executor =
        std::make_shared<ThreadPool>(ThreadPool::Options{1, "timers", clock_});
    return options;
  }
  const std::shared_ptr<testing::FakeClock> clock_ = std::make_shared<testing::FakeClock>();
};

TEST_F(BookmarkTest, AWatchThatAskedForBookmarksGetsOneEachPeriod) {
  const Duration period = CacheServer::Options().bookmark_period;
  load(pod_json("a"));
  serve(pods());
  catch_up();
  const std::string from = revision();
  const std::string target = std::string(kPods) + "?watch=1&resourceVersion=" + from;
  WatchClient plain(cache->port(), target);
  WatchClient watch(cache->port(), target + "&allowWatchBookmarks=true");
  const auto next_version = [&](std::string_view type) {
    const auto event = watch.next();
    if (!event) return std::string("no event");
    EXPECT_EQ(event->string_at({"type"}), type);
    EXPECT_EQ(event->string_at({"object", "kind"}), "Pod");
    return std::string(event->string_at({"object", "metadata", "resourceVersion"}));
  };

  clock_->advance(period * 5 / 4);  // the first varies by a quarter
  EXPECT_GE(std::stoull(next_version("BOOKMARK")), std::stoull(from));
  ASSERT_TRUE(clock_->await_deadline(clock_->now() + period));
  load(pod_json("b"));
  const std::string added = next_version("ADDED");
  clock_->advance(period);
  const std::string second = next_version("BOOKMARK");
  EXPECT_GE(std::stoull(second), std::stoull(added));
  EXPECT_EQ(plain.next_text(), "ADDED b") << "it has not asked for bookmarks";

  // Whoever has the bookmark's version needs no event before it.
  WatchClient resumed(cache->port(), std::string(kPods) + "?watch=1&resourceVersion=" + second);
  load(pod_json("c"));
  EXPECT_EQ(resumed.next_text(), "ADDED c");
}

/// A watch in protobuf.
class FrameReader {
 public:
  FrameReader(std::uint16_t port, const std::string& target) : client_(port) {
    client_.write("GET " + target +
                  " HTTP/1.1\r\nHost: test\r\nAccept: application/vnd.kubernetes.protobuf\r\n\r\n");
    head_ = client_.read_head();
  }
  const Answer& head() const { return head_; }
  /// Returns the next frame with its length; "" at the end.
  std::string next() {
    while (buffer_.size() < meta::kWatchFrameHead || buffer_.size() < size()) {
      const auto chunk = client_.read_chunk();
      if (!chunk || chunk->empty()) return {};
      buffer_ += *chunk;
    }
    std::string frame = buffer_.substr(0, size());
    buffer_.erase(0, frame.size());
    return frame;
  }

 private:
  std::size_t size() const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < meta::kWatchFrameHead; ++i) {
      out = out * 256 + static_cast<unsigned char>(buffer_[i]);
    }
    return out + meta::kWatchFrameHead;
  }
  HttpClient client_;
  Answer head_;
  std::string buffer_;
};

/// Whether the informer holds protobuf, which is sent from where it lies, or JSON.
class ProtobufWatchTest : public ClusterTest, public ::testing::WithParamInterface<bool> {};

TEST_P(ProtobufWatchTest, EventsEqualThoseOfTheCluster) {
  load(pod_json("a"));
  if (GetParam()) {
    serve_typed_pods();
  } else {
    serve(pods());
  }
  catch_up();
  const std::string target = std::string(kPods) + "?watch=1&resourceVersion=" + revision();
  FrameReader expected(cluster->port(), target);
  FrameReader actual(cache->port(), target);
  EXPECT_EQ(actual.head().status, 200);
  EXPECT_EQ(actual.head().header("content-type"), expected.head().header("content-type"));
  load(pod_json("b", R"("app":"web")"));
  load(pod_json("b", R"("app":"other")"));
  HttpClient(cluster->port()).send("DELETE", std::string(kPods) + "/b?gracePeriodSeconds=0");
  for (const std::string_view type : {"ADDED", "MODIFIED", "DELETED"}) {
    const std::string want = expected.next();
    const std::string got = actual.next();
    ASSERT_GT(got.size(), meta::kWatchFrameHead);
    const std::string_view frame = std::string_view(got).substr(meta::kWatchFrameHead);
    const auto event = meta::read_watch_frame(frame);
    ASSERT_TRUE(event) << event.error().message();
    EXPECT_EQ(event->type, type);
    EXPECT_EQ(got, want) << type;
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, ProtobufWatchTest, ::testing::Bool(), [](const auto& cells) {
  return std::string(cells.param ? "Protobuf" : "Json");
});

class ResumingTest : public ClusterTest {};

TEST_F(ResumingTest, AWatchFromAnOlderVersionGetsWhatHasHappenedSince) {
  load(pod_json("a"));
  serve(pods());
  catch_up();
  const std::string first = revision();
  load(pod_json("b"));
  const std::string second = revision();
  load(pod_json("a", R"("app":"web")"));
  HttpClient(cluster->port()).send("DELETE", std::string(kPods) + "/b?gracePeriodSeconds=0");
  load(pod_json("d", {}, {}, "other"));
  catch_up();
  const std::string target = std::string(kPods) + "?watch=1&resourceVersion=";
  WatchClient from_first(cache->port(), target + first);
  for (const char* event : {"ADDED b", "MODIFIED a", "DELETED b"}) {
    EXPECT_EQ(from_first.next_text(), event);
  }
  WatchClient from_second(cache->port(), target + second);
  for (const char* event : {"MODIFIED a", "DELETED b"}) EXPECT_EQ(from_second.next_text(), event);
  WatchClient everywhere(cache->port(), "/api/v1/pods?watch=1&resourceVersion=" + second);
  for (const char* event : {"MODIFIED a", "DELETED b", "ADDED d"}) {
    EXPECT_EQ(everywhere.next_text(), event);
  }
  load(pod_json("e"));
  EXPECT_EQ(from_first.next_text(), "ADDED e");
  EXPECT_EQ(from_second.next_text(), "ADDED e");
}

}  // namespace
}  // namespace kube::cacheserver::test
