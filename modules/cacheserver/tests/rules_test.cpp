// SPDX-License-Identifier: Apache-2.0
//
// The file of authorization rules, and the users and groups of the file of tokens.
#include "rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube::cacheserver::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const meta::GroupResource kPodResource{"", "pods"};
const meta::GroupResource kDeployments{"apps", "deployments"};

Rules rules(std::string_view text) {
  return Rules::parse(text, "f").value();
}

std::string mistake(std::string_view text) {
  const auto parsed = Rules::parse(text, "f");
  return parsed ? "" : parsed.error().message();
}

TEST(Rules, AllowTheirUsersAndGroupsTheirResourcesInTheirNamespaces) {
  const Rules given = rules(R"(# Who reads what.
- users: [ann]
  groups: [team, "9"]
  resources: [pods, deployments.apps]
  namespaces: [web, shop]
)");
  for (const Caller& caller :
       {Caller{"ann", {}}, Caller{"bob", {"x", "team"}}, Caller{"c", {"9"}}}) {
    EXPECT_TRUE(given.allow(caller, kPodResource, "web"));
    EXPECT_TRUE(given.allow(caller, kDeployments, "shop"));
    EXPECT_FALSE(given.allow(caller, kPodResource, "other"));
    EXPECT_FALSE(given.allow(caller, kPodResource, "")) << "all namespaces";
    EXPECT_FALSE(given.allow(caller, {"", "deployments"}, "web")) << "another group";
    EXPECT_FALSE(given.allow_all(caller));
    EXPECT_THAT(given.namespaces_of(caller, kPodResource), ElementsAre("shop", "web"));
    EXPECT_THAT(given.namespaces_of(caller, {"", "secrets"}), IsEmpty());
  }
  EXPECT_FALSE(given.allow({"team", {"ann"}}, kPodResource, "web")) << "a user is not a group";
  EXPECT_FALSE(given.allow({}, kPodResource, "web"));
}

TEST(Rules, AStarIsAll) {
  const Caller anyone{"x", {}};
  EXPECT_TRUE(rules(R"([{users: ["*"], resources: ["*"], namespaces: ["*"]}])").allow_all(anyone));
  EXPECT_TRUE(rules(R"([{groups: ["*"], resources: ["*"], namespaces: ["*"]}])").allow_all(anyone));
  const Rules pods = rules(R"([{users: [x], resources: [pods], namespaces: ["*"]}])");
  EXPECT_TRUE(pods.allow(anyone, kPodResource, ""));
  EXPECT_TRUE(pods.allow(anyone, kPodResource, "web"));
  EXPECT_FALSE(pods.allow_all(anyone));
  EXPECT_THAT(pods.namespaces_of(anyone, kPodResource), ElementsAre(""));
  const Rules web = rules(R"([{users: [x], resources: ["*"], namespaces: [web]}])");
  EXPECT_TRUE(web.allow(anyone, kDeployments, "web"));
  EXPECT_FALSE(web.allow(anyone, {"", "nodes"}, "")) << "cluster-scoped";
  EXPECT_FALSE(web.allow_all(anyone));
}

TEST(Rules, AnEmptyListAllowsNothing) {
  EXPECT_FALSE(rules("[]").allow({"x", {}}, kPodResource, "web"));
  EXPECT_FALSE(rules("[]").allow_all({"x", {}}));
}

TEST(Rules, MistakesNameFileLineAndWhatWasExpected) {
  const std::string rest = "  resources: [pods]\n  namespaces: [web]\n";
  for (const char* empty : {"", "\n", "# none\n"}) {
    EXPECT_EQ(mistake(empty), "rules file \"f\": expected one list of rules, found 0") << empty;
  }
  EXPECT_EQ(mistake("[]\n---\n[]\n"), "rules file \"f\": expected one list of rules, found 2");
  EXPECT_EQ(mistake("rules: []"), "rules file \"f\": line 1: expected a list of rules");
  EXPECT_EQ(mistake("- users: [a]\n" + rest + "- ann"),
            "rules file \"f\": line 4: expected a rule with users or groups, resources and "
            "namespaces");
  EXPECT_EQ(mistake("- users: [a]\n  namespace: [web]\n"),
            "rules file \"f\": line 2: unknown field \"namespace\"; expected users, groups, "
            "resources or namespaces");
  EXPECT_EQ(mistake("-" + rest.substr(1)),
            "rules file \"f\": line 1: missing field: expected users or groups of the token file");
  EXPECT_EQ(mistake("- users: [a]\n  namespaces: [web]\n"),
            "rules file \"f\": line 1: missing field \"resources\": expected names such as pods, "
            "deployments.apps or \"*\"");
  EXPECT_EQ(mistake("- users: [a]\n  resources: [pods]\n"),
            "rules file \"f\": line 1: missing field \"namespaces\": expected names, or \"*\" for "
            "all");
  EXPECT_EQ(mistake("- users: ann\n" + rest), "rules file \"f\": line 1: expected a list of names");
  EXPECT_EQ(mistake("- users: []\n" + rest), "rules file \"f\": line 1: expected a list of names");
  EXPECT_EQ(mistake("- users:\n  - ann\n  - 12\n" + rest),
            "rules file \"f\": line 3: expected a name, in quotes if it looks like another value");
  EXPECT_THAT(mistake("- users: [a]\n  resources: [pods]\n  namespaces:\n  - web\n  - We_b\n"),
              StartsWith("rules file \"f\": line 5: namespace \"We_b\": a "));
  EXPECT_EQ(mistake("- users: [a]\n  users: [b]\n" + rest),
            "rules file \"f\": yaml: line 2: key \"users\" already set in map");
  EXPECT_THAT(mistake("- users: [a\n"), StartsWith("rules file \"f\": yaml: line 2: "));
  EXPECT_NE(mistake(""), "");
}

