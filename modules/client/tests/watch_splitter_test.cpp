// SPDX-License-Identifier: Apache-2.0
//
// Streams of a watch cut into events, and what is in one.
#include <kube/client/watch_splitter.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/codec/watch_frames.hpp>

namespace kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kStream = " {\"a\":\"}{\\\"\\\\\"}\n{\"b\":[{\"c\":{}},[1,2]]}\r\n\t{}";

/// A stream and what comes of it: events, "<size> bytes" for those that are too large.
class WatchStreamTest : public ::testing::Test {
 protected:
  void start(Encoding encoding, std::size_t max_event_bytes = kMaxObjectBytes) {
    events.clear();
    splitter = WatchSplitter::make(
        encoding,
        [this](const BodyPart& event) -> Result<void> {
          events.push_back(event.is_whole() ? std::string(event.bytes)
                                            : std::to_string(event.size_bytes) + " bytes");
          return {};
        },
        max_event_bytes);
  }
  Result<void> feed(std::string_view stream, std::size_t chunk) {
    for (; !stream.empty(); stream.remove_prefix(std::min(chunk, stream.size()))) {
      // A copy of its own, so that a view kept for too long shows.
      const std::string arrived(stream.substr(0, chunk));
      if (auto fed = splitter->feed(arrived); !fed) return fed;
    }
    return {};
  }

  std::vector<std::string> events;
  std::unique_ptr<WatchSplitter> splitter;
};

std::string frame(std::string_view payload) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(static_cast<unsigned char>(payload.size() >> shift));
  return out.append(payload);
}

using JsonWatchSplitter = WatchStreamTest;
using ProtobufWatchSplitter = WatchStreamTest;

TEST_F(JsonWatchSplitter, CutsAStreamIntoObjectsHoweverItArrives) {
  for (std::size_t chunk = 1; chunk <= kStream.size(); ++chunk) {
    start(Encoding::Json);
    ASSERT_TRUE(feed(kStream, chunk));
    EXPECT_THAT(events, ElementsAre(R"({"a":"}{\"\\"})", R"({"b":[{"c":{}},[1,2]]})", "{}"));
    EXPECT_EQ(splitter->pending_bytes(), 0U);
    EXPECT_TRUE(splitter->finish());
  }
}

TEST_F(JsonWatchSplitter, CODEC_24_AnEndInsideAnObjectIsSeen) {
  start(Encoding::Json);
  ASSERT_TRUE(feed(R"({}{"a":)", 100));
  EXPECT_THAT(events, ElementsAre("{}"));
  EXPECT_EQ(splitter->pending_bytes(), 5U);
  EXPECT_EQ(splitter->finish().error().code(), ErrorCode::Unreachable);
}

TEST_F(JsonWatchSplitter, GarbageIsNamedWithItsPlaceInTheStream) {
  start(Encoding::Json);
  ASSERT_TRUE(feed("{} {}", 100));
  const auto fed = feed("\n<html>", 100);
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().code(), ErrorCode::Decode);
  EXPECT_EQ(fed.error().message(), "expected an event at byte 6 of the watch");
  EXPECT_EQ(events.size(), 2U) << "what came before is kept";
}

TEST_F(JsonWatchSplitter, AnObjectAboveTheLimitIsSkippedAndTheNextOneComes) {
  const std::string large = R"({"a":")" + std::string(200, 'x') + R"("})";
  for (const std::size_t chunk : {1U, 70U, 1000U}) {
    start(Encoding::Json, 100);
    ASSERT_TRUE(feed("{}" + large + "{}", chunk));
    EXPECT_THAT(events, ElementsAre("{}", std::to_string(large.size()) + " bytes", "{}"));
  }
  start(Encoding::Json, 100);
  ASSERT_TRUE(feed(std::string_view(large).substr(0, 150), 10));
  EXPECT_EQ(splitter->pending_bytes(), 150U);
  EXPECT_THAT(events, IsEmpty());
}

TEST_F(ProtobufWatchSplitter, CutsFramesHoweverTheyArrive) {
  const std::string large(1000, 'x');
  const std::string stream = frame("one") + frame(large) + frame("three");
  for (std::size_t chunk = 1; chunk <= stream.size(); ++chunk) {
    start(Encoding::Protobuf);
    ASSERT_TRUE(feed(stream, chunk));
    EXPECT_THAT(events, ElementsAre("one", large, "three")) << chunk;
    EXPECT_TRUE(splitter->finish()) << chunk;
  }
}

TEST_F(ProtobufWatchSplitter, CODEC_23_AZeroLengthFrameIsAnEmptyOne) {
  for (const std::size_t chunk : {1U, 3U, 100U}) {
    start(Encoding::Protobuf);
    ASSERT_TRUE(feed(frame("") + frame("a") + frame(""), chunk));
    EXPECT_THAT(events, ElementsAre("", "a", ""));
    EXPECT_TRUE(splitter->finish());
  }
}

