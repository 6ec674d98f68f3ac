// SPDX-License-Identifier: Apache-2.0
#include "gzip_decoder.hpp"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gzip.hpp"

namespace kube::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// What is decoded of the bytes in parts of `size`, or the error's text.
template <std::size_t kRoom>
std::string decoded(GzipDecoder& decoder, std::string_view bytes, std::size_t size) {
  std::string out;
  while (!bytes.empty()) {
    std::string_view part = bytes.substr(0, size);
    bytes.remove_prefix(part.size());
    for (;;) {
      std::array<char, kRoom> room{};
      const Result<std::string_view> some = decoder.decode(part, room);
      if (!some) return some.error().to_string();
      out += *some;
      if (some->size() < kRoom) break;
    }
    EXPECT_EQ(part, "");
  }
  return out;
}

TEST(GzipDecoder, DecodesMembersOneAfterAnotherInPartsOfAnySize) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i) + ',';
  const std::string bytes = gzip("first") + gzip("") + gzip(text) + gzip("last");
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
    GzipDecoder decoder;
    EXPECT_EQ(decoded<1>(decoder, bytes, size), "first" + text + "last") << size;
    EXPECT_TRUE(decoder.is_complete());
    EXPECT_EQ(decoded<4096>(decoder, bytes, size), "first" + text + "last") << size;
    EXPECT_TRUE(decoder.is_complete());
  }
}

TEST(GzipDecoder, IsCompleteBetweenMembersAlone) {
  const std::string bytes = gzip("first");
  GzipDecoder decoder;
  EXPECT_TRUE(decoder.is_complete());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    decoded<16>(decoder, bytes.substr(i, 1), 1);
    EXPECT_EQ(decoder.is_complete(), i + 1 == bytes.size()) << i;
  }
}

TEST(GzipDecoder, RefusesWhatIsNotGzipWithItsReason) {
  std::string broken = gzip("a text that is long enough");
  broken[broken.size() - 8] ^= 1;
  const std::array<std::string, 4> texts = {"{\"kind\":\"Pod\"}", gzip("first") + "{}", broken,
                                            std::string("\x78\x9c\x03\x00\x00\x00\x00\x01", 8)};
  const std::array<const char*, 4> reasons = {"incorrect header check", "incorrect header check",
                                              "incorrect data check", "incorrect header check"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    GzipDecoder decoder;
    EXPECT_EQ(decoded<64>(decoder, texts[i], texts[i].size()),
              std::string("the body is not gzip: ") + reasons[i])
        << i;
  }
}

TEST(GzipDecoder, TRN_44_ADecodedBodyHasNoContentEncodingAndNoLength) {
  for (const char* coding : {"gzip", "GZIP", "x-gzip", " gzip "}) {
    Headers headers = {{"content-encoding", coding}, {"Content-Length", "9"}, {"A", "b"}};
    EXPECT_TRUE(take_gzip_coding(headers)) << coding;
    EXPECT_THAT(headers, ElementsAre(Pair("A", "b")));
  }
  for (const char* coding : {"br", "gzip, gzip", "identity", ""}) {
    Headers headers = {{"Content-Encoding", coding}};
    EXPECT_FALSE(take_gzip_coding(headers)) << coding;
    EXPECT_THAT(headers, ElementsAre(Pair("Content-Encoding", coding)));
  }
  Headers two = {{"Content-Encoding", "gzip"}, {"content-encoding", "br"}};
  EXPECT_FALSE(take_gzip_coding(two));
  EXPECT_EQ(two.size(), 2U);
  Headers none = {{"Content-Length", "9"}};
  EXPECT_FALSE(take_gzip_coding(none));
  EXPECT_THAT(none, ElementsAre(Pair("Content-Length", "9")));
}

}  // namespace
}  // namespace kube::transport
