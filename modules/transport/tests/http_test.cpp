// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/http.hpp>

#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "response_head_parser.hpp"

namespace kube::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

static_assert(std::is_copy_constructible_v<Headers> &&
              std::is_nothrow_move_constructible_v<Headers>);

TEST(Headers, CompareNamesWithoutRegardToCase) {
  Headers headers{{"Content-Type", "text/plain"}};
  EXPECT_EQ(headers.find("content-TYPE"), "text/plain");
  EXPECT_EQ(headers.find("Content-Typ"), std::nullopt);
}

TEST(Headers, KeepOrderAndRepeatedFields) {
  Headers headers;
  headers.add("Warning", "first");
  headers.add("X", "y");
  headers.add("warning", "second");
  EXPECT_EQ(headers.find("WARNING"), "first");
  EXPECT_THAT(headers,
              ElementsAre(Pair("Warning", "first"), Pair("X", "y"), Pair("warning", "second")));
}

TEST(Headers, SetReplacesEveryFieldOfTheName) {
  Headers headers{{"A", "1"}, {"b", "2"}, {"a", "3"}};
  headers.set("A", "4");
  headers.set("C", "5");
  EXPECT_THAT(headers, ElementsAre(Pair("A", "4"), Pair("b", "2"), Pair("C", "5")));
}

TEST(Headers, RemoveTakesEveryFieldOfTheName) {
  Headers headers{{"A", "1"}, {"b", "2"}, {"a", "3"}};
  headers.remove("a");
  headers.remove("none");
  EXPECT_THAT(headers, ElementsAre(Pair("b", "2")));
}

TEST(PrintableRequest, NamesMethodAndUrlOnOneLineWithoutSecrets) {
  EXPECT_EQ(printable_request({.method = "GET\n", .url = "http://u:p@host/a\n?b"}),
            "GET\\n http://host/a%0A");
}

ResponseHead parsed(std::initializer_list<std::string_view> lines) {
  ResponseHeadParser parser;
  bool complete = false;
  for (const std::string_view line : lines) complete = parser.add_line(line);
  EXPECT_TRUE(complete);
  return parser.take();
}

TEST(ResponseHeadParser, TrimsValuesAndJoinsFoldedLines) {
  const ResponseHead head = parsed({"HTTP/1.1 404 Not Found\r\n", "A:  b \r\n", "Folded: one\r\n",
                                    "\t two\r\n", "Late:\r\n", " value\r\n", "Empty:\r\n", "\r\n"});
  EXPECT_EQ(head.status, 404);
  EXPECT_THAT(head.headers, ElementsAre(Pair("A", "b"), Pair("Folded", "one two"),
                                        Pair("Late", "value"), Pair("Empty", "")));
}

TEST(ResponseHeadParser, PassesOverInterimAnswersAndIgnoresTrailers) {
  ResponseHeadParser parser;
  for (const std::string_view line :
       {"HTTP/1.1 100 Continue\r\n", "X: interim\r\n", "\r\n", "HTTP/1.1 103 Early Hints\r\n",
        "\r\n", "HTTP/2 200 \r\n", "x: real\r\n"}) {
    EXPECT_FALSE(parser.add_line(line));
  }
  EXPECT_TRUE(parser.add_line("\r\n"));
  EXPECT_TRUE(parser.http2());
  EXPECT_FALSE(parser.add_line("Trailer: t\r\n"));
  EXPECT_FALSE(parser.add_line("\r\n"));
  EXPECT_THAT(parser.take().headers, ElementsAre(Pair("x", "real")));
}

}  // namespace
}  // namespace kube::transport
