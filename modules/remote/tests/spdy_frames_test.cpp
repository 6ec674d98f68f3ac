// SPDX-License-Identifier: Apache-2.0
//
// Frames of SPDY/3.1; the bytes are those that moby/spdystream's framer writes, which API servers
// and kubelets use.
#include "spdy_frames.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube::portforward {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using Type = SpdyFrame::Type;

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

const std::string kFirstStream = from_hex(
    "800300010000003e0000000100000000000078f9e3c6a7c202253a703a2b294a4dcc851625aca9a0808614cb45e01c"
    "606a6060c0c0c0c0590489c64c50f2663400000000ffff");
const std::string kSecondStream =
    from_hex("800300010100001800000003000000000000c2aa19540e2512d60b000000ffff");
const std::string kOthers = from_hex(
    "800300020000000e000000016260606000000000ffff"
    "00000003010000026869"
    "80030003000000080000000300000005"
    "800300060000000400000007"
    "80030007000000080000000300000000");

TEST(SpdyFrames, ReadsWhatGoWrites) {
  SpdyDecoder decoder;
  const auto first = decoder.receive(kFirstStream);
  ASSERT_TRUE(first) << first.error().to_string();
  ASSERT_EQ(first->size(), 1U);
  EXPECT_EQ(first->front().type, Type::SynStream);
  EXPECT_EQ(first->front().stream, 1U);
  EXPECT_FALSE(first->front().fin);
  EXPECT_THAT(first->front().headers,
              UnorderedElementsAre(Pair("streamtype", "error"), Pair("port", "5000"),
                                   Pair("requestid", "0")));
  // The second one's headers refer to those of the first.
  const auto rest = decoder.receive(kSecondStream + kOthers);
  ASSERT_TRUE(rest) << rest.error().to_string();
  ASSERT_EQ(rest->size(), 6U);
  const std::vector<SpdyFrame>& frames = *rest;
  EXPECT_TRUE(frames[0].fin);
  EXPECT_THAT(frames[0].headers,
              UnorderedElementsAre(Pair("streamtype", "data"), Pair("port", "5000"),
                                   Pair("requestid", "0")));
  EXPECT_EQ(frames[1].type, Type::SynReply);
  EXPECT_EQ(frames[1].stream, 1U);
  EXPECT_EQ(frames[2].type, Type::Data);
  EXPECT_EQ(frames[2].stream, 3U);
  EXPECT_EQ(frames[2].data, "hi");
  EXPECT_TRUE(frames[2].fin);
  EXPECT_EQ(frames[3].type, Type::RstStream);
  EXPECT_EQ(frames[3].value, 5U);
  EXPECT_EQ(frames[4].type, Type::Ping);
  EXPECT_EQ(frames[4].value, 7U);
  EXPECT_EQ(frames[5].type, Type::GoAway);
}

TEST(SpdyFrames, WritesWhatGoReads) {
  EXPECT_EQ(SpdyEncoder::data(3, "hi", true) + SpdyEncoder::rst_stream(3, 5) +
                SpdyEncoder::ping(7) + SpdyEncoder::go_away(3),
            kOthers.substr(22));
}

TEST(SpdyFrames, HeadersSurviveACircle) {
  SpdyEncoder encoder;
  SpdyDecoder decoder;
  for (std::uint32_t stream = 1; stream < 100; stream += 2) {
    const SpdyHeaders headers{{"streamtype", "data"}, {"requestid", std::to_string(stream)}};
    const auto frames = decoder.receive(encoder.syn_stream(stream, headers));
    ASSERT_TRUE(frames) << frames.error().to_string();
    ASSERT_EQ(frames->size(), 1U);
    EXPECT_EQ(frames->front().headers, headers);
    EXPECT_EQ(frames->front().stream, stream);
  }
  const SpdyHeaders large{{"a", std::string(100'000, 'x')}};
  EXPECT_EQ(decoder.receive(encoder.syn_reply(1, large)).value().front().headers, large);
}

TEST(SpdyFrames, FramesMayArriveInPieces) {
  const std::string all = kFirstStream + kSecondStream + kOthers;
  SpdyDecoder decoder;
  std::size_t count = 0;
  for (const char byte : all) {
    const auto frames = decoder.receive(std::string_view(&byte, 1));
    ASSERT_TRUE(frames) << frames.error().to_string();
    count += frames->size();
  }
  EXPECT_EQ(count, 7U);
}

TEST(SpdyFrames, BrokenBytesAreErrors) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {from_hex("8002000600000004000000"
                "07"),
       "version 2, expected 3"},
      {from_hex("80030001007fffff"), "a control frame of 8388607 bytes"},
      {from_hex("8003000300000004"
                "00000003"),
       "too short"},
      {from_hex("8003000200000008"
                "00000001deadbeef"),
       "can't be inflated"},
      {from_hex("8003000200000004"
                "00000001"),
       "cut off"},
  };
  for (const auto& [bytes, expected] : cases) {
    SpdyDecoder decoder;
    const auto frames = decoder.receive(bytes);
    ASSERT_FALSE(frames) << expected;
    EXPECT_THAT(frames.error().to_string(), HasSubstr(expected));
  }
}

}  // namespace
}  // namespace kube::portforward
