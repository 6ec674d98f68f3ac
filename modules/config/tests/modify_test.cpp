// SPDX-License-Identifier: Apache-2.0
#include <kube/config/modify.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/file.hpp>
#include <kube/config/client_config.hpp>

#include "temporary_directory.hpp"

namespace kube::kubeconfig {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class Modify : public ::testing::Test {
 protected:
  std::string text(const std::string& name) { return read_file(directory / name).value(); }
  unsigned mode(const std::string& name) {
    struct stat status {};
    EXPECT_EQ(::stat((directory / name).c_str(), &status), 0);
    return status.st_mode & 0777U;
  }
  LoadingRules rules(const std::vector<std::string>& names) {
    LoadingRules out;
    out.from_environment = true;
    for (const std::string& name : names) out.precedence.push_back(directory / name);
    return out;
  }
  // Loads, changes and writes.
  void change(const LoadingRules& rules, const std::function<void(Kubeconfig&)>& by) {
    const auto done = modify(rules, [&by](Kubeconfig& config) -> Result<void> {
      by(config);
      return {};
    });
    EXPECT_TRUE(done) << done.error().to_string();
  }
  rest::TemporaryDirectory directory;
};

constexpr const char* kCommented =
    "# my clusters\n"
    "apiVersion: v1\n"
    "kind: Config\n"
    "future: {kept: true}\n"
    "clusters:\n"
    "- name: k  # the one\n"
    "  cluster:\n"
    "    server: https://h   # over the VPN\n"
    "    new-field: 1\n"
    "users:\n"
    "- name: u\n"
    "  user:\n"
    "    # renewed each month\n"
    "    token: old\n"
    "contexts: []\n";

TEST_F(Modify, CommentsOrderAndUnknownFieldsStay) {
  directory.write("a", kCommented);
  change(rules({"a"}), [](Kubeconfig& config) {
    config.users["u"].token = "new";
    config.clusters["k"].proxy_url = "http://p";
    config.contexts["c"] = {.cluster = "k", .user = "u"};
    config.current_context = "c";
  });
  EXPECT_EQ(text("a"),
            "# my clusters\n"
            "apiVersion: v1\n"
            "kind: Config\n"
            "future: {kept: true}\n"
            "clusters:\n"
            "- name: k  # the one\n"
            "  cluster:\n"
            "    server: https://h   # over the VPN\n"
            "    new-field: 1\n"
            "    proxy-url: http://p\n"
            "users:\n"
            "- name: u\n"
            "  user:\n"
            "    # renewed each month\n"
            "    token: new\n"
            "contexts:\n"
            "- context:\n"
            "    cluster: k\n"
            "    user: u\n"
            "  name: c\n"
            "current-context: c\n");
}

// kubectl drops it when it writes.
TEST_F(Modify, ASecondDocumentStays) {
  const std::string second = "--- # of last year\nclusters:   {{{ not YAML\n# tail";
  directory.write("a", kCommented + second);
  change(rules({"a"}), [](Kubeconfig& config) { config.users["u"].token = "new"; });
  std::string expected = kCommented;
  expected.replace(expected.find("token: old"), 10, "token: new");
  EXPECT_EQ(text("a"), expected + second);
}

TEST_F(Modify, ARenamedContextStaysWhereItIsWithAllThatItHas) {
  directory.write("a",
                  "apiVersion: v1\nkind: Config\ncontexts:\n# the first\n- name: c  # its name\n"
                  "  # inside\n  context:\n    cluster: k\n    future: [1]\n  more: 5\n"
                  "- context:\n    cluster: k\n    future: 2\n  name: d # the second\n"
                  "current-context: c\n");
  change(rules({"a"}), [](Kubeconfig& config) { ASSERT_TRUE(rename_context(config, "c", "x")); });
  change(rules({"a"}), [](Kubeconfig& config) { ASSERT_TRUE(rename_context(config, "d", "a")); });
  EXPECT_EQ(text("a"),
            "apiVersion: v1\nkind: Config\ncontexts:\n# the first\n- name: x  # its name\n"
            "  # inside\n  context:\n    cluster: k\n    future: [1]\n  more: 5\n"
            "- context:\n    cluster: k\n    future: 2\n  name: a # the second\n"
            "current-context: x\n");
}

TEST_F(Modify, WithoutAChangeNothingIsWritten) {
  directory.write("a", kCommented);
  const auto before = fs::last_write_time(directory / "a");
  change(rules({"a"}), [](Kubeconfig&) {});
  EXPECT_EQ(text("a"), kCommented);
  EXPECT_EQ(fs::last_write_time(directory / "a"), before);
}

TEST_F(Modify, CFG_37_TheSameFileIsLockedOnce) {
  const std::string file = directory / "sub/a";
  {
    const auto lock = FileLock::acquire(file);
    ASSERT_TRUE(lock) << lock.error().to_string();
    EXPECT_TRUE(fs::exists(file + ".lock"));
    const auto second = FileLock::acquire(file);
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message(), HasSubstr(file + ".lock: File exists"));
    EXPECT_THAT(second.error().message(), HasSubstr("if none runs, delete the lock file"));
    LoadingRules locked;
    locked.explicit_path = file;
    const auto refused = modify(locked, [](Kubeconfig&) -> Result<void> {
      ADD_FAILURE() << "what is read without the lock may be old";
      return {};
    });
    EXPECT_FALSE(refused);
  }
  EXPECT_FALSE(fs::exists(file + ".lock"));
  EXPECT_TRUE(FileLock::acquire(file));
}

