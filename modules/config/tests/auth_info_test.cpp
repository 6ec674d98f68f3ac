// SPDX-License-Identifier: Apache-2.0
#include <kube/config/auth_info.hpp>

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_directory.hpp"

namespace kube::rest {
namespace {

const AuthInfo& full_info() {
  static const AuthInfo info{.user = "user",
                             .password = "password",
                             .ca_file = "ca",
                             .certificate_file = "certificate",
                             .key_file = "key",
                             .bearer_token = "token",
                             .insecure = true};
  return info;
}

TEST(AuthInfoTest, AUTH_33_AMissingFileIsAnErrorAndASavedOneIsReadBack) {
  const TemporaryDirectory directory;
  const auto missing = AuthInfo::load(directory / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::Config);
  AuthInfo secure = full_info();
  secure.insecure = false;
  for (const AuthInfo& info : {full_info(), secure, AuthInfo{}}) {
    ASSERT_TRUE(info.save(directory / "info"));
    EXPECT_EQ(AuthInfo::load(directory / "info").value(), info);
  }
  struct stat found {};
  ASSERT_EQ(::stat((directory / "info").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST(AuthInfoTest, AWrongFileIsNamedAndNotQuoted) {
  const TemporaryDirectory directory;
  for (const char* text :
       {"secret", "[]", R"({"BearerToken":["secret"]})", R"({"Insecure":"secret"})"}) {
    const auto info = AuthInfo::load(directory.write("info", text));
    ASSERT_FALSE(info);
    EXPECT_THAT(info.error().to_string(),
                ::testing::AllOf(::testing::HasSubstr(directory / "info"),
                                 ::testing::Not(::testing::HasSubstr("secret"))));
  }
}

TEST(AuthInfoTest, AUTH_34_MergingOverwritesAndCompleteMeansSomeCredentials) {
  const Config before{.host = "https://h",
                      .tls = {.ca = {.file = "old"},
                              .certificate = {.file = "old"},
                              .key = {.file = "old"},
                              .server_name = "kept",
                              .insecure_skip_verify = true},
                      .bearer_token = "old",
                      .username = "old",
                      .password = "old"};
  const Config merged = full_info().merged_with(before);
  EXPECT_EQ(merged, (Config{.host = "https://h",
                            .tls = {.ca = {.file = "ca"},
                                    .certificate = {.file = "certificate"},
                                    .key = {.file = "key"},
                                    .server_name = "kept",
                                    .insecure_skip_verify = true},
                            .bearer_token = "token",
                            .username = "user",
                            .password = "password"}));
  const Config emptied = AuthInfo{}.merged_with(before);
  EXPECT_EQ(emptied, (Config{.host = "https://h",
                             .tls = {.server_name = "kept", .insecure_skip_verify = true}}));
  EXPECT_FALSE(AuthInfo{.insecure = false}.merged_with(before).tls.insecure_skip_verify);

  EXPECT_TRUE(AuthInfo{.user = "u"}.is_complete());
  EXPECT_TRUE(AuthInfo{.certificate_file = "c"}.is_complete());
  EXPECT_TRUE(AuthInfo{.bearer_token = "t"}.is_complete());
  AuthInfo incomplete = full_info();
  incomplete.user = incomplete.certificate_file = "";
  incomplete.bearer_token = {};
  EXPECT_FALSE(incomplete.is_complete());
}

}  // namespace
}  // namespace kube::rest
