// SPDX-License-Identifier: Apache-2.0
//
// The JSON codec on example.v1.Everything, which has a field of every sort.
#include <kube/codec/codec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/example/v1.hpp>
#include <kube/json/text.hpp>
#include <kube/meta/api_resource.hpp>
#include <kube/meta/object_meta.hpp>
#include <kube/meta/status_type.hpp>

namespace kube::meta {
namespace {

using example::v1::Everything;
using example::v1::EverythingList;
using example::v1::Lists;
using example::v1::Maps;
using example::v1::NamedSource;
using example::v1::Pointers;
using example::v1::Scalars;
using example::v1::Tree;
using testing::HasSubstr;

static_assert(std::is_aggregate_v<Everything>);
static_assert(std::is_nothrow_move_constructible_v<NamedSource>);

template <class T>
T read(std::string_view text) {
  auto value = from_json<T>(text);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().to_string());
  return value ? *std::move(value) : T();
}
template <class T>
std::string error_of(std::string_view text) {
  const auto value = from_json<T>(text);
  if (value) return "no error";
  EXPECT_EQ(value.error().code(), ErrorCode::Decode);
  return value.error().to_string();
}
template <class T>
std::string rewritten(std::string_view text) {
  return to_json(read<T>(text));
}
// "read T: <what>", for values of one field of Scalars.
std::string scalar_error(std::string_view member) {
  return error_of<Scalars>("{" + std::string(member) + "}");
}

TEST(WriteJson, ShowsOfADefaultMadeObjectWhatTheSchemaSays) {
  EXPECT_EQ(
      to_json(Everything()),
      R"({"kind":"Everything","apiVersion":"example.com/v1","metadata":{},)"
      R"("plain":{"shownBool":false,"int64":0,"string":"","keptBytes":null,"time":null,"microTime":null,)"
      R"("duration":"0s","quantity":"0","intOrString":0,"raw":null},)"
      R"("lists":null,"maps":{"keptStrings":null},"source":{"name":""},"keptWords":null})");
  EXPECT_EQ(to_json(Pointers()), R"({"int32":null})");
  EXPECT_EQ(to_json(Lists()), R"({"keptStrings":null,"keptMessages":null})");
}

TEST(WriteJson, WritesPointersToZeroValues) {
  const Pointers pointers{.bool_ = false,
                          .int32 = 0,
                          .int64 = 0,
                          .string = "",
                          .time = Time(),
                          .micro_time = MicroTime(),
                          .duration = Duration(),
                          .quantity = Quantity(),
                          .int_or_string = IntOrString()};
  const std::string text =
      R"({"bool":false,"int32":0,"int64":0,"string":"","time":null,"microTime":null,)"
      R"("duration":"0s","quantity":"0","intOrString":0})";
  EXPECT_EQ(to_json(pointers), text);
}

TEST(WriteJson, AppendsToText) {
  std::string out = "x";
  write_json(nullptr, meta::TypeDescriptor{}, out);
  EXPECT_EQ(out, "x{}");
}

TEST(ReadJson, ReadsEverySortOfField) {
  const std::string text =
      R"({"kind":"Everything","apiVersion":"example.com/v1","metadata":{"name":"a","namespace":"b",)"
      R"("creationTimestamp":"2026-10-28T09:30:00Z","labels":{"k":"v","l":"w"}},)"
      R"("plain":{"bool":true,"shownBool":true,"int32":-7,"int64":9007199254740993,"double":1.5,"string":"Red\n\u003c",)"
      R"("bytes":"AP9h","keptBytes":"","time":"2026-10-28T09:30:00Z","hiddenTime":"2026-10-28T09:30:01Z",)"
      R"("microTime":"2026-10-28T09:30:00.000123Z","duration":"1h0m0s","quantity":"1536Mi","intOrString":"80%",)"
      R"("raw":{"a":[1,"x"]},"fieldsV1":{"f:a":{}},"any":5},)"
      R"("pointers":{"bool":true,"int32":1,"int64":2,"string":"s","time":"2026-10-28T09:30:00Z",)"
      R"("microTime":"2026-10-28T09:30:00.000000Z","duration":"5s","quantity":"100m","intOrString":8080},)"
      R"("lists":{"int32s":[1,-2],"int64s":[3],"strings":["a",""],"keptStrings":[],"raws":[1,{"b":2}],)"
      R"("messages":[{"name":"m","path":"/x","podIPs":["1.2.3.4"],"level":3,"namespace":"n"},{"name":""}],"keptMessages":[]},)"
      R"("maps":{"strings":{"a":"1","b":"2"},"keptStrings":{},"bytes":{"x":"aGk="},"quantities":{"cpu":"1","memory":"1Gi"},)"
      R"("messages":{"k":{"name":"v"}},"words":{"e":[],"w":["1","2"]}},)"
      R"("source":{"name":"s","level":1},)"
      R"("tree":{"label":"root","not":{"label":"no"},"allOf":[{"label":"1"},{"allOf":[{}]}],"properties":{"p":{"label":"q"}},)"
      R"("branch":{"tree":{}}},"words":["a"],"keptWords":[]})";
  const Everything value = read<Everything>(text);
  EXPECT_EQ(to_json(value), text);

  EXPECT_EQ(value.metadata.name, "a");
  EXPECT_EQ(value.metadata.labels.at("l"), "w");
  EXPECT_EQ(value.plain.int64, 9007199254740993);
  EXPECT_EQ(value.plain.string, "Red\n<");
  EXPECT_EQ(value.plain.bytes, std::string_view("\0\xff"
                                                "a",
                                                3));
  EXPECT_FALSE(value.plain.kept_bytes.is_null());
  EXPECT_EQ(value.plain.time, Time(1793179800, 0));
  EXPECT_EQ(value.plain.micro_time.nanoseconds(), 123000);
  EXPECT_EQ(value.plain.quantity, Quantity::must_parse("1.5Gi"));
  EXPECT_EQ(value.plain.int_or_string, IntOrString("80%"));
  EXPECT_EQ(value.plain.raw.raw, R"({"a":[1,"x"]})");
  const auto any = value.plain.any.value();
  EXPECT_NE(any->if_int(), nullptr);
  EXPECT_EQ(*value.pointers->string, "s");
  EXPECT_EQ(value.lists->messages[0].pod_ips, std::vector<std::string>{"1.2.3.4"});
  EXPECT_EQ(value.lists->messages[0].level, 3);
  EXPECT_EQ(value.lists->messages[0].namespace_, "n");
  EXPECT_FALSE(value.lists->kept_strings.is_null());
  EXPECT_EQ(value.maps.bytes.at("x"), "hi");
  EXPECT_EQ(value.maps.messages.at("k").name, "v");
  EXPECT_EQ(value.maps.words.at("w").items.size(), 2U);
  EXPECT_EQ(value.tree->all_of[1].all_of.size(), 1U);
  EXPECT_EQ(value.tree->properties.at("p").label, "q");
  EXPECT_EQ(value.words.items.size(), 1U);

  // Values are regular.
  Everything copy = value;
  EXPECT_EQ(copy, value);
  copy.tree->properties.at("p").label = "changed";
  EXPECT_NE(copy, value);
}

TEST(ReadJson, TakesAnyOrderAndWhiteSpace) {
  const Everything value = read<Everything>(
      "\n{ \"source\" : { \"level\":2 ,\"name\":\"x\"},\t\"plain\":{\"raw\": { \"a\" : 1 } "
      "},\r\n\"kind\":\"Everything\"} ");
  EXPECT_EQ(value.source.level, 2);
  EXPECT_EQ(value.plain.raw.raw, R"({ "a" : 1 })");
  EXPECT_THAT(to_json(value), HasSubstr(R"("raw":{"a":1})"));
}

TEST(ReadJson, CODEC_13_KeysAreTakenAsTheyAreSpelled) {
  EXPECT_EQ(read<Scalars>(R"({"STRING":"a","String":"b","bOOL":true})"), Scalars());
  EXPECT_EQ(read<Maps>(R"({"strings":{"VaLue":"1","value":"2"}})").strings.size(), 2U);
}

TEST(ReadJson, CODEC_14_NumbersOutOfRangeAreErrorsNotInfinity) {
  for (const char* number : {"1e1000", "-1e1000", "1e309"}) {
    EXPECT_THAT(scalar_error("\"double\":" + std::string(number)),
                HasSubstr("expected a number in the range of a double"));
    EXPECT_FALSE(unstructured_from_json("{\"kind\":\"X\",\"n\":" + std::string(number) + "}"));
  }
}

TEST(ReadJson, CODEC_19_MegabytesOfBracketsDoNotOverflowTheStack) {
  constexpr std::size_t kSize = std::size_t{3} << 20;
  for (const std::string_view open : {"[", "{\"a\":", "[{\"not\":"}) {
    std::string text;
    while (text.size() < kSize) text += open;
    for (const std::string_view start :
         {"", "{\"unknown\":", "{\"not\":", "{\"kind\":\"X\",\"a\":"}) {
      const std::string document = std::string(start) + text;
      EXPECT_FALSE(from_json<Tree>(document));
      EXPECT_FALSE(unstructured_from_json(document));
    }
    EXPECT_THAT(json::parse(text).error().to_string(), HasSubstr("exceeded max depth"));
  }
  // The same with all brackets closed, be it in a field that nobody knows.
  const std::string closed = std::string(kSize / 2, '[') + std::string(kSize / 2, ']');
  for (const std::string_view key : {"unknown", "label", "kind"}) {
    const std::string document = "{\"kind\":\"X\",\"" + std::string(key) + "\":" + closed + "}";
    EXPECT_TRUE(!from_json<Tree>(document)) << key;
    EXPECT_TRUE(!unstructured_from_json(document)) << key;
  }
}

TEST(ReadJson, SkipsUnknownKeys) {
  const Everything value = read<Everything>(
      R"({"unknown":{"a":[1,{"b":"}"}]},"plain":{"x":1,"int32":5,"int33":"y","Int32":6,"":7},"zzz":null})");
  EXPECT_EQ(value.plain.int32, 5);
}