TEST_F(Modify, WhatIsChangedIsWhatTheFileHoldsUnderItsLock) {
  const std::string file = directory.write("a", "contexts: [{name: p}]\n");
  change(rules({"a"}), [&](Kubeconfig& config) {
    EXPECT_FALSE(FileLock::acquire(file)) << "another process has to wait";
    EXPECT_TRUE(config.contexts.contains("p"));
    config.contexts["q"];
  });
  EXPECT_TRUE(FileLock::acquire(file));

  // An error of the change leaves the file as it is.
  const std::string before = text("a");
  const auto failed = modify(rules({"a"}), [](Kubeconfig& config) -> Result<void> {
    config.contexts.clear();
    return Error(ErrorCode::InvalidArgument, "no");
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message(), "no");
  EXPECT_EQ(text("a"), before);
}

TEST_F(Modify, CFG_39_TheCurrentContextIsWrittenToTheFirstFileOnly) {
  directory.write("a", "contexts: [{name: p}]\ncurrent-context: p\n");
  directory.write("b", "contexts:\n- name: q\n");
  change(rules({"b", "a"}), [](Kubeconfig& config) { config.current_context = "q"; });
  EXPECT_EQ(text("a"), "contexts: [{name: p}]\ncurrent-context: p\n");
  EXPECT_THAT(text("b"), HasSubstr("current-context: q\n"));
  change(rules({"b", "a"}), [](Kubeconfig& config) { config.current_context = ""; });
  EXPECT_THAT(text("b"), HasSubstr("current-context: \"\"\n"));
}

TEST_F(Modify, CFG_40_AContextIsAddedToTheGlobalFile) {
  directory.write(".kube/config", "contexts:\n- context:\n    cluster: k\n  name: one\n");
  const LoadingRules global =
      LoadingRules::defaults([this](std::string_view name) -> std::optional<std::string> {
        if (name == "HOME") return directory.path().string();
        return std::nullopt;
      });
  change(global, [](Kubeconfig& config) { config.contexts["two"] = {.cluster = "l"}; });
  const Kubeconfig after = global.load().value();
  EXPECT_EQ(after.contexts.at("one").cluster, "k");
  EXPECT_EQ(after.contexts.at("two").cluster, "l");
  EXPECT_THAT(text(".kube/config"), HasSubstr("- context:\n    cluster: k\n  name: one\n"));
}

TEST_F(Modify, EachEntryIsChangedInTheFileThatItCameFrom) {
  directory.write("a", "users:\n- name: u\n  user:\n    token: a\n");
  directory.write("b", "users:\n- name: v\n  user:\n    token: b\n- name: w\n  user: {}\n");
  change(rules({"a", "b"}), [](Kubeconfig& config) {
    config.users["u"].token = "1";
    config.users["v"].token = "2";
    config.users.erase("w");
    config.users["new"].token = "3";
  });
  EXPECT_EQ(text("a"),
            "apiVersion: v1\nkind: Config\nusers:\n- name: new\n  user:\n    token: \"3\"\n"
            "- name: u\n  user:\n    token: \"1\"\n");
  EXPECT_EQ(text("b"),
            "apiVersion: v1\nkind: Config\nusers:\n- name: v\n  user:\n    token: \"2\"\n");
}

TEST_F(Modify, CFG_60_ANewFileHasTheMode0600AndItsFoldersAreMade) {
  const LoadingRules fresh = rules({"x/y/config"});
  change(fresh, [](Kubeconfig& config) { config.clusters["k"].server = "https://h"; });
  EXPECT_EQ(mode("x/y/config"), 0600U);
  EXPECT_EQ(fresh.load().value().clusters.at("k").server, "https://h");
  ASSERT_TRUE(write_kubeconfig_file(directory / "z/config", {}));
  EXPECT_EQ(mode("z/config"), 0600U);
  EXPECT_EQ(text("z/config"), to_yaml({}));
}

TEST_F(Modify, SymbolicLinksAndModesOfExistingFilesStay) {
  directory.write("real", "users:\n- name: u\n");
  ASSERT_EQ(::chmod((directory / "real").c_str(), 0640), 0);
  fs::create_symlink(directory / "real", directory / "link");
  change(rules({"link"}), [](Kubeconfig& config) { config.users["u"].token = "t"; });
  EXPECT_TRUE(fs::is_symlink(directory / "link"));
  EXPECT_THAT(text("real"), HasSubstr("token: t"));
  EXPECT_EQ(mode("real"), 0640U);
}

TEST_F(Modify, ALinkToAFileThatDoesNotExistYetStays) {
  fs::create_directory(directory / "real");
  fs::create_symlink("real/next", directory / "link");
  fs::create_symlink(directory / "a", directory / "real/next");
  change(rules({"link"}), [](Kubeconfig& config) { config.contexts["c"].cluster = "k"; });
  EXPECT_TRUE(fs::is_symlink(directory / "link"));
  EXPECT_TRUE(fs::is_symlink(directory / "real/next"));
  EXPECT_TRUE(rules({"a"}).load().value().contexts.contains("c"));

  const std::string loop = directory / "loop";
  fs::create_symlink(loop, loop);
  EXPECT_THAT(write_kubeconfig_file(loop, {}).error().message(),
              HasSubstr("Too many levels of symbolic links"));
  EXPECT_TRUE(fs::is_symlink(loop));
}

TEST_F(Modify, TheOwnerOfAFileStays) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t kUser = 12345;
  constexpr gid_t kGroup = 23456;
  const std::string file = directory.write("a", "contexts: [{name: p}]\n");
  ASSERT_EQ(::chown(file.c_str(), kUser, kGroup), 0);
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  change(rules({"a"}), [](Kubeconfig& config) { config.contexts["q"].cluster = "k"; });
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, kUser);
  EXPECT_EQ(status.st_gid, kGroup);
  EXPECT_EQ(mode("a"), 0640U);
}