TEST(Rules, AResourceThatIsNotServedIsNamedWithItsLine) {
  const std::vector<meta::GroupResource> served = {kPodResource, kDeployments, kPodResource};
  EXPECT_TRUE(
      rules(R"([{users: [a], resources: [pods, deployments.apps, "*"], namespaces: [web]}])")
          .check_resources(served));
  const auto checked =
      rules("- users: [a]\n  resources:\n  - pods\n  - deployments\n  namespaces: [web]\n")
          .check_resources(served);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message(),
            "rules file \"f\": line 4: resource \"deployments\" is not served; expected \"*\" or "
            "one of deployments.apps, pods");
}

TEST(Tokens, HaveTheUserAndTheGroupsOfTheirLine) {
  const Tokens tokens = Tokens::parse(
                            "# comment\n"
                            "plain,ann,1\n"
                            "one,bob,2,team\n"
                            "two,\"cleo, the second\",3,\"team,\"\"odd\"\" one\"\r\n",
                            "f")
                            .value();
  EXPECT_EQ(*tokens.find("Bearer plain"), (Caller{"ann", {}}));
  EXPECT_EQ(*tokens.find("Bearer one"), (Caller{"bob", {"team"}}));
  EXPECT_EQ(*tokens.find("Bearer two"), (Caller{"cleo, the second", {"team", "\"odd\" one"}}));
  for (const char* unknown : {"", "plain", "Bearer ", "Bearer plai", "Basic plain"}) {
    EXPECT_EQ(tokens.find(unknown), nullptr) << unknown;
  }
  for (const char* wrong : {"t,\"u,1", "t,\"u\"x,1", "t,u", "t,,1", ",u,1"}) {
    EXPECT_FALSE(Tokens::parse(wrong, "f")) << wrong;
  }
}

// A caller that is silently in no group, or whose token no client can send, costs its user hours.
TEST(Tokens, MistakesAreNamedWithTheirLineAndWithoutTheToken) {
  const auto mistake_of = [](const std::string& line) {
    const auto parsed = Tokens::parse("other,ann,1\n" + line + "\n", "f");
    EXPECT_FALSE(parsed) << line;
    const std::string message = parsed ? "" : parsed.error().message();
    EXPECT_THAT(message, Not(HasSubstr("tok,")));
    return message;
  };
  EXPECT_EQ(mistake_of("tok,bob,1,web,dev"),
            "token file \"f\": line 2: expected four fields at most: several groups are one field, "
            "in quotes");
  for (const char* groups : {"\"web, dev\"", "\"web ,dev\"", " web", "\"\tweb\""}) {
    EXPECT_EQ(mistake_of(std::string("tok,bob,1,") + groups),
              "token file \"f\": line 2: expected groups without blanks around their names");
  }
  for (const char* line : {"tok ,bob,1", " tok,bob,1", "\"to k\",bob,1"}) {
    EXPECT_EQ(mistake_of(line), "token file \"f\": line 2: expected a token without blanks");
  }
  EXPECT_EQ(mistake_of("tok, bob,1"),
            "token file \"f\": line 2: expected a user without blanks around the name");
  EXPECT_EQ(mistake_of("\nother,bob,2"),
            "token file \"f\": line 3: duplicate token, which is that of line 1");
  const auto marked = Tokens::parse("\xef\xbb\xbftok,bob,1\n", "f");
  ASSERT_FALSE(marked);
  EXPECT_EQ(marked.error().message(), "token file \"f\": line 1: expected no byte order mark");
}

}  // namespace
}  // namespace kube::cacheserver::test
