// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/watch_frames.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace kube::meta {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string frame(std::string_view payload) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(static_cast<unsigned char>(payload.size() >> shift));
  return out.append(payload);
}

// What comes out when the stream arrives in chunks of a size.
std::vector<std::string> split(FrameSplitter& splitter, std::string_view stream,
                               std::size_t chunk) {
  std::vector<std::string> frames;
  for (std::size_t at = 0; at < stream.size(); at += chunk) {
    // A copy of its own, so that a view kept for too long shows.
    const std::string arrived(stream.substr(at, chunk));
    splitter.feed(arrived);
    while (const auto next = splitter.next())
      frames.push_back(*next ? std::string(**next) : "error: " + next->error().to_string());
  }
  return frames;
}

TEST(FrameSplitter, CODEC_22_CutsFramesHoweverTheyArrive) {
  const std::string large(1000, 'x');
  const std::string stream = frame("one") + frame(large) + frame("three");
  for (std::size_t chunk = 1; chunk <= stream.size(); ++chunk) {
    FrameSplitter splitter;
    EXPECT_THAT(split(splitter, stream, chunk), ElementsAre("one", large, "three")) << chunk;
    EXPECT_TRUE(splitter.finish()) << chunk;
  }
}

TEST(FrameSplitter, CODEC_23_AZeroLengthFrameIsAnEmptyOne) {
  for (const std::size_t chunk : {1U, 3U, 100U}) {
    FrameSplitter splitter;
    EXPECT_THAT(split(splitter, frame("") + frame("a") + frame(""), chunk),
                ElementsAre("", "a", ""));
    EXPECT_TRUE(splitter.finish());
  }
}

TEST(FrameSplitter, CODEC_24_AStreamThatEndsWithinAFrameIsCut) {
  const std::string whole = frame("abc");
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    FrameSplitter splitter;
    split(splitter, whole.substr(0, size), 2);
    const auto end = splitter.finish();
    EXPECT_EQ(end.has_value(), size == 0 || size == whole.size()) << size;
    if (!end) {
      EXPECT_THAT(end.error().to_string(), HasSubstr("unexpected EOF"));
    }
  }
}

TEST(FrameSplitter, CODEC_26_AFrameAboveTheLimitIsSkippedAndTheNextOneComes) {
  const std::string stream = frame("a") + frame(std::string(101, 'x')) + frame("b");
  for (const std::size_t chunk : {1U, 7U, 1000U}) {
    FrameSplitter splitter(100);
    EXPECT_THAT(split(splitter, stream, chunk),
                ElementsAre("a", HasSubstr("object too large, a frame of 101 bytes"), "b"))
        << chunk;
    EXPECT_TRUE(splitter.finish());
  }
  FrameSplitter splitter(100);
  EXPECT_THAT(split(splitter, frame(std::string(100, 'x')), 9), ElementsAre(std::string(100, 'x')));
  // A claimed length of 4 GB takes no memory.
  FrameSplitter claimed;
  EXPECT_THAT(split(claimed, "\xff\xff\xff\xff...", 3), ElementsAre(HasSubstr("4294967295")));
  EXPECT_FALSE(claimed.finish());
}

TEST(WatchEventView, WATCH_02_TypeAndObjectEqualWhatWasWritten) {
  std::string stream;
  const std::string object("k8s\0\x0a\x04\x0a\x02v1\x12\x00", 12);
  write_watch_frame({"ADDED", object}, stream);
  write_watch_frame({"BOOKMARK", ""}, stream);
  FrameSplitter splitter;
  splitter.feed(stream);
  auto next = splitter.next();
  ASSERT_TRUE(next && *next);
  auto event = read_watch_event(**next);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, "ADDED");
  EXPECT_EQ(event->object, object);
  next = splitter.next();
  ASSERT_TRUE(next && *next);
  event = read_watch_event(**next);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, "BOOKMARK");
  EXPECT_EQ(event->object, "");
  EXPECT_FALSE(splitter.next());
}

TEST(WatchEventView, RefusesWhatIsNoEvent) {
  EXPECT_EQ(read_watch_event("\x0a\x05"
                             "ADD")
                .error()
                .to_string(),
            "read WatchEvent: expected 5 bytes, found 3 before the end of the message at offset 1");
  EXPECT_THAT(read_watch_event("\x12\x02\x0a\x05").error().to_string(), HasSubstr("offset 3"));
  EXPECT_THAT(read_watch_event("\x08\x05").error().to_string(),
              HasSubstr("expected a length-delimited value, found a varint at offset 0"));
  EXPECT_THAT(read_watch_event("\x12\x02\x08\x05").error().to_string(),
              HasSubstr("expected a length-delimited value, found a varint at offset 2"));
}

}  // namespace
}  // namespace kube::meta