TEST_F(Modify, NewPathsBelowTheFolderAreRelative) {
  directory.write("a", "clusters:\n- cluster:\n    certificate-authority: ./old\n  name: k\n");
  change(rules({"a"}), [&](Kubeconfig& config) {
    config.users["u"].client_key = directory / "pki/key";
    config.users["u"].token_file = "/elsewhere/token";
    config.clusters["k"].server = "https://h";
  });
  EXPECT_EQ(text("a"),
            "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority: ./old\n"
            "    server: https://h\n  name: k\nkind: Config\nusers:\n- name: u\n  user:\n"
            "    client-key: pki/key\n    tokenFile: /elsewhere/token\n");
}

constexpr const char* kFirst =
    "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
    "clusters: [{name: k, cluster: {server: https://h}}]\n";

TEST_F(Modify, TokensOfAnAuthProviderAreStoredWhereTheyCameFrom) {
  directory.write("a", kFirst);
  directory.write(
      "b",
      "users:\n- name: u\n  user:\n    auth-provider:\n      name: oidc\n      config:\n"
      "        client-id: x  # ours\n        id-token: old\n");
  const auto config =
      load({.environment = [&](std::string_view name) -> std::optional<std::string> {
        if (name == "KUBECONFIG") return (directory / "a") + ":" + (directory / "b");
        return std::nullopt;
      }});
  ASSERT_TRUE(config) << config.error().to_string();
  rest::AuthProviderSettings settings = config->auth_provider->config;
  settings["id-token"] = "new";
  settings["refresh-token"] = "r";
  const auto stored = config->auth_provider->persist(settings);
  ASSERT_TRUE(stored) << stored.error().to_string();
  EXPECT_EQ(text("a"), kFirst);
  EXPECT_EQ(text("b"),
            "apiVersion: v1\nkind: Config\n"
            "users:\n- name: u\n  user:\n    auth-provider:\n      name: oidc\n      config:\n"
            "        client-id: x  # ours\n        id-token: new\n        refresh-token: r\n");
  directory.write("b", "users: []\n");
  const auto gone = config->auth_provider->persist(settings);
  ASSERT_FALSE(gone);
  EXPECT_THAT(gone.error().to_string(), HasSubstr("user \"u\" has no auth-provider any more"));
  EXPECT_THAT(gone.error().to_string(), Not(HasSubstr("new")));
}