TEST(ReadJson, NullLeavesAFieldUnset) {
  EXPECT_EQ(
      rewritten<Everything>(
          R"({"metadata":null,"plain":null,"pointers":null,"lists":null,"maps":null,"tree":null,"words":null})"),
      to_json(Everything()));
  EXPECT_EQ(
      read<Scalars>(
          R"({"bool":null,"int64":null,"string":null,"bytes":null,"keptBytes":null,"time":null,)"
          R"("duration":null,"quantity":null,"intOrString":null,"raw":null,"any":null})"),
      Scalars());
  EXPECT_TRUE(read<Scalars>(R"({"keptBytes":null})").kept_bytes.is_null());
}

TEST(ReadJson, NullElementsAreZeroValues) {
  const Lists lists = read<Lists>(R"({"int32s":[1,null],"strings":[null,"a"],"messages":[null]})");
  EXPECT_EQ(lists.int32s, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(lists.strings, (std::vector<std::string>{"", "a"}));
  EXPECT_EQ(lists.messages, (std::vector<NamedSource>{{}}));
  const Maps maps = read<Maps>(R"({"strings":{"a":null},"messages":{"b":null}})");
  EXPECT_EQ(maps.strings.at("a"), "");
  EXPECT_EQ(maps.messages.at("b"), NamedSource());
}

TEST(ReadJson, NullAndEmptyStayApartWhereTheSchemaTellsThem) {
  EXPECT_EQ(rewritten<Lists>(R"({"keptStrings":[],"keptMessages":[]})"),
            R"({"keptStrings":[],"keptMessages":[]})");
  EXPECT_EQ(rewritten<Lists>(R"({"keptStrings":null,"keptMessages":null})"),
            R"({"keptStrings":null,"keptMessages":null})");
  EXPECT_EQ(rewritten<Lists>(R"({"strings":[],"messages":[]})"), to_json(Lists()));
  EXPECT_EQ(rewritten<Maps>(R"({"keptStrings":{},"strings":{}})"), R"({"keptStrings":{}})");
  EXPECT_EQ(rewritten<APIResource>(R"({"verbs":[]})"),
            R"({"name":"","singularName":"","namespaced":false,"kind":"","verbs":[]})");
}

TEST(ReadJson, LastOfEqualKeysWins) {
  EXPECT_EQ(read<Lists>(R"({"strings":["a","b"],"strings":["c"]})").strings,
            std::vector<std::string>{"c"});
  EXPECT_EQ(
      read<Lists>(R"({"messages":[{"name":"a"}],"messages":[{"name":"b"},{}]})").messages.size(),
      2U);
  EXPECT_EQ(read<Maps>(R"({"strings":{"a":"1","a":"2"}})").strings.at("a"), "2");
  EXPECT_EQ(read<Maps>(R"({"messages":{"a":{"name":"1"},"a":{"level":2}}})").messages.at("a").name,
            "");
  EXPECT_EQ(read<Scalars>(R"({"string":"a","string":"b"})").string, "b");
}

TEST(ReadJson, KeysMayBeEscaped) {
  EXPECT_EQ(read<Scalars>(R"({"\u0069nt32":4})").int32, 4);
  EXPECT_EQ(read<Maps>(R"({"strings":{"a\"\n":"1"}})").strings.begin()->first, "a\"\n");
}