TEST_F(ProtobufWatchSplitter, CODEC_24_AStreamThatEndsWithinAFrameIsCut) {
  const std::string whole = frame("abc");
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    start(Encoding::Protobuf);
    ASSERT_TRUE(feed(whole.substr(0, size), 2));
    const auto end = splitter->finish();
    EXPECT_EQ(end.has_value(), size == 0 || size == whole.size()) << size;
    if (!end) {
      EXPECT_EQ(end.error().code(), ErrorCode::Unreachable);
      EXPECT_THAT(end.error().to_string(), HasSubstr("ended inside an event"));
    }
  }
}

TEST_F(ProtobufWatchSplitter, AFrameAboveTheLimitIsSkippedAndTheNextOneComes) {
  const std::string stream = frame("a") + frame(std::string(101, 'x')) + frame("b");
  for (const std::size_t chunk : {1U, 7U, 1000U}) {
    start(Encoding::Protobuf, 100);
    ASSERT_TRUE(feed(stream, chunk));
    EXPECT_THAT(events, ElementsAre("a", "101 bytes", "b")) << chunk;
    EXPECT_TRUE(splitter->finish());
  }
  start(Encoding::Protobuf, 100);
  ASSERT_TRUE(feed(frame(std::string(100, 'x')), 9));
  EXPECT_THAT(events, ElementsAre(std::string(100, 'x')));
  // A claimed length of 4 GB takes no memory.
  start(Encoding::Protobuf);
  ASSERT_TRUE(feed("\xff\xff\xff\xff...", 3));
  EXPECT_THAT(events, IsEmpty());
  EXPECT_EQ(splitter->pending_bytes(), 4294967295U) << "whoever does not want to wait for it knows";
  EXPECT_FALSE(splitter->finish());
}

TEST_F(WatchStreamTest, WhatTheCallbackReturnsEndsIt) {
  for (const Encoding encoding : {Encoding::Json, Encoding::Protobuf}) {
    int events_seen = 0;
    const auto refusing = WatchSplitter::make(encoding, [&](const BodyPart&) -> Result<void> {
      ++events_seen;
      return Error(ErrorCode::Decode, "no");
    });
    const auto fed = refusing->feed(encoding == Encoding::Json ? "{}{}" : frame("a") + frame("b"));
    ASSERT_FALSE(fed);
    EXPECT_EQ(fed.error().to_string(), "no");
    EXPECT_EQ(events_seen, 1);
  }
}

std::string failure(std::string_view event) {
  const auto parts = read_watch_event(event, Encoding::Json);
  return parts ? "no error" : parts.error().to_string();
}

TEST(ReadWatchEvent, FindsTypeAndObject) {
  const auto parts =
      read_watch_event(R"({"type":"ADDED","object":{"kind":"Pod"}})", Encoding::Json);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->type, WatchEventType::Added);
  EXPECT_EQ(parts->object, R"({"kind":"Pod"})");
  EXPECT_EQ(
      read_watch_event(R"({"\u0074ype":"DELETED","\u006fbject":{}})", Encoding::Json).value().type,
      WatchEventType::Deleted);
  std::string framed;
  meta::write_watch_frame({"BOOKMARK", "an object"}, framed);
  const auto bookmark =
      read_watch_event(std::string_view(framed).substr(meta::kWatchFrameHead), Encoding::Protobuf);
  ASSERT_TRUE(bookmark);
  EXPECT_EQ(bookmark->type, WatchEventType::Bookmark);
  EXPECT_EQ(bookmark->object, "an object");
}

TEST(ReadWatchEvent, SaysWhyAnEventCanNotBeRead) {
  EXPECT_EQ(failure(R"({"type":"ADDED"})"), "expected an event with an object");
  EXPECT_EQ(failure(R"({"type":"ADDED","object":null})"), "expected an event with an object");
  EXPECT_EQ(failure(R"({"object":{}})"), "expected an event with a type");
  EXPECT_EQ(failure(R"({"type":7,"object":{}})"), "type: expected a string");
  EXPECT_THAT(failure(R"({"type":"ADDED","object":{})"), HasSubstr("expected a"));
}

TEST(ReadWatchEvent, ATypeThatIsUnknownIsAnErrorInBothEncodings) {
  EXPECT_EQ(failure(R"({"type":"RENAMED","object":{}})"), "got invalid watch event type: RENAMED");
  std::string framed;
  meta::write_watch_frame({"RENAMED", ""}, framed);
  EXPECT_EQ(
      read_watch_event(std::string_view(framed).substr(meta::kWatchFrameHead), Encoding::Protobuf)
          .error()
          .to_string(),
      "got invalid watch event type: RENAMED");
}

TEST(ReadWatchEvent, OfOneThatIsTooLargeTheBeginningIsRead) {
  const auto parts =
      read_beginning_of_event(R"({"type":"DELETED","object":{"metadata":{"na)", Encoding::Json);
  EXPECT_EQ(parts.type, WatchEventType::Deleted);
  EXPECT_EQ(parts.object, R"({"metadata":{"na)");
  for (const std::string_view text : {R"({"type":"BOOKMARK","object":{)", R"({"ty)", ""}) {
    EXPECT_EQ(read_beginning_of_event(text, Encoding::Json).type, WatchEventType::Modified) << text;
  }
}

}  // namespace
}  // namespace kube