TEST(SetProperty, FieldsAreSetByTheirNames) {
  Kubeconfig config;
  ASSERT_TRUE(set(config, "clusters.a.b.server", "https://h"));
  ASSERT_TRUE(set(config, "clusters.a.b.insecure-skip-tls-verify", "true"));
  ASSERT_TRUE(set(config, "clusters.a.b.certificate-authority-data", "Q0E="));
  ASSERT_TRUE(set(config, "users.u.client-key-data", "KEY", true));
  ASSERT_TRUE(set(config, "users.u.as", "me"));
  ASSERT_TRUE(set(config, "contexts.c.namespace", "web"));
  ASSERT_TRUE(set(config, "current-context", "c"));
  ASSERT_TRUE(set(config, "preferences.colors", "true"));
  Kubeconfig expected;
  expected.clusters["a.b"] = {
      .server = "https://h", .insecure_skip_tls_verify = true, .certificate_authority_data = "CA"};
  expected.users["u"] = {.client_key_data = "KEY", .impersonate = {.user_name = "me"}};
  expected.contexts["c"].namespace_ = "web";
  expected.current_context = "c";
  expected.preferences.colors = true;
  EXPECT_EQ(config, expected);

  ASSERT_TRUE(unset(config, "clusters.a.b.server"));
  EXPECT_EQ(config.clusters.at("a.b").server, "");
  ASSERT_TRUE(unset(config, "users.u"));
  EXPECT_TRUE(config.users.empty());
  ASSERT_TRUE(unset(config, "users.u")) << "as kubectl";
  ASSERT_TRUE(unset(config, "clusters"));
  ASSERT_TRUE(unset(config, "contexts"));
  ASSERT_TRUE(unset(config, "current-context"));
  ASSERT_TRUE(unset(config, "preferences"));
  EXPECT_EQ(config, Kubeconfig{});
}

TEST(SetProperty, WrongPropertiesAreNamedAndValuesAreNot) {
  const auto failure = [](const std::string& property, const std::string& value) {
    Kubeconfig config;
    const auto done = set(config, property, value);
    EXPECT_EQ(config, Kubeconfig{});
    return done ? "no error" : done.error().message();
  };
  EXPECT_EQ(failure("foo.bar", "secret"),
            "unknown property \"foo.bar\": expected clusters.NAME.FIELD, contexts.NAME.FIELD, "
            "users.NAME.FIELD, current-context or preferences.colors");
  EXPECT_EQ(
      failure("contexts.c.foo", "secret"),
      "can't set contexts.c.foo: expected contexts.NAME.FIELD with one of the fields cluster, "
      "user, namespace");
  EXPECT_EQ(failure("users.u.client-key-data", "*secret"),
            "users.u.client-key-data: expected base64");
  EXPECT_EQ(failure("clusters.k.disable-compression", "secret"),
            "clusters.k.disable-compression: expected true or false");
  EXPECT_EQ(failure("users.u.exec.command", "secret"),
            "can't set users.u.exec.command: it is not a single value");
  Kubeconfig config;
  EXPECT_EQ(unset(config, "users.z.token").error().message(),
            "can't unset users.z.token: \"z\" does not exist; users: none");
}

TEST(SetProperty, ContextsAreRenamedAndChosen) {
  Kubeconfig config;
  config.contexts["a"].cluster = "k";
  config.contexts["b"];
  ASSERT_TRUE(use_context(config, "a"));
  EXPECT_EQ(use_context(config, "x").error().message(), "no context exists with the name: \"x\"");
  EXPECT_FALSE(rename_context(config, "a", "b"));
  EXPECT_FALSE(rename_context(config, "x", "y"));
  ASSERT_TRUE(rename_context(config, "a", "z"));
  EXPECT_EQ(config.contexts.at("z").cluster, "k");
  EXPECT_FALSE(config.contexts.contains("a"));
  EXPECT_EQ(config.current_context, "z");
}

TEST_F(Modify, AFileThatCannotBeOpenedIsAnErrorAndNoneIsMadeInItsPlace) {
  const std::string loop = directory / "loop";
  std::filesystem::create_symlink(loop, loop);
  LoadingRules rules;
  rules.explicit_path = loop;
  const auto done = modify(rules, [](Kubeconfig& config) -> Result<void> {
    config.contexts["c"].cluster = "k";
    return {};
  });
  EXPECT_FALSE(done);
  EXPECT_TRUE(std::filesystem::is_symlink(loop));
}

}  // namespace
}  // namespace kube::kubeconfig
