// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/watch_frames.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kube::meta {
namespace {

using testing::HasSubstr;

TEST(WatchEventView, WATCH_02_TypeAndObjectEqualWhatWasWritten) {
  const std::string object("k8s\0\x0a\x04\x0a\x02v1\x12\x00", 12);
  for (const WatchEventView& event :
       {WatchEventView{"ADDED", object}, WatchEventView{"BOOKMARK", ""}}) {
    std::string frame;
    write_watch_frame(event, frame);
    const std::string length("\0\0\0", 3);
    EXPECT_EQ(frame.substr(0, kWatchFrameHead),
              length + static_cast<char>(frame.size() - kWatchFrameHead));
    const auto read = read_watch_frame(std::string_view(frame).substr(kWatchFrameHead));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->type, event.type);
    EXPECT_EQ(read->object, event.object);
  }
}

TEST(WatchEventView, RefusesWhatIsNoEvent) {
  EXPECT_EQ(read_watch_frame("\x0a\x05"
                             "ADD")
                .error()
                .to_string(),
            "read WatchEvent: expected 5 bytes, found 3 before the end of the message at offset 1");
  EXPECT_THAT(read_watch_frame("\x12\x02\x0a\x05").error().to_string(), HasSubstr("offset 3"));
  EXPECT_THAT(read_watch_frame("\x08\x05").error().to_string(),
              HasSubstr("expected a length-delimited value, found a varint at offset 0"));
  EXPECT_THAT(read_watch_frame("\x12\x02\x08\x05").error().to_string(),
              HasSubstr("expected a length-delimited value, found a varint at offset 2"));
}

}  // namespace
}  // namespace kube::meta