TEST(ReadJson, ChecksKindAndApiVersionOfTheOutermostObject) {
  EXPECT_EQ(error_of<Everything>(R"({"kind":"Pod"})"),
            "read Everything: kind: expected \"Everything\", found \"Pod\" at offset 8");
  EXPECT_EQ(error_of<Everything>(R"({"apiVersion":"v1"})"),
            "read Everything: apiVersion: expected \"example.com/v1\", found \"v1\" at offset 14");
  EXPECT_EQ(error_of<Everything>(R"({"kind":"","apiVersion":""})"), "no error");
  EXPECT_EQ(
      error_of<EverythingList>(
          R"({"kind":"EverythingList","items":[{"kind":"Other","apiVersion":"x/y","metadata":{}}]})"),
      "no error");
  EXPECT_EQ(error_of<Status>(R"({"kind":"Status","apiVersion":"v1"})"), "no error");
}

TEST(ReadJson, ErrorsNameKindFieldAndOffset) {
  EXPECT_EQ(
      error_of<Everything>(R"({"lists":{"messages":[{},{"name":5}]}})"),
      "read Everything: lists.messages[1].name: expected a string, found a number at offset 33");
  EXPECT_EQ(error_of<Everything>(R"({"maps":{"messages":{"a b":{"level":"x"}}}})"),
            "read Everything: maps.messages[a b].level: expected a 32-bit integer, found a "
            "string at offset 36");
  EXPECT_EQ(error_of<Everything>(R"({"lists":{"int32s":[1,true]}})"),
            "read Everything: lists.int32s[1]: expected a 32-bit integer, found a boolean at "
            "offset 22");
  EXPECT_EQ(
      error_of<Everything>(R"({"maps":{"quantities":{"cpu":"x"}}})"),
      "read Everything: maps.quantities[cpu]: \"x\": quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' at offset 29");
  EXPECT_EQ(error_of<Everything>(R"({"maps":{"words":{"w":{}}}})"),
            "read Everything: maps.words[w]: expected an array, found an object at offset 22");
  EXPECT_EQ(error_of<Everything>("[]"),
            "read Everything: expected an object, found an array at offset 0");
  EXPECT_EQ(error_of<NamedSource>("null"),
            "read example.v1.NamedSource: expected an object, found null at offset 0");
}

