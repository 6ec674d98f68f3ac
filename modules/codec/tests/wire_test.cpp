// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/wire.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube::meta::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WireFields, GivesEachFieldWithItsNumberAndValue) {
  // 1: a varint of two bytes, 2: "ab", 20: "" with a tag of two bytes, 3: 32 bits
  const std::string message(
      "\x08\x96\x01\x12\x02"
      "ab\xa2\x01\x00\x1d"
      "1234",
      15);
  Fields fields(message);
  std::vector<std::string> found;
  std::string whole;
  for (const Field& field : fields) {
    found.push_back(std::to_string(field.number()) + (field.is_bytes() ? "=" : ":") +
                    std::string(field.value));
    whole += field.whole();
  }
  EXPECT_FALSE(fields.fault());
  EXPECT_THAT(found, ElementsAre("1:\x96\x01", "2=ab", "20=", "3:1234"));
  EXPECT_EQ(whole, message);
}

TEST(WireFields, AnEmptyMessageHasNone) {
  for (const Field& field : Fields("")) ADD_FAILURE() << field.number();
  for (const Field& field : Fields(std::string_view())) ADD_FAILURE() << field.number();
}

TEST(WireFields, EndWhereTheMessageIsWrongAndSayWhere) {
  const std::string message(
      "\x0a\x01"
      "a\x12\x05"
      "bc",
      7);
  Fields fields(message);
  std::vector<std::uint32_t> numbers;
  for (const Field& field : fields) numbers.push_back(field.number());
  EXPECT_THAT(numbers, ElementsAre(1U));
  ASSERT_TRUE(fields.fault());
  EXPECT_EQ(fields.error().to_string(),
            "expected 5 bytes, found 2 before the end of the message at offset 4");
  Fields part(std::string_view(message).substr(3));
  for (const Field& field : part) ADD_FAILURE() << field.number();
  EXPECT_EQ(part.error(message).to_string(), fields.error().to_string());
}

TEST(WireFields, AValueOfAnotherWireTypeThanExpectedIsAFaultAndTheFirstOneStays) {
  const std::string message(
      "\x08\x05\x12\x01"
      "a\x08",
      6);
  Fields fields(message);
  int seen = 0;
  for (const Field& field : fields) seen += fields.expect_bytes(field) ? 10 : 1;
  EXPECT_EQ(seen, 11) << "up to the varint that has no value";
  EXPECT_EQ(fields.error().to_string(),
            "expected a length-delimited value, found a varint at offset 0");
}

TEST(WireVarint, IsReadAsItWasWritten) {
  for (unsigned shift = 0; shift < 64; ++shift) {
    for (const std::uint64_t value : {std::uint64_t{1} << shift, (std::uint64_t{1} << shift) - 1}) {
      std::string bytes;
      append_varint(value, bytes);
      EXPECT_EQ(bytes.size(), varint_size(value));
      EXPECT_LE(bytes.size(), kMaxVarint);
      std::uint64_t read = 0;
      Fault fault;
      const At begin = begin_of(bytes);
      EXPECT_EQ(read_varint(begin, begin + bytes.size(), read, fault), begin + bytes.size());
      EXPECT_EQ(read, value);
    }
  }
}

}  // namespace
}  // namespace kube::meta::wire
