// SPDX-License-Identifier: Apache-2.0
#include <kube/config/identity.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/config/transport_for.hpp>
#include <kube/testing/round_trip.hpp>
#include <kube/testing/scripted_transport.hpp>

namespace kube::rest {
namespace {

using testing::ScriptedCall;
using testing::ScriptedTransport;
using Fields = std::vector<std::pair<std::string, std::string>>;

class Identity : public ::testing::Test {
 protected:
  // The header fields that reached the wire.
  Fields sent(transport::RoundTripper& layer, transport::Headers headers = {}) {
    base->once("", "/", [](ScriptedCall call) { call.respond(200, "{}"); });
    (void)testing::round_trip(layer, {.url = "https://h/", .headers = std::move(headers)}, {});
    Fields fields;
    const std::vector<transport::HttpRequest> requests = base->requests();
    for (const auto& [name, value] : requests.back().headers) fields.emplace_back(name, value);
    return fields;
  }
  static std::string unescaped(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '%') {
        out += text[i];
        continue;
      }
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    }
    return out;
  }
  std::shared_ptr<ScriptedTransport> base = std::make_shared<ScriptedTransport>();
  std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
};

TEST_F(Identity, TRN_28_AUserAgentIsSetUnlessThereIsOne) {
  const auto layer = with_user_agent("mine/1", base);
  EXPECT_EQ(sent(*layer), (Fields{{"User-Agent", "mine/1"}}));
  EXPECT_EQ(sent(*layer, {{"user-agent", "other"}}), (Fields{{"user-agent", "other"}}));
}

TEST_F(Identity, TRN_29_EveryPartOfTheImpersonatedUserIsSent) {
  const ImpersonationConfig identity{.user_name = "jane",
                                     .uid = "42",
                                     .groups = {"dev", "ops"},
                                     .extra = {{"scopes", {"a", "b"}},
                                               {"test.example.com/thing.thing", {"c"}},
                                               {"test.example.com/thing%20another", {"d"}}}};
  EXPECT_EQ(sent(*impersonating(identity, base)),
            (Fields{{"Impersonate-User", "jane"},
                    {"Impersonate-Uid", "42"},
                    {"Impersonate-Group", "dev"},
                    {"Impersonate-Group", "ops"},
                    {"Impersonate-Extra-Scopes", "a"},
                    {"Impersonate-Extra-Scopes", "b"},
                    {"Impersonate-Extra-Test.example.com%2fthing%2520another", "d"},
                    {"Impersonate-Extra-Test.example.com%2fthing.thing", "c"}}));
}

TEST_F(Identity, TRN_30_ARequestThatImpersonatesAlreadyPassesUnchanged) {
  const auto layer = impersonating({.user_name = "jane", .uid = "42", .groups = {"dev"}}, base);
  EXPECT_EQ(sent(*layer, {{"impersonate-user", "john"}}), (Fields{{"impersonate-user", "john"}}));
}

TEST_F(Identity, TRN_31_EscapedKeysComeBackWhenTheyAreDecoded) {
  for (const std::string key : {"plain", "Alpha-Numeric.1_2~", "%zz", "100%", "a/b", "@=:", "[]{}",
                                "Grüße", "\xe4\xb8\x96\xe7\x95\x8c", " ", "\x01\x7f"}) {
    const std::string escaped = escape_header_key(key);
    EXPECT_EQ(unescaped(escaped), key);
    EXPECT_EQ(escaped.find_first_of("/@=: []{}\""), std::string::npos) << escaped;
  }
  EXPECT_EQ(escape_header_key("a/b%c"), "a%2Fb%25c");
}

TEST_F(Identity, TRN_32_AnAuthProxyReplacesWhatItsCallerClaims) {
  const ImpersonationConfig identity{
      .user_name = "jane", .uid = "42", .groups = {"dev", "ops"}, .extra = {{"a/b", {"c", "d"}}}};
  const transport::Headers claimed{{"X-Remote-User", "root"},      {"x-remote-uid", "0"},
                                   {"X-Remote-Group", "admins"},   {"X-Remote-Group", "more"},
                                   {"X-Remote-Extra-Scopes", "x"}, {"Accept", "text/plain"}};
  EXPECT_EQ(sent(*auth_proxied(identity, base), claimed), (Fields{{"Accept", "text/plain"},
                                                                  {"X-Remote-User", "jane"},
                                                                  {"X-Remote-Uid", "42"},
                                                                  {"X-Remote-Group", "dev"},
                                                                  {"X-Remote-Group", "ops"},
                                                                  {"X-Remote-Extra-A%2fb", "c"},
                                                                  {"X-Remote-Extra-A%2fb", "d"}}));
}

TEST_F(Identity, AConfigImpersonatesWithItsOwnCredentials) {
  const auto made = transport_for({.host = "https://h",
                                   .bearer_token = "abc",
                                   .impersonate = {.user_name = "jane"},
                                   .user_agent = "mine/1"},
                                  {.executor = executor}, base);
  ASSERT_TRUE(made) << made.error().to_string();
  EXPECT_THAT(sent(**made),
              ::testing::UnorderedElementsAre(std::pair("Authorization", "Bearer abc"),
                                              std::pair("Impersonate-User", "jane"),
                                              std::pair("User-Agent", "mine/1")));
}

TEST_F(Identity, GroupsWithoutAUserAreAnError) {
  const auto made = transport_for({.host = "https://h", .impersonate = {.groups = {"dev"}}},
                                  {.executor = executor}, base);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), ErrorCode::Config);
}

}  // namespace
}  // namespace kube::rest