TEST(ReadJson, RefusesValuesOfAnotherType) {
  const std::string prefix = "read example.v1.Scalars: ";
  EXPECT_EQ(scalar_error(R"("bool":"true")"),
            prefix + "bool: expected a boolean, found a string at offset 8");
  EXPECT_EQ(scalar_error(R"("bool":1)"),
            prefix + "bool: expected a boolean, found a number at offset 8");
  EXPECT_EQ(scalar_error(R"("int32":2147483648)"),
            prefix + "int32: expected a 32-bit integer, found 2147483648 at offset 9");
  EXPECT_EQ(scalar_error(R"("int32":1.5)"),
            prefix + "int32: expected a 32-bit integer, found 1.5 at offset 9");
  EXPECT_EQ(scalar_error(R"("int32":1.0)"),
            prefix + "int32: expected a 32-bit integer, found 1.0 at offset 9");
  EXPECT_EQ(scalar_error(R"("int64":1e3)"),
            prefix + "int64: expected a 64-bit integer, found 1e3 at offset 9");
  EXPECT_EQ(scalar_error(R"("int64":9223372036854775808)"),
            prefix + "int64: expected a 64-bit integer, found 9223372036854775808 at offset 9");
  EXPECT_EQ(scalar_error(R"("int64":"5")"),
            prefix + "int64: expected a 64-bit integer, found a string at offset 9");
  EXPECT_EQ(scalar_error(R"("double":"5")"),
            prefix + "double: expected a number, found a string at offset 10");
  EXPECT_EQ(
      scalar_error(R"("double":1e999)"),
      prefix + "double: expected a number in the range of a double, found 1e999 at offset 10");
  EXPECT_EQ(scalar_error(R"("string":{})"),
            prefix + "string: expected a string, found an object at offset 10");
  EXPECT_EQ(scalar_error(R"("bytes":"a")"),
            prefix + "bytes: expected base64 with padding at offset 9");
  EXPECT_EQ(scalar_error(R"("bytes":[1])"),
            prefix + "bytes: expected a base64 string, found an array at offset 9");
  EXPECT_EQ(scalar_error(R"("time":5)"),
            prefix + "time: expected a time, found a number at offset 8");
  EXPECT_EQ(scalar_error(R"("time":"x")"), prefix +
                                               "time: cannot read \"x\" as a time, expected RFC "
                                               "3339 such as 2026-10-28T09:30:00Z at offset 8");
  EXPECT_THAT(scalar_error(R"("raw":{"a" 1})"),
              HasSubstr("json: offset 12: invalid character '1' after object key"));
}

