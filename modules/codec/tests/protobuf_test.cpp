// SPDX-License-Identifier: Apache-2.0
//
// The protobuf codec on example.v1.Everything, which has a field of every sort.
#include <kube/codec/protobuf.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include <kube/api/example/v1.hpp>
#include <kube/codec/codec.hpp>
#include <kube/meta/object_meta.hpp>

namespace kube::meta {
namespace {

using example::v1::Everything;
using example::v1::Lists;
using example::v1::Maps;
using example::v1::NamedSource;
using example::v1::Pointers;
using example::v1::Scalars;
using example::v1::Tree;
using testing::HasSubstr;

// "0a 01 61" as bytes.
std::string bytes(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i < hex.size();) {
    if (hex[i] == ' ') {
      ++i;
      continue;
    }
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    i += 2;
  }
  return out;
}
std::string hex(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (!out.empty()) out += ' ';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

template <class T>
std::string message_of(const T& value) {
  std::string out;
  write_protobuf(&value, T::descriptor(), out);
  return out;
}
template <class T>
T decoded(std::string_view message) {
  T value;
  const auto done = read_protobuf(message, T::descriptor(), &value);
  EXPECT_TRUE(done) << hex(message) << ": " << (done ? "" : done.error().to_string());
  return value;
}
template <class T>
std::string decode_error(std::string_view message) {
  T value;
  const auto done = read_protobuf(message, T::descriptor(), &value);
  if (done) return "no error";
  EXPECT_EQ(done.error().code(), ErrorCode::Decode);
  return done.error().to_string();
}

// A value for every field.
Everything everything() {
  const auto value = from_json<Everything>(
      R"({"kind":"Everything","apiVersion":"example.com/v1","metadata":{"name":"a","namespace":"b",)"
      R"("creationTimestamp":"2026-10-28T09:30:00Z","labels":{"k":"v","l":"w"}},)"
      R"("plain":{"bool":true,"shownBool":true,"int32":-7,"int64":9007199254740993,"double":1.5,"string":"Red\n\u003c",)"
      R"("bytes":"AP9h","keptBytes":"","time":"2026-10-28T09:30:00Z","hiddenTime":"2026-10-28T09:30:01Z",)"
      R"("microTime":"2026-10-28T09:30:00.000123Z","duration":"1h0m0s","quantity":"1536Mi","intOrString":"80%",)"
      R"("raw":{"a":[1,"x"]},"fieldsV1":{"f:a":{}}},)"
      R"("pointers":{"bool":true,"int32":1,"int64":-2,"string":"s","time":"2026-10-28T09:30:00Z",)"
      R"("microTime":"2026-10-28T09:30:00.000000Z","duration":"5s","quantity":"100m","intOrString":8080},)"
      R"("lists":{"int32s":[1,-2],"int64s":[3],"strings":["a",""],"keptStrings":["b"],"raws":[1,{"b":2}],)"
      R"("messages":[{"name":"m","path":"/x","podIPs":["1.2.3.4"],"level":3,"namespace":"n"},{"name":""}],"keptMessages":[{"name":"k"}]},)"
      R"("maps":{"strings":{"a":"1","b":"2"},"keptStrings":{"c":"3"},"bytes":{"x":"aGk="},"quantities":{"cpu":"1","memory":"1Gi"},)"
      R"("messages":{"k":{"name":"v"}},"words":{"e":[],"w":["1","2"]}},)"
      R"("source":{"name":"s","level":1},)"
      R"("tree":{"label":"root","not":{"label":"no"},"allOf":[{"label":"1"},{"allOf":[{}]}],"properties":{"p":{"label":"q"}},)"
      R"("branch":{"tree":{}}},"words":["a"],"keptWords":[]})");
  EXPECT_TRUE(value) << (value ? "" : value.error().to_string());
  return *value;
}

TEST(Protobuf, EverySortOfFieldSurvivesTheRoundTrip) {
  const Everything value = everything();
  const auto written = to_protobuf(value);
  ASSERT_TRUE(written);
  const auto back = from_protobuf<Everything>(*written);
  ASSERT_TRUE(back) << back.error().to_string();
  EXPECT_EQ(*back, value);
  EXPECT_EQ(to_json(*back), to_json(value));
  EXPECT_EQ(*to_protobuf(*back), *written);
}

TEST(Protobuf, WritesZeroValuesWhereTheSchemaSaysSo) {
  // bool, bool, int32, int64, double, string, times of length 0, duration, quantity "0",
  // IntOrString with all three, raw extension of length 0; neither bytes nor fieldsV1.
  EXPECT_EQ(hex(message_of(Scalars())),
            "08 00 10 00 18 00 20 00 29 00 00 00 00 00 00 00 00 32 00 4a 00 52 00 5a 00 "
            "62 02 08 00 6a 03 0a 01 30 72 06 08 00 10 00 1a 00 7a 00");
  EXPECT_EQ(message_of(Pointers()), "");
  EXPECT_EQ(message_of(Lists()), "");
  // An inlined message is a nested one, written in full.
  EXPECT_EQ(hex(message_of(NamedSource())), "0a 00 12 06 0a 00 1a 02 08 00 1a 00");
}

TEST(Protobuf, CODEC_31_EmptyObjectMetaWritesItsEightPlainFieldsOnly) {
  EXPECT_EQ(hex(message_of(ObjectMeta())), "0a 00 12 00 1a 00 22 00 2a 00 32 00 38 00 42 00");
}

TEST(Protobuf, CODEC_32_MapEntriesComeInTheOrderOfTheirKeys) {
  ObjectMeta first;
  first.labels["b"] = "2";
  first.labels["a"] = "1";
  first.labels["\xff"] = "3";
  ObjectMeta second;
  second.labels["\xff"] = "3";
  second.labels["a"] = "1";
  second.labels["b"] = "2";
  EXPECT_EQ(message_of(first), message_of(second));
  EXPECT_THAT(hex(message_of(first)),
              HasSubstr("5a 06 0a 01 61 12 01 31 5a 06 0a 01 62 12 01 32 5a 06 0a 01 ff 12 01 33"));
}

TEST(Protobuf, CODEC_33_NullAndEmptyListsBothDisappearAndComeBackAsNull) {
  Lists lists;
  lists.kept_strings.set_empty();
  EXPECT_EQ(message_of(lists), "");
  EXPECT_TRUE(decoded<Lists>("").kept_strings.is_null());
  EXPECT_EQ(to_json(decoded<Lists>("")), R"({"keptStrings":null,"keptMessages":null})");
}

TEST(Protobuf, CODEC_34_APointerToZeroStaysSet) {
  ObjectMeta meta;
  meta.deletion_grace_period_seconds = 0;
  EXPECT_THAT(hex(message_of(meta)), HasSubstr("50 00"));
  EXPECT_EQ(decoded<ObjectMeta>(message_of(meta)).deletion_grace_period_seconds, 0);
  const Pointers zeros{.bool_ = false,
                       .int32 = 0,
                       .int64 = 0,
                       .string = "",
                       .time = Time(),
                       .micro_time = MicroTime(),
                       .duration = Duration(),
                       .quantity = Quantity(),
                       .int_or_string = IntOrString()};
  EXPECT_EQ(decoded<Pointers>(message_of(zeros)), zeros);
}

TEST(Protobuf, BytesAndListTypesTellNullFromEmpty) {
  Scalars scalars;
  scalars.kept_bytes.set_empty();
  EXPECT_THAT(hex(message_of(scalars)), HasSubstr("32 00 42 00 4a 00"));
  EXPECT_FALSE(decoded<Scalars>(message_of(scalars)).kept_bytes.is_null());
  Everything value;
  value.kept_words.items.set_empty();
  const Everything back = decoded<Everything>(message_of(value));
  EXPECT_FALSE(back.kept_words.items.is_null());
  EXPECT_TRUE(back.words.items.is_null());
}

TEST(Protobuf, NegativeNumbersTakeTenBytes) {
  const Pointers pointers{.int32 = -1, .int64 = -2};
  EXPECT_EQ(hex(message_of(pointers)),
            "10 ff ff ff ff ff ff ff ff ff 01 18 fe ff ff ff ff ff ff ff ff 01");
  EXPECT_EQ(decoded<Pointers>(message_of(pointers)), pointers);
  const Pointers limits{.int32 = std::numeric_limits<std::int32_t>::min(),
                        .int64 = std::numeric_limits<std::int64_t>::min()};
  EXPECT_EQ(decoded<Pointers>(message_of(limits)), limits);
}

TEST(Protobuf, TIME_06_TimeKeepsSecondsOnly) {
  const Pointers pointers{.time = Time(1, 999'999'999)};
  EXPECT_EQ(hex(message_of(pointers)), "2a 04 08 01 10 00");
  EXPECT_EQ(decoded<Pointers>(bytes("2a 04 08 01 10 05")).time, Time(1, 0));
  EXPECT_EQ(decoded<Pointers>(bytes("2a 00")).time, Time());
  EXPECT_EQ(hex(message_of(Pointers{.time = Time()})), "2a 00");
}

TEST(Protobuf, TimesOfEveryLengthSurviveTheRoundTrip) {
  // Of one to five bytes, of more, before 1970, the usual five and one less or more.
  for (const std::int64_t seconds :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{127}, std::int64_t{128},
        std::int64_t{1} << 27, (std::int64_t{1} << 28) - 1, std::int64_t{1} << 28,
        std::int64_t{1793179800}, (std::int64_t{1} << 35) - 1, std::int64_t{1} << 35,
        std::int64_t{253402300799}, std::int64_t{-1}, std::int64_t{-62135596799}}) {
    const Pointers pointers{.time = Time(seconds, 0), .micro_time = MicroTime(seconds, 7000)};
    const Pointers back = decoded<Pointers>(message_of(pointers));
    EXPECT_EQ(back.time, pointers.time) << seconds;
    EXPECT_EQ(back.micro_time, pointers.micro_time) << seconds;
  }
  // Eight bytes in other forms: the fraction first, a fraction that isn't zero, a longer varint.
  EXPECT_EQ(decoded<Pointers>(bytes("2a 08 10 00 08 d8 f8 85 d7 06")).time, Time(1793162328, 0));
  EXPECT_EQ(decoded<Pointers>(bytes("32 08 08 d8 f8 85 d7 06 10 7f")).micro_time,
            MicroTime(1793162328, 0));
  EXPECT_EQ(decoded<Pointers>(bytes("2a 08 08 81 80 80 80 80 80 00")).time, Time(1, 0));
}

TEST(Protobuf, TIME_11_MicroTimeIsCutToMicrosecondsBothWays) {
  const Pointers pointers{.micro_time = MicroTime(1, 5999)};
  EXPECT_EQ(hex(message_of(pointers)), "32 05 08 01 10 88 27");
  EXPECT_EQ(decoded<Pointers>(bytes("32 05 08 01 10 ef 2e")).micro_time, MicroTime(1, 5000));
}

TEST(Protobuf, QTY_25_QuantityIsItsPrintedText) {
  for (const char* text : {"0", "100m", "50m", "10000T", "10", "-10", "1536Mi"}) {
    const Pointers pointers{.quantity = Quantity::must_parse(text)};
    const std::string printed = pointers.quantity->to_string();
    const auto length = static_cast<char>(printed.size());
    const std::string head{'\x42', static_cast<char>(length + 2), '\x0a', length};
    EXPECT_EQ(message_of(pointers), head + printed);
    EXPECT_EQ(decoded<Pointers>(message_of(pointers)), pointers);
    EXPECT_EQ(decoded<Pointers>(message_of(pointers)).quantity->to_string(), printed);
  }
}

TEST(Protobuf, INT_09_IntOrStringWritesAllThreeFields) {
  EXPECT_EQ(hex(message_of(Pointers{.int_or_string = 80})), "4a 06 08 00 10 50 1a 00");
  EXPECT_EQ(hex(message_of(Pointers{.int_or_string = "a"})), "4a 07 08 01 10 00 1a 01 61");
}

TEST(Protobuf, RAW_05_RawBytesAreKeptAsTheyAre) {
  // JSON with white space; an object in its envelope.
  for (const std::string& raw : {std::string("{ \"a\" : 1 }"), std::string("k8s\0\x0a\x00", 6)}) {
    Scalars scalars;
    scalars.raw.raw = raw;
    EXPECT_EQ(decoded<Scalars>(message_of(scalars)).raw.raw, raw);
  }
}

TEST(Protobuf, RawBytesThatAreNotOneJsonValueAreRefused) {
  const std::string message =
      message_of(Everything{.plain = {.raw = {R"({},"metadata":{"name":"evil"})"}}});
  EXPECT_EQ(decode_error<Everything>(message),
            "read Everything: plain.raw: expected one JSON value: invalid character ',' after "
            "top-level value at offset " +
                std::to_string(message.find(R"(,"metadata")")));
  for (const char* raw : {"{{", "{}{}", " ", "nul", "\"\xff\"", "k8s", "\xd9\xd9\xf7\xa0"}) {
    EXPECT_THAT(decode_error<Scalars>(message_of(Scalars{.raw = {raw}})),
                HasSubstr("raw: expected one JSON value: "))
        << raw;
    EXPECT_THAT(decode_error<Lists>(message_of(Lists{.raws = {{"{}"}, {raw}}})),
                HasSubstr("raws[1]: expected one JSON value: "))
        << raw;
  }
  EXPECT_FALSE(decoded<Scalars>(bytes("7a 02 0a 00")).raw.is_set());
}

TEST(Protobuf, TheJsonOfWhatIsReadSaysNothingElse) {
  // An envelope has no form in JSON.
  const std::string enveloped("k8s\0\x0a\x00", 6);
  EXPECT_THAT(to_json(decoded<Scalars>(message_of(Scalars{.raw = {enveloped}}))),
              HasSubstr(R"("raw":null)"));
  EXPECT_THAT(to_json(decoded<Scalars>(message_of(Scalars{.raw = {" {\"a\" : \"<\"}\n"}}))),
              HasSubstr(R"("raw":{"a":"\u003c"})"));
}

TEST(Protobuf, AnotherWireTypeIsWrongInTimesAndOtherSmallMessagesToo) {
  // Each with its known field, or one of them, as a length-delimited value or a varint.
  for (const char* message : {"4a 02 0a 00", "4a 03 12 01 61", "5a 02 0a 00", "5a 02 12 00",
                              "62 02 0a 00", "72 02 0a 00", "72 02 12 00"}) {
    EXPECT_THAT(decode_error<Scalars>(bytes(message)),
                HasSubstr(": expected a varint, found a length-delimited value at offset 2"))
        << message;
  }
  for (const char* message : {"6a 02 08 01", "72 02 18 01", "7a 02 08 01", "82 01 02 08 01"}) {
    EXPECT_THAT(decode_error<Scalars>(bytes(message)),
                HasSubstr(": expected a length-delimited value, found a varint at offset "))
        << message;
  }
  EXPECT_EQ(decode_error<ObjectMeta>(bytes("42 04 0a 02 61 62")),
            "read meta.v1.ObjectMeta: creationTimestamp: expected a varint, found a "
            "length-delimited value at offset 2");
  // Key and value of a map's entry.
  EXPECT_THAT(decode_error<Maps>(bytes("0a 02 08 01")),
              HasSubstr("strings: expected a length-delimited value, found a varint at offset 2"));
  EXPECT_THAT(decode_error<Maps>(bytes("0a 05 0a 01 61 10 01")),
              HasSubstr("strings: expected a length-delimited value, found a varint at offset 5"));
  // Fields that nobody knows are skipped.
  EXPECT_EQ(decoded<Scalars>(bytes("4a 07 08 05 1a 01 61 10 00")).time, Time(5, 0));
}

TEST(Protobuf, ReadsFieldsInAnyOrderAndMergesWhatComesTwice) {
  const Everything value =
      decoded<Everything>(bytes("3a 03 0a 01 62"           // tree.label "b"
                                "0a 03 0a 01 61"           // metadata.name "a"
                                "3a 06 1a 04 0a 02 78 79"  // tree.allOf[0].label "xy"
                                "0a 03 1a 01 6e"           // metadata.namespace "n"
                                "0a 03 0a 01 7a"));        // metadata.name "z"
  EXPECT_EQ(value.metadata.name, "z");
  EXPECT_EQ(value.metadata.namespace_, "n");
  EXPECT_EQ(value.tree->label, "b");
  EXPECT_EQ(value.tree->all_of.at(0).label, "xy");
  // Elements with others between them, map entries without key or value and with the same key.
  EXPECT_EQ(decoded<Lists>(bytes("1a 01 61 08 01 1a 01 62 08 02")),
            (Lists{.int32s = {1, 2}, .strings = {"a", "b"}}));
  EXPECT_EQ(decoded<Maps>(bytes("0a 00 0a 06 12 01 31 0a 01 61 0a 06 0a 01 61 12 01 32")).strings,
            (std::map<std::string, std::string, std::less<>>{{"", ""}, {"a", "2"}}));
}

TEST(Protobuf, ReadsPackedNumbers) {
  EXPECT_EQ(decoded<Lists>(bytes("08 01 0a 0c 02 ff ff ff ff ff ff ff ff ff 01 03 12 01 05")),
            (Lists{.int32s = {1, 2, -1, 3}, .int64s = {5}}));
  EXPECT_EQ(decode_error<Lists>(bytes("0a 02 01 80")),
            "read example.v1.Lists: int32s[1]: the message ends within a varint at offset 3");
}

TEST(Protobuf, SkipsUnknownFieldsOfEveryWireType) {
  // 100 varint, 101 64 bits, 102 bytes, 103 group with a group, 104 32 bits, then label.
  EXPECT_EQ(decoded<Tree>(bytes("a0 06 80 01"
                                "a9 06 01 02 03 04 05 06 07 08"
                                "b2 06 02 ff ff"
                                "bb 06 08 01 13 0a 01 61 14 bc 06"
                                "c5 06 01 02 03 04"
                                "0a 01 62"))
                .label,
            "b");
}

TEST(Protobuf, NamesFieldPathAndOffsetOfWhatIsWrong) {
  EXPECT_EQ(decode_error<Everything>(bytes("0a 03 0a 05 61")),
            "read Everything: metadata.name: expected 5 bytes, found 1 before the end of the "
            "message at offset 3");
  EXPECT_EQ(decode_error<Everything>(bytes("22 09 32 02 0a 00 32 03 0a 02 61")),
            "read Everything: lists.messages[1].name: expected 2 bytes, found 1 before the end of "
            "the message at offset 9");
  EXPECT_THAT(decode_error<Everything>(bytes("2a 0a 22 08 0a 01 63 12 03 0a 01 78")),
              HasSubstr("read Everything: maps.quantities[c]: "));
}

TEST(Protobuf, RefusesBadInput) {
  EXPECT_THAT(decode_error<Scalars>(bytes("08")),
              HasSubstr("bool: the message ends within a varint"));
  EXPECT_THAT(decode_error<Scalars>(bytes("08 80 80 80 80 80 80 80 80 80 02")),
              HasSubstr("bool: a varint has more than 64 bits at offset 1"));
  EXPECT_THAT(decode_error<Scalars>(bytes("0a 00")),
              HasSubstr("bool: expected a varint, found a length-delimited value at offset 0"));
  EXPECT_THAT(decode_error<Scalars>(bytes("18 80 80 80 80 08")),
              HasSubstr("int32: expected a 32-bit integer, found 2147483648 at offset 1"));
  EXPECT_THAT(decode_error<Scalars>(bytes("29 00")), HasSubstr("the message ends within a 64-bit"));
  EXPECT_THAT(decode_error<Scalars>(bytes("32 02 c3 28")),
              HasSubstr("string: expected UTF-8 at offset 2"));
  EXPECT_THAT(decode_error<Scalars>(bytes("32 ff ff ff ff ff ff ff ff ff 01")),
              HasSubstr("string: expected 18446744073709551615 bytes, found 0"));
  EXPECT_THAT(decode_error<Scalars>(bytes("4a 0a 08 ff ff ff ff ff ff ff ff 7f")),
              HasSubstr("time: expected a time of the years 0 to 9999"));
  EXPECT_THAT(decode_error<Scalars>(bytes("5a 06 10 80 94 eb dc 03")),
              HasSubstr("microTime: expected nanoseconds below one second"));
  EXPECT_THAT(decode_error<Scalars>(bytes("6a 03 0a 01 78")), HasSubstr("quantity: "));
  EXPECT_THAT(decode_error<Scalars>(bytes("72 02 08 02")),
              HasSubstr("intOrString: expected type 0"));
  EXPECT_THAT(decode_error<Tree>(bytes("00")), HasSubstr("invalid field number 0 at offset 0"));
  // Whatever comes behind it: it is no tag of two bytes.
  for (const char* tag : {"00 78", "01 78 01 78", "02 01", "05 12 00", "07 7f"})
    EXPECT_THAT(decode_error<Tree>(bytes(tag)), HasSubstr("invalid field number 0 at offset 0"));
  EXPECT_THAT(decode_error<Tree>(bytes("0e")),
              HasSubstr("label: expected a length-delimited value"));
  EXPECT_THAT(decode_error<Tree>(bytes("a6 06")), HasSubstr("invalid wire type 6"));
  EXPECT_THAT(decode_error<Tree>(bytes("a4 06")), HasSubstr("a group ends without a start"));
  EXPECT_THAT(decode_error<Tree>(bytes("a3 06 ac 06")), HasSubstr("a group ends without a start"));
  EXPECT_THAT(decode_error<Tree>(bytes("a3 06")), HasSubstr("the message ends within a group"));
  EXPECT_THAT(decode_error<Tree>(bytes("ff ff ff ff ff 01")), HasSubstr("invalid field number"));
}

TEST(Protobuf, TextsOfEveryLengthAreWrittenWhole) {
  for (std::size_t length = 1; length <= 300; ++length) {
    NamedSource source;
    for (std::size_t at = 0; at < length; ++at)
      source.name += static_cast<char>('a' + (at * 7 + length) % 26);
    EXPECT_EQ(decoded<NamedSource>(message_of(source)).name, source.name) << length;
    EXPECT_THAT(meta::to_json(source), HasSubstr('"' + source.name + '"')) << length;
  }
}

TEST(Protobuf, RefusesTextThatIsNotUtf8AtEveryPlace) {
  for (std::size_t length = 1; length <= 72; ++length) {
    const std::string plain(length, 'a');
    const NamedSource named{.name = plain};
    const std::string good = message_of(named);
    EXPECT_EQ(decoded<NamedSource>(good).name, plain);
    const std::size_t begin = good.find(plain);
    for (std::size_t at = 0; at < length; ++at) {
      std::string bad = good;
      bad[begin + at] = '\x80';
      EXPECT_THAT(decode_error<NamedSource>(bad), HasSubstr("expected UTF-8"))
          << length << ' ' << at;
      if (at + 1 == length) continue;
      bad[begin + at] = '\xc3';
      bad[begin + at + 1] = '\xa9';
      EXPECT_EQ(decoded<NamedSource>(bad).name, bad.substr(begin, length)) << length << ' ' << at;
    }
  }
}

TEST(Protobuf, WritesObjectsLargerThanItsBuffer) {
  Everything value = everything();
  for (int i = 0; i < 3000; ++i)
    value.metadata.labels["key-" + std::to_string(i)] =
        std::string(static_cast<std::size_t>(i) % 70, 'v');
  EXPECT_GT(message_of(value).size(), std::size_t{100'000});
  EXPECT_EQ(decoded<Everything>(message_of(value)), value);
  EXPECT_EQ(*from_json<Everything>(to_json(value)), value);
}

TEST(Protobuf, RefusesNestingBombs) {
  std::string message;
  for (int i = 0; i < 3000; ++i) {
    std::string outer = "\x12";
    for (std::size_t rest = message.size();;) {
      outer += static_cast<char>(rest < 128 ? rest : (rest & 127) | 128);
      if ((rest >>= 7) == 0) break;
    }
    message = outer + message;
  }
  EXPECT_THAT(decode_error<Tree>(message), HasSubstr("exceeded max depth"));
  const std::string groups(1 << 20, '\x6b');  // field 13, unknown
  EXPECT_THAT(decode_error<Tree>(groups), HasSubstr("exceeded max depth"));
}

TEST(Envelope, OpensWithoutDecoding) {
  Everything value;
  value.metadata.name = "a";
  const std::string written = *to_protobuf(value);
  const auto unknown = open_envelope(written);
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->api_version, "example.com/v1");
  EXPECT_EQ(unknown->kind, "Everything");
  EXPECT_EQ(unknown->content_type, "");
  EXPECT_EQ(unknown->raw, message_of(value));
  std::string again;
  write_envelope(*unknown, again);
  EXPECT_EQ(again, written);
}

TEST(Envelope, CODEC_20_WithoutItsPrefixNothingIsRecognised) {
  EXPECT_FALSE(is_protobuf(""));
  EXPECT_FALSE(is_protobuf("k8s"));
  EXPECT_EQ(from_protobuf<Everything>("{}").error().to_string(),
            "read Everything: provided data does not appear to be a protobuf message, expected "
            "prefix [107 56 115 0]");
}

TEST(Envelope, CODEC_21_SaysTypeAndContent) {
  const auto wrap = [](Unknown unknown) {
    std::string out;
    write_envelope(unknown, out);
    return out;
  };
  // Kind and version are taken from the type where the envelope has none.
  EXPECT_TRUE(from_protobuf<Everything>(wrap({})));
  EXPECT_TRUE(
      from_protobuf<Everything>(wrap({.content_type = "application/vnd.kubernetes.protobuf"})));
  EXPECT_EQ(from_protobuf<Everything>(wrap({.api_version = "v1", .kind = "Everything"}))
                .error()
                .to_string(),
            "read Everything: apiVersion: expected \"example.com/v1\", found \"v1\" at offset 8");
  EXPECT_THAT(from_protobuf<Everything>(wrap({.kind = "Second"})).error().to_string(),
              HasSubstr("kind: expected \"Everything\", found \"Second\""));
  EXPECT_THAT(
      from_protobuf<Everything>(wrap({.content_type = "application/json"})).error().to_string(),
      HasSubstr("contentType: expected \"application/vnd.kubernetes.protobuf\""));
  EXPECT_THAT(from_protobuf<Everything>(wrap({.content_encoding = "gzip"})).error().to_string(),
              HasSubstr("contentEncoding: expected \"\", found \"gzip\""));
  // Offsets count from the first byte of the whole.
  EXPECT_THAT(from_protobuf<Everything>(wrap({.raw = "\x0a\x05"})).error().to_string(),
              HasSubstr("metadata: expected 5 bytes, found 0 before the end of the message at "
                        "offset 13"));
  EXPECT_THAT(from_protobuf<Everything>(bytes("6b 38 73 00 0a 05")).error().to_string(),
              HasSubstr("expected 5 bytes"));
  EXPECT_THAT(from_protobuf<Everything>(bytes("6b 38 73 00 10 05")).error().to_string(),
              HasSubstr("expected a length-delimited value, found a varint at offset 4"));
}

}  // namespace
}  // namespace kube::meta
