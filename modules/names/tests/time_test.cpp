// SPDX-License-Identifier: Apache-2.0
#include <kube/names/time.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/clock.hpp>

namespace kube::meta {
namespace {

static_assert(std::is_nothrow_move_constructible_v<Time>);
static_assert(sizeof(Time) == 16);

using namespace std::chrono_literals;

std::string rewritten(std::string_view text) {
  const auto time = Time::parse(text);
  return time ? time->to_string() : "refused";
}
std::string micro(std::string_view text) {
  const auto time = MicroTime::parse(text);
  return time ? time->to_string() : "refused";
}

TEST(Time, RefusesWhatAnOffsetLeadsOutOfTheYears0To9999) {
  EXPECT_TRUE(Time::parse("0000-01-01T00:00:00Z"));
  EXPECT_FALSE(Time::parse("0000-01-01T00:00:00+01:00"));
  EXPECT_TRUE(Time::parse("9999-12-31T23:59:59Z"));
  EXPECT_FALSE(MicroTime::parse("9999-12-31T23:59:59.999999-01:00"));
}

TEST(Time, DefaultMadeIsZero) {
  EXPECT_TRUE(Time().is_zero());
  EXPECT_EQ(Time().to_string(), "0001-01-01T00:00:00Z");
  EXPECT_TRUE(Time::parse("0001-01-01T00:00:00Z").value().is_zero());
  EXPECT_FALSE(Time(0, 0).is_zero());
}

TEST(Time, TIME_02_WritesWholeSecondsInUtc) {
  EXPECT_EQ(Time(894344705, 50).to_string(), "1998-05-05T05:05:05Z");
  EXPECT_EQ(rewritten("1998-05-05T01:05:05-04:00"), "1998-05-05T05:05:05Z");
  EXPECT_EQ(rewritten("2000-02-29T23:59:59+05:45"), "2000-02-29T18:14:59Z");
  EXPECT_EQ(rewritten("1969-12-31T23:59:59Z"), "1969-12-31T23:59:59Z");
  EXPECT_EQ(rewritten("9999-12-31T23:59:59Z"), "9999-12-31T23:59:59Z");
}

TEST(Time, TIME_03_KeepsNanosecondsInMemory) {
  const auto time = Time::parse("1998-05-05T05:05:05.123456789Z");
  EXPECT_EQ(time->nanoseconds(), 123456789);
  EXPECT_EQ(time->to_string(), "1998-05-05T05:05:05Z");
  EXPECT_EQ(Time::parse("1998-05-05T05:05:05,5Z").value().nanoseconds(), 500000000);
  EXPECT_EQ(Time::parse("1998-05-05T05:05:05.1234567891234Z").value().nanoseconds(), 123456789);
}

TEST(Time, TIME_04_RefusesOtherForms) {
  for (const char* text : {"2020-01-02t03:04:05Z",
                           "2020-01-02T03:04:05z",
                           "2020-01-02 03:04:05Z",
                           "2020-01-02T03:04:05",
                           "2020-01-02T03:04:05+0200",
                           "2020-01-02T24:04:05Z",
                           "2020-01-02T03:04:60Z",
                           "2020-02-30T03:04:05Z",
                           "2020-01-02T03:04:05.Z",
                           "",
                           "2019-02-29T03:04:05Z",
                           "2020-13-02T03:04:05Z",
                           "2020-00-02T03:04:05Z",
                           "2020-01-00T03:04:05Z",
                           "2020-01-02T03:60:05Z",
                           "20-01-02T03:04:05Z",
                           "2020-1-02T03:04:05Z",
                           "2020-01-02T03:04:05Zx",
                           "2020-01-02T03:04:05+25:00",
                           "2020-01-02T03:04:05+02:61",
                           "2020-01-02",
                           "null",
                           "x"}) {
    EXPECT_EQ(rewritten(text), "refused") << text;
  }
  EXPECT_EQ(rewritten("2020-01-02T3:04:05Z"), "2020-01-02T03:04:05Z");
  const auto error = Time::parse("tomorrow").error();
  EXPECT_EQ(error.code(), ErrorCode::Decode);
  EXPECT_EQ(error.to_string(),
            "cannot read \"tomorrow\" as a time, expected RFC 3339 such as 2026-10-28T09:30:00Z");
}

TEST(Time, TIME_07_ComparesInstantsAndUnsetOnes) {
  const std::optional<Time> none;
  const std::optional<Time> early = Time(1, 0);
  const std::optional<Time> late = Time(1, 1);
  EXPECT_EQ(none, none);
  EXPECT_NE(none, early);
  EXPECT_TRUE(is_before(early, late));
  EXPECT_FALSE(is_before(late, early));
  EXPECT_FALSE(is_before(none, early));
  EXPECT_FALSE(is_before(early, none));
  EXPECT_EQ(*Time::parse("2020-01-02T03:04:05Z"), *Time::parse("2020-01-02T04:04:05+01:00"));
}

TEST(Time, TIME_08_QueryParameters) {
  EXPECT_EQ(Time().to_query(), "");
  EXPECT_EQ(Time(894344705, 50).to_query(), "1998-05-05T05:05:05Z");
  EXPECT_TRUE(Time::from_query("").value().is_zero());
  EXPECT_TRUE(Time::from_query("null").value().is_zero());
  EXPECT_EQ(*Time::from_query("1998-05-05T05:05:05Z"), Time(894344705, 0));
  EXPECT_FALSE(Time::from_query("x"));
}

TEST(Time, ConvertsToAndFromWallTime) {
  const WallTime wall = WallTime(894344705s + 50ns);
  EXPECT_EQ(Time(wall), Time(894344705, 50));
  EXPECT_EQ(Time(wall).to_wall_time(), wall);
  EXPECT_EQ(Time(WallTime(-1ns)), Time(-1, 999999999));
  EXPECT_EQ(Time(WallTime(-1ns)).to_wall_time(), WallTime(-1ns));
  EXPECT_LT(Time().to_wall_time(), WallTime(0ns));
  EXPECT_GT(Time::parse("9999-12-31T23:59:59Z").value().to_wall_time(), wall);
}

TEST(MicroTime, TIME_09_WritesSixDigits) {
  EXPECT_TRUE(MicroTime().is_zero());
  EXPECT_EQ(MicroTime(894344705, 0).to_string(), "1998-05-05T05:05:05.000000Z");
  EXPECT_EQ(MicroTime(894344705, 5050).to_string(), "1998-05-05T05:05:05.000005Z");
  EXPECT_EQ(MicroTime(894344705, 999999999).to_string(), "1998-05-05T05:05:05.999999Z");
}

TEST(MicroTime, TIME_10_ReadsExactlySixDigits) {
  EXPECT_EQ(micro("1998-05-05T05:05:05Z"), "refused");
  EXPECT_EQ(micro("1998-05-05T05:05:05.1Z"), "refused");
  EXPECT_EQ(micro("1998-05-05T05:05:05.123456789Z"), "refused");
  EXPECT_EQ(micro("1998-05-05T05:05:05.123456Z"), "1998-05-05T05:05:05.123456Z");
  EXPECT_EQ(micro("1998-05-05T05:05:05.123456+02:00"), "1998-05-05T03:05:05.123456Z");
}

TEST(MicroTime, TIME_12_ComparesWithTimeByInstant) {
  EXPECT_EQ(MicroTime(5, 0), Time(5, 0));
  EXPECT_LT(Time(5, 0), MicroTime(5, 1000));
  EXPECT_TRUE(
      is_before(std::optional<MicroTime>(MicroTime(4, 0)), std::optional<Time>(Time(5, 0))));
  EXPECT_FALSE(is_before(std::optional<MicroTime>(), std::optional<Time>(Time(5, 0))));
}

TEST(Duration, DUR_01_WritesAsGoDoes) {
  const auto shown = [](std::chrono::nanoseconds span) { return Duration(span).to_string(); };
  EXPECT_EQ(shown(5s), "5s");
  EXPECT_EQ(shown(2min), "2m0s");
  EXPECT_EQ(shown(1h + 3ms), "1h0m0.003s");
  EXPECT_EQ(shown(0s), "0s");
  EXPECT_EQ(shown(-1s), "-1s");
  EXPECT_EQ(shown(999999ns), "999.999\xc2\xb5s");
  EXPECT_EQ(shown(1500ns), "1.5\xc2\xb5s");
  EXPECT_EQ(shown(1500us), "1.5ms");
  EXPECT_EQ(shown(500ms), "500ms");
  EXPECT_EQ(shown(1h), "1h0m0s");
  EXPECT_EQ(shown(7ns), "7ns");
  EXPECT_EQ(shown(std::chrono::nanoseconds::min()), "-2562047h47m16.854775808s");
  EXPECT_EQ(shown(std::chrono::nanoseconds::max()), "2562047h47m16.854775807s");
}

TEST(Duration, DUR_02_ReadsGoText) {
  const auto read = [](std::string_view text) {
    const auto duration = Duration::parse(text);
    EXPECT_TRUE(duration) << text;
    return duration ? duration->value : std::chrono::nanoseconds(-42);
  };
  EXPECT_EQ(read("0s"), 0s);
  EXPECT_EQ(read("0"), 0s);
  EXPECT_EQ(read("5s"), 5s);
  EXPECT_EQ(read("2m"), 2min);
  EXPECT_EQ(read("2m0s"), 2min);
  EXPECT_EQ(read("1h0.003s"), 1h + 3ms);
  EXPECT_EQ(read("1.5h"), 90min);
  EXPECT_EQ(read(".5s"), 500ms);
  EXPECT_EQ(read("5.s"), 5s);
  EXPECT_EQ(read("-1m"), -1min);
  EXPECT_EQ(read("+1m"), 1min);
  EXPECT_EQ(read("1us2\xc2\xb5s3\xce\xbcs4ms"), 4006us);
  EXPECT_EQ(read("-9223372036854775808ns"), std::chrono::nanoseconds::min());
  EXPECT_EQ(read("9223372036854775807ns"), std::chrono::nanoseconds::max());
  for (const auto span : {1ns, 1500ns, 3ms + 7ns, std::chrono::nanoseconds(100h + 1ns)}) {
    EXPECT_EQ(read(Duration(span).to_string()), span);
  }
}

TEST(Duration, OfALongFractionCountsWhatGoCounts) {
  // What Go's time.ParseDuration answers: its digits as an integer, then one multiplication.
  for (const auto& [text, expected] : {std::pair("0.3333333333333333333333h", "20m0s"),
                                       std::pair("0.33333333333333h", "19m59.999999999s"),
                                       std::pair("0.9223372036854775808h", "55m20.413933267s"),
                                       std::pair("0.9223372036854775809m", "55.340232221s"),
                                       std::pair("0.99999999999999999999999h", "1h0m0s"),
                                       std::pair("1.00000000000000000005s", "1s")}) {
    EXPECT_EQ(Duration::parse(text).value().to_string(), expected) << text;
  }
}

TEST(Duration, DUR_03_RefusesOtherText) {
  for (const char* text : {"", "1", "5", "s", ".s", "1d", "1h 2m", "1e3s", "9223372037s", "-", "+",
                           "9223372036854775808ns", "99999999999999999999s", "1s-", "--1s", "1 s",
                           "0x1s", "2562048h"}) {
    EXPECT_FALSE(Duration::parse(text)) << text;
  }
  EXPECT_EQ(Duration::parse("1d").error().to_string(),
            "cannot read \"1d\" as a duration, expected Go's form such as 1h30m or 1.5s");
}

TEST(Time, CutOrChangedTextIsReadOrRefusedButNeverCrashes) {
  const std::string text = "2020-01-02T03:04:05.123456+02:00";
  for (std::size_t at = 0; at < text.size(); ++at) {
    rewritten(text.substr(0, at));
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = text;
      changed[at] = static_cast<char>(byte);
      rewritten(changed);
      micro(changed);
      Duration::parse(changed).has_value();
    }
  }
}

TEST(HumanDuration, HasAboutTwoDigits) {
  EXPECT_EQ(meta::human_duration(-2s), "<invalid>");
  EXPECT_EQ(meta::human_duration(-1s), "0s");
  EXPECT_EQ(meta::human_duration(119s), "119s");
  EXPECT_EQ(meta::human_duration(120s), "2m");
  EXPECT_EQ(meta::human_duration(599s), "9m59s");
  EXPECT_EQ(meta::human_duration(179min + 59s), "179m");
  EXPECT_EQ(meta::human_duration(3h), "3h");
  EXPECT_EQ(meta::human_duration(7h + 59min), "7h59m");
  EXPECT_EQ(meta::human_duration(47h + 59min), "47h");
  EXPECT_EQ(meta::human_duration(48h), "2d");
  EXPECT_EQ(meta::human_duration(24h * 8 - 1h), "7d23h");
  EXPECT_EQ(meta::human_duration(24h * 729), "729d");
  EXPECT_EQ(meta::human_duration(24h * 365 * 2), "2y");
  EXPECT_EQ(meta::human_duration(24h * (365 * 7 + 364)), "7y364d");
  EXPECT_EQ(meta::human_duration(24h * 365 * 8 + 24h * 9), "8y");
}

}  // namespace
}  // namespace kube::meta