TEST(ReadJson, DUR_03_Durations) {
  EXPECT_EQ(read<Scalars>(R"({"duration":"1.5h"})").duration, Duration(std::chrono::minutes(90)));
  EXPECT_THAT(scalar_error(R"("duration":5)"), HasSubstr("expected a duration, found a number"));
  EXPECT_THAT(scalar_error(R"("duration":"")"), HasSubstr("cannot read \"\" as a duration"));
  EXPECT_EQ(read<Pointers>(R"({"duration":null})").duration, std::nullopt);
}

TEST(ReadJson, INT_01_IntOrStrings) {
  const auto read_it = [](std::string_view text) {
    return read<Scalars>("{\"intOrString\":" + std::string(text) + "}").int_or_string;
  };
  EXPECT_EQ(read_it("123"), IntOrString(123));
  EXPECT_EQ(read_it("\"123\""), IntOrString("123"));
  EXPECT_EQ(read_it("\"\""), IntOrString(""));
  EXPECT_EQ(read_it("null"), IntOrString(0));
  for (const char* text : {"1.5", "1.0", "1e2", "true", "2147483648", "{}"}) {
    EXPECT_THAT(scalar_error("\"intOrString\":" + std::string(text)),
                HasSubstr("expected a 32-bit integer or a string"));
  }
  EXPECT_THAT(to_json(Scalars{.int_or_string = "a\"b"}), HasSubstr(R"("intOrString":"a\"b")"));
  EXPECT_THAT(to_json(Scalars{.int_or_string = -5}), HasSubstr(R"("intOrString":-5)"));
}

TEST(ReadJson, QTY_22_Quantities) {
  const auto rewrite = [](std::string_view text) {
    return read<Scalars>("{\"quantity\":" + std::string(text) + "}").quantity.to_string();
  };
  EXPECT_EQ(rewrite("\"1\""), "1");
  EXPECT_EQ(rewrite("1"), "1");
  EXPECT_EQ(rewrite("10"), "10");
  EXPECT_EQ(rewrite("-1"), "-1");
  EXPECT_EQ(rewrite("\" 1\""), "1");
  EXPECT_EQ(rewrite("\"1 \""), "1");
  EXPECT_EQ(rewrite("null"), "0");
  EXPECT_EQ(rewrite("1.5"), "1500m");
  EXPECT_EQ(rewrite("\"1.5\""), "1500m");
  for (const char* text : {"1.5", "\"1.5\"", "\"1500m\""}) {
    EXPECT_THAT(to_json(read<Scalars>("{\"quantity\":" + std::string(text) + "}")),
                HasSubstr(R"("quantity":"1500m")"));
  }
  EXPECT_THAT(scalar_error(R"("quantity":true)"),
              HasSubstr("expected a quantity, found a boolean"));
}

TEST(ReadJson, QTY_23_NullLeavesNothingOfTheTextThatWasThere) {
  const Maps maps = read<Maps>(R"({"quantities":{"cpu":"1.500","cpu":null}})");
  EXPECT_EQ(maps.quantities.at("cpu").to_string(), "0");
  EXPECT_THAT(to_json(maps), HasSubstr(R"("quantities":{"cpu":"0"})"));
  Quantity used = Quantity::must_parse("1.500");
  ASSERT_EQ(used.to_string(), "1.500");
  used = Quantity();
  EXPECT_EQ(used.to_string(), "0");
}

TEST(ReadJson, TIME_11_TimesRoundTrip) {
  const Scalars zero = read<Scalars>(R"({"time":null,"microTime":null})");
  EXPECT_TRUE(zero.time.is_zero());
  EXPECT_THAT(to_json(zero), HasSubstr(R"("time":null,"microTime":null)"));
  const Scalars value{.micro_time = MicroTime(894344705, 5999)};
  EXPECT_EQ(read<Scalars>(to_json(value)).micro_time, MicroTime(894344705, 5000));
}

TEST(ReadJson, RAW_05_RawJsonIsKeptAsItIs) {
  EXPECT_FALSE(read<Scalars>(R"({"raw":null,"fieldsV1":null})").raw.is_set());
  const std::string text =
      R"({"shownBool":false,"int64":0,"string":"","keptBytes":null,"time":null,"microTime":null,)"
      R"("duration":"0s","quantity":"0","intOrString":0,"raw":[1.50,"\u003cé",{"b":null,"a":1e9}],)"
      R"("fieldsV1":{"f:metadata":{".":{}}}})";
  EXPECT_EQ(rewritten<Scalars>(text), text);
  EXPECT_EQ(read<Scalars>(R"({"raw":"text"})").raw.raw, R"("text")");
  EXPECT_EQ(*RawExtension::from(json::Object{{"a", 1}}).value(),
            json::Value(json::Object{{"a", 1}}));
}

TEST(WriteJson, RawBytesThatAreNotOneValueAreNull) {
  for (const std::string& raw :
       {std::string("{{"), std::string(R"({},"metadata":{"name":"evil"})"), std::string("1 2"),
        std::string("\"\xff\""), std::string("k8s\0\x0a\x00", 6),
        std::string(513, '[') + std::string(513, ']')}) {
    EXPECT_THAT(to_json(Scalars{.raw = {raw}}), HasSubstr(R"("raw":null)")) << raw;
    EXPECT_EQ(to_json(example::v1::Lists{.raws = {{raw}, {"1"}}}),
              to_json(example::v1::Lists{.raws = {{}, {"1"}}}))
        << raw;
  }
}

TEST(ReadJson, KindAndApiVersionOfAnotherTypeThanStringAreWrong) {
  EXPECT_EQ(error_of<Everything>(R"({"apiVersion":7,"kind":"Everything"})"),
            "read Everything: apiVersion: expected a string, found a number at offset 14");
  EXPECT_EQ(error_of<Everything>(R"({"kind":["Everything"]})"),
            "read Everything: kind: expected a string, found an array at offset 8");
  EXPECT_EQ(error_of<Everything>(R"({"\u006bind":{}})"),
            "read Everything: kind: expected a string, found an object at offset 13");
  // Null is as absent.
  EXPECT_EQ(read<Everything>(R"({"apiVersion":null,"kind":null})"), Everything());
}

TEST(ReadJson, WhatIsNotReadIsJsonAllTheSame) {
  EXPECT_EQ(error_of<Scalars>(R"({"nobodyKnows":tru})"),
            "read example.v1.Scalars: json: offset 18: invalid character '}' in literal true "
            "(expecting 'e')");
  EXPECT_THAT(error_of<Scalars>(R"({"raw":[1,01]})"),
              HasSubstr("offset 11: invalid character '1'"));
  EXPECT_THAT(error_of<Scalars>(R"({"raw":"\q"})"),
              HasSubstr("invalid character 'q' in string escape code"));
}

TEST(ReadJson, ErrorsOfSyntaxNameTheOffset) {
  EXPECT_EQ(error_of<Everything>(""),
            "read Everything: json: offset 0: unexpected end of JSON input");
  EXPECT_EQ(error_of<Everything>(R"({"plain":{"int32":1)"),
            "read Everything: json: offset 19: unexpected end of JSON input");
  EXPECT_EQ(error_of<Everything>(R"({"plain":{"int32":01}})"),
            "read Everything: json: offset 19: invalid character '1' after object key:value pair");
  EXPECT_EQ(error_of<Everything>("{} x"),
            "read Everything: json: offset 3: invalid character 'x' after top-level value");
  EXPECT_EQ(error_of<Everything>("{\"plain\":{\"string\":\"\xff\"}}"),
            "read Everything: json: offset 20: invalid UTF-8 in string literal");
}

TEST(ReadJson, LimitsTheDepth) {
  std::string deep;
  for (int i = 0; i < json::kMaxDepth; ++i) deep += R"({"not":)";
  EXPECT_EQ(error_of<Tree>(deep + "{}" + std::string(json::kMaxDepth, '}')),
            "read example.v1.Tree: json: offset 3584: exceeded max depth");
  std::string lists;
  for (int i = 0; i < 100000; ++i) lists += R"({"allOf":[)";
  EXPECT_THAT(error_of<Tree>(lists), HasSubstr("exceeded max depth"));
  std::string good;
  for (int i = 0; i < 100; ++i) good += R"({"not":)";
  EXPECT_EQ(rewritten<Tree>(good + "{}" + std::string(100, '}')),
            good + "{}" + std::string(100, '}'));
}

TEST(ReadJson, CutOrChangedTextIsReadOrRefusedButNeverCrashes) {
  const std::string text =
      R"({"plain":{"bool":true,"int32":-7,"double":1.5,"string":"R\n","bytes":"AP9h","time":"2026-10-28T09:30:00Z","raw":[{}]},)"
      R"("lists":{"strings":["a"],"messages":[{"name":"m","level":3}]},"maps":{"strings":{"a":"1"},"words":{"w":["1"]}},"x":[1]})";
  ASSERT_TRUE(from_json<Everything>(text));
  for (std::size_t at = 0; at < text.size(); ++at) {
    EXPECT_FALSE(from_json<Everything>(text.substr(0, at)));
    for (const char c :
         {'\0', ' ', '"', '\\', '{', '}', '[', ']', ',', ':', '0', 'n', 't', '\xff'}) {
      std::string changed = text;
      changed[at] = c;
      // What is read is JSON, up to how skipped words and numbers are spelled.
      if (const auto value = from_json<Everything>(changed);
          value && json::find_syntax_error(changed)) {
        EXPECT_GT(at, text.find("\"raw\"")) << changed;
      }
    }
  }
}

}  // namespace
}  // namespace kube::meta
