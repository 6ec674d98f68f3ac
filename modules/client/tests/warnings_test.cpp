// SPDX-License-Identifier: Apache-2.0
#include <kube/client/warnings.hpp>

#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/recording_logger.hpp>

namespace kube::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Warning parsed(const std::string& header) {
  const auto result = parse_warning_header(header);
  EXPECT_TRUE(result) << header << ": " << result.error().to_string();
  return result ? result->warning : Warning{};
}

std::string failure(const std::string& header) {
  const auto result = parse_warning_header(header);
  return result ? "no error" : result.error().message();
}

TEST(WarningHeader, WARN_01_CodeAgentAndText) {
  EXPECT_EQ(parsed(R"(299 - "text")"), (Warning{299, "-", "text"}));
}

TEST(WarningHeader, WARN_02_EscapesInTheTextAreResolved) {
  EXPECT_EQ(parsed(R"(299 - "text\"\\\a\b\c")").text, R"(text"\abc)");
}

TEST(WarningHeader, WARN_03_BlanksDateAndTrailingCommaAreAccepted) {
  EXPECT_EQ(parsed(R"(  299 - "text"  )"), (Warning{299, "-", "text"}));
  EXPECT_EQ(parsed(R"(299 agent "text" "Tue, 15 Nov 1994 08:12:31 GMT")"),
            (Warning{299, "agent", "text"}));
  EXPECT_EQ(parsed(R"(299 - "text" ,)").text, "text");
  EXPECT_EQ(parse_warning_header(R"(299 - "one" "date", 300 - "two")").value().remainder,
            R"(300 - "two")");
}

TEST(WarningHeader, WARN_04_MistakesAreNamed) {
  EXPECT_THAT(failure(""), HasSubstr("fewer than 3 segments"));
  EXPECT_THAT(failure("299"), HasSubstr("fewer than 3 segments"));
  EXPECT_THAT(failure("299 -"), HasSubstr("fewer than 3 segments"));
  EXPECT_THAT(failure(R"(1 - "text")"), HasSubstr("not 3 digits"));
  EXPECT_THAT(failure(R"(A - "text")"), HasSubstr("not 3 digits"));
  EXPECT_THAT(failure(R"(2999 - "text")"), HasSubstr("not 3 digits"));
  EXPECT_THAT(failure(R"(299  "text")"), HasSubstr("empty agent"));
  EXPECT_THAT(failure("299 - text"), HasSubstr("missing initial quote"));
  EXPECT_THAT(failure(R"(299 - "text)"), HasSubstr("missing closing quote"));
  EXPECT_THAT(failure(R"(299 - "text" "date)"), HasSubstr("unterminated date"));
  EXPECT_THAT(failure(R"(299 - "text" date)"), HasSubstr("unexpected token after warn-date"));
  EXPECT_THAT(failure("299 - \"te\x07xt\""), HasSubstr("invalid text"));
  EXPECT_THAT(failure("299 - \"te\xffxt\""), HasSubstr("invalid text"));
  EXPECT_THAT(failure("299 - \"te\xc2\x85xt\""), HasSubstr("invalid text"));
  EXPECT_THAT(failure("299 - \"te\xed\xa0\x80xt\""), HasSubstr("invalid text"));
  EXPECT_THAT(failure("299 a\x01 \"text\""), HasSubstr("invalid agent"));
}

TEST(WarningHeader, WARN_05_EncodedWordsAreDecoded) {
  EXPECT_EQ(parsed(R"(299 - "=?iso-8859-1?q?this=20is?=")").text, "this is");
  EXPECT_EQ(parsed(R"(299 - "=?ISO-8859-1?Q?caf=E9?= x")").text, "caf\xc3\xa9 x");
  EXPECT_EQ(parsed(R"(299 - "=?UTF-8?B?w6k=?=")").text, "\xc3\xa9");
  EXPECT_EQ(parsed(R"(299 - "a =?utf-8?q?b?= =?utf-8?q?c?= d")").text, "a bc d");
  EXPECT_EQ(parsed(R"(299 - "=?koi8-r?q?x?=")").text, "=?koi8-r?q?x?=");
  EXPECT_EQ(parsed(R"(299 - "=?utf-8?q?x=ZZ?=")").text, "=?utf-8?q?x=ZZ?=");
  EXPECT_EQ(parsed(R"(299 - "=?utf-8?q?open")").text, "=?utf-8?q?open");
}

TEST(WarningHeader, WARN_06_RawUtf8IsAccepted) {
  EXPECT_EQ(parsed("299 - \"\xe6\x97\xa5\xf0\x9f\x98\x80\"").text, "\xe6\x97\xa5\xf0\x9f\x98\x80");
}

TEST(WarningHeaders, AMistakeDropsTheRestOfItsHeaderOnly) {
  const transport::Headers headers{{"Warning", R"(299 - "one", nonsense, 299 - "lost")"},
                                   {"Other", R"(299 - "other")"},
                                   {"WARNING", R"(299 - "two",299 - "three")"}};
  std::vector<std::string> texts;
  for (const Warning& warning : parse_warnings(headers)) texts.push_back(warning.text);
  EXPECT_THAT(texts, ElementsAre("one", "two", "three"));
}

TEST(WarningHeader, WARN_08_BuildsWhatItParses) {
  EXPECT_EQ(*make_warning_header({1, "", R"(a "b" \c)"}), R"(001 - "a \"b\" \\c")");
  for (const Warning& warning : {Warning{299, "-", "text"}, Warning{0, "agent", R"("\")"},
                                 Warning{999, "-", "caf\xc3\xa9"}}) {
    EXPECT_EQ(parsed(*make_warning_header(warning)), warning);
  }
  EXPECT_FALSE(make_warning_header({1000, "-", "text"}));
  EXPECT_FALSE(make_warning_header({-1, "-", "text"}));
  EXPECT_FALSE(make_warning_header({299, "two words", "text"}));
  EXPECT_FALSE(make_warning_header({299, "-", "two\nlines"}));
}

TEST(LoggingWarningHandler, LogsCode299OncePerText) {
  const auto log = std::make_shared<testing::RecordingLogger>();
  LoggingWarningHandler handler(log);
  handler.handle_warning_header(299, "-", "one");
  handler.handle_warning_header(300, "-", "other code");
  handler.handle_warning_header(299, "-", "");
  handler.handle_warning_header(299, "-", "one");
  handler.handle_warning_header(299, "-", "two");
  EXPECT_THAT(log->lines(), ElementsAre("warning rest: server warning text=one",
                                        "warning rest: server warning text=two"));
}

TEST(LoggingWarningHandler, WhatItRemembersIsBounded) {
  const auto log = std::make_shared<testing::RecordingLogger>();
  LoggingWarningHandler handler(log);
  for (int i = 0; i < 300; ++i) handler.handle_warning_header(299, "-", std::to_string(i));
  EXPECT_EQ(log->entries().size(), 300U);
  handler.handle_warning_header(299, "-", "0");
  EXPECT_EQ(log->entries().size(), 301U);
}

TEST(WarningWriter, WARN_10_WritesALineForEachWarning) {
  std::ostringstream plain;
  WarningWriter writer(plain);
  writer.handle_warning_header(299, "-", "one");
  writer.handle_warning_header(300, "-", "other code");
  writer.handle_warning_header(299, "-", "");
  writer.handle_warning_header(299, "-", "one");
  EXPECT_EQ(plain.str(), "Warning: one\nWarning: one\n");

  std::ostringstream colored;
  WarningWriter once(colored, {.deduplicate = true, .color = true});
  once.handle_warning_header(299, "-", "one");
  once.handle_warning_header(299, "-", "one");
  EXPECT_EQ(colored.str(), "\x1b[33;1mWarning:\x1b[0m one\n");
}

TEST(WarningWriter, WARN_12_ManyThreadsWriteWholeLines) {
  std::ostringstream out;
  WarningWriter writer(out);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 50; ++k) writer.handle_warning_header(299, "-", "text");
      });
    }
  }
  std::string expected;
  for (int i = 0; i < 200; ++i) expected += "Warning: text\n";
  EXPECT_EQ(out.str(), expected);
}

}  // namespace
}  // namespace kube::rest
