// SPDX-License-Identifier: Apache-2.0
#include "auth/exec_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/process.hpp"
#include "plugin_folder.hpp"

namespace kube::rest {
namespace {

using Type = ExecPluginPolicy::Type;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;

class ExecPolicy : public ::testing::Test {
 protected:
  // The error for the plugin, or "permitted".
  std::string decide(const ExecPluginPolicy& policy, const std::string& command) const {
    const std::string path = folder.directory().path().string() + ":/usr/bin:/bin";
    const auto permitted = permit(policy, command, find_executable(command, path), path);
    return permitted ? "permitted" : permitted.error().message();
  }
  PluginFolder folder;
};

TEST_F(ExecPolicy, AUTH_19_AllowAllPermitsEverythingAndTakesNoList) {
  EXPECT_EQ(decide({}, "plugin"), "permitted");
  EXPECT_EQ(decide({.type = Type::AllowAll}, "missing"), "permitted");
  for (const Names& list : {Names{}, Names{"plugin"}}) {
    EXPECT_EQ(decide({.type = Type::AllowAll, .allowlist = list}, "plugin"),
              "misconfigured credential plugin allowlist: plugin policy is \"AllowAll\" but "
              "allowlist is non-nil");
  }
}

TEST_F(ExecPolicy, AUTH_20_DenyAllRefusesEverythingAndTakesNoList) {
  EXPECT_THAT(decide({.type = Type::DenyAll}, "plugin"), HasSubstr("policy set to \"DenyAll\""));
  EXPECT_THAT(decide({.type = Type::DenyAll, .allowlist = Names{}}, "plugin"),
              HasSubstr("plugin policy is \"DenyAll\" but allowlist is non-nil"));
}

TEST_F(ExecPolicy, AUTH_21_AnAllowlistHasEntriesWhichAreNormalized) {
  const auto with = [&](Optional<Names> list) {
    return decide({.type = Type::Allowlist, .allowlist = std::move(list)}, "plugin");
  };
  EXPECT_THAT(with({}), HasSubstr("allowlist is unspecified"));
  EXPECT_THAT(with(Names{}), HasSubstr("allowlist is empty; use \"DenyAll\" policy instead"));
  EXPECT_THAT(with(Names{"plugin", ""}), HasSubstr("entry #2 is empty"));
  for (const char* entry : {"./plugin", "/bin/../bin/plugin", "/bin//plugin", "/bin/plugin/"}) {
    EXPECT_THAT(with(Names{entry}), HasSubstr("entry #1 is not normalized")) << entry;
  }
}

TEST_F(ExecPolicy, AUTH_22_AnEntryMatchesTheCommandItsPathOrItsNameInPath) {
  const auto with = [&](const Names& list, const std::string& command) {
    return decide({.type = Type::Allowlist, .allowlist = list}, command);
  };
  EXPECT_EQ(with({"other", "plugin"}, "plugin"), "permitted") << "the text";
  EXPECT_EQ(with({"plugin", "other"}, "plugin"), "permitted") << "in any order";
  EXPECT_EQ(with({folder.command()}, "plugin"), "permitted") << "the absolute path";
  EXPECT_EQ(with({"plugin"}, folder.command()), "permitted") << "the name that PATH resolves";
  const std::string refused = " is not permitted by the credential plugin allowlist";
  EXPECT_EQ(with({"other"}, "plugin"), "plugin \"plugin\"" + refused);
  const std::string elsewhere = folder.directory().write("sub/plugin", "#!/bin/sh\n");
  std::filesystem::permissions(elsewhere, std::filesystem::perms::owner_all);
  EXPECT_THAT(with({"plugin"}, elsewhere), HasSubstr(refused)) << "another file of that name";
  EXPECT_THAT(with({"/usr/bin/plugin"}, "plugin"), HasSubstr(refused));
}

TEST_F(ExecPolicy, AUTH_23_AnUnknownPolicyIsAnError) {
  EXPECT_THAT(decide({.type = static_cast<Type>(7)}, "plugin"), HasSubstr("unknown plugin policy"));
}

}  // namespace
}  // namespace kube::rest
