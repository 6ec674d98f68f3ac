// SPDX-License-Identifier: Apache-2.0
#include <kube/config/loading_rules.hpp>

#include <sys/stat.h>

#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/file.hpp>
#include <kube/config/client_config.hpp>
#include <kube/config/modify.hpp>

#include "temporary_directory.hpp"

namespace kube::kubeconfig {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LoadingRulesTest : public ::testing::Test {
 protected:
  LoadingRules rules(const std::string& list = "") {
    return LoadingRules::defaults([=, this](std::string_view name) -> std::optional<std::string> {
      if (name == "HOME") return directory.path().string();
      if (name == "KUBECONFIG" && !list.empty()) return list;
      return std::nullopt;
    });
  }
  rest::TemporaryDirectory directory;
};

TEST_F(LoadingRulesTest, CFG_38_Precedence) {
  const std::string home = directory / ".kube/config";
  EXPECT_THAT(rules().files(), ElementsAre(home));
  EXPECT_THAT(rules("/a").files(), ElementsAre("/a"));
  EXPECT_THAT(rules("/a:/b").files(), ElementsAre("/a", "/b"));
  EXPECT_THAT(rules("a:b:c:b:e:f::").files(), ElementsAre("a", "b", "c", "e", "f"));
  LoadingRules with_path = rules("/a:/b");
  with_path.explicit_path = "/x";
  EXPECT_THAT(with_path.files(), ElementsAre("/x"));
  std::vector<std::string> copy = with_path.files();
  copy.clear();
  EXPECT_THAT(with_path.files(), ElementsAre("/x"));
}

TEST_F(LoadingRulesTest, TheDefaultFileIsTheFirstThatExistsElseTheLast) {
  EXPECT_EQ(rules().default_file(), directory / ".kube/config");
  const std::string a = directory / "a";
  const std::string b = directory / "b";
  EXPECT_EQ(rules(a + ":" + b).default_file(), b);
  directory.write("a", "");
  EXPECT_EQ(rules(a + ":" + b).default_file(), a);
  LoadingRules with_path = rules(a);
  with_path.explicit_path = "/x";
  EXPECT_EQ(with_path.default_file(), "/x");
  EXPECT_EQ(LoadingRules{}.default_file(), "");
}

TEST_F(LoadingRulesTest, APipeIsReadAndAStopEndsTheWaitForIt) {
  const std::string pipe = directory / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string other = directory.write("other", "current-context: other");
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = rules(pipe + ":" + other).load(stop.get_token());
  ASSERT_FALSE(stopped) << "nobody writes to it";
  EXPECT_EQ(stopped.error().code(), ErrorCode::Cancelled);
  const auto config = DeferredClientConfig({.rules = rules(pipe)}).client_config(stop.get_token());
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code(), ErrorCode::Cancelled);

  std::jthread writer([&] { std::ofstream(pipe) << "current-context: piped"; });
  EXPECT_EQ(rules(pipe + ":" + other).load().value().current_context, "piped");
}

TEST_F(LoadingRulesTest, AFileThatAUserNamesMustNotBeAPipe) {
  const std::string pipe = directory / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string file = directory.write(
      "a",
      "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
      "clusters: [{name: k, cluster: {server: 'https://h', certificate-authority: pipe}}]\n"
      "users: [{name: u, user: {tokenFile: pipe}}]\n");
  const auto config = load({.path = file});
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message(), HasSubstr(pipe + ": not a regular file"));
  EXPECT_THAT(config.error().message(), HasSubstr("tokenFile: " + pipe + ": not a regular file"));
}

// In PowerShell, > writes UTF-16.
TEST_F(LoadingRulesTest, Utf16IsReadByItsByteOrderMark) {
  const std::u16string text = u"\uFEFFcurrent-context: \u00fc\U0001F600\xD800\r\n";
  std::string little;
  std::string big;
  for (const char16_t unit : text) {
    const auto low = static_cast<char>(unit & 0xFF);
    const auto high = static_cast<char>(unit >> 8);
    little += {low, high};
    big += {high, low};
  }
  for (const std::string& bytes : {little, big}) {
    const std::string file = directory.write("a", bytes);
    const auto config = read_kubeconfig_file(file);
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_EQ(config->current_context, "\u00fc\U0001F600\uFFFD");
    LoadingRules changed;
    changed.explicit_path = file;
    ASSERT_TRUE(modify(changed, [](Kubeconfig& other) -> Result<void> {
      other.current_context = "c";
      return {};
    }));
    EXPECT_THAT(read_file(file).value(), HasSubstr("current-context: c"))
        << "it is UTF-8 now, as kubectl writes it";
  }
}

TEST_F(LoadingRulesTest, WhyThereIsNoFileIsSaid) {
  LoadingRules empty = rules(":");
  EXPECT_THAT(empty.files(), IsEmpty());
  EXPECT_EQ(empty.why_no_file(), "KUBECONFIG names no file");
  const auto config = load({.environment = [](std::string_view name) {
    return name == "KUBECONFIG" ? std::optional<std::string>(":") : std::nullopt;
  }});
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message(), HasSubstr("KUBECONFIG names no file"));
  const auto without = load({.environment = [](std::string_view) { return std::nullopt; }});
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().message(), HasSubstr("neither KUBECONFIG nor HOME is set"));
}

TEST_F(LoadingRulesTest, CFG_26_MissingFilesAreAnEmptyConfigAndAWarning) {
  std::vector<std::string> warnings;
  LoadingRules missing = rules((directory / "a") + ":" + (directory / "b"));
  EXPECT_EQ(missing.load().value(), Kubeconfig{});
  missing.warn = [&](const std::string& text) { warnings.push_back(text); };
  EXPECT_EQ(missing.load().value(), Kubeconfig{});
  EXPECT_THAT(warnings,
              ElementsAre("Config not found: " + (directory / "a") + ", " + (directory / "b")));
  warnings.clear();
  directory.write("b", "{}");
  EXPECT_TRUE(missing.load());
  LoadingRules home = rules();
  home.warn = missing.warn;
  EXPECT_TRUE(home.load());
  EXPECT_THAT(warnings, IsEmpty());
}

// As root, the tests can read what permissions forbid: a loop of links can't be read by root
// either.
TEST_F(LoadingRulesTest, OnlyAMissingFileIsSkippedNotOneThatCannotBeOpened) {
  const std::string loop = directory / "loop";
  std::filesystem::create_symlink(loop, loop);
  const std::string below = directory.write("file", "{}") + "/below";
  const std::string other =
      directory.write("other", "current-context: other\ncontexts: [{name: other}]");
  for (const std::string& path : {loop, below}) {
    EXPECT_FALSE(is_missing(path)) << path;
    LoadingRules both = rules(path + ":" + other);
    std::vector<std::string> warnings;
    both.warn = [&](const std::string& text) { warnings.push_back(text); };
    const auto loaded = both.load();
    ASSERT_FALSE(loaded) << path;
    EXPECT_THAT(loaded.error().message(),
                ::testing::StartsWith("error loading config file \"" + path + "\": "));
    EXPECT_EQ(both.default_file(), path) << "nothing is written into another file";

    // It is not a pod that has no kubeconfig.
    const std::string pod = directory.write("pod/token", "t");
    rest::InClusterOptions in_cluster{
        .directory = (directory / "pod"), .environment = [](std::string_view name) {
          return name == "POD_NAMESPACE" ? std::nullopt : std::optional<std::string>("1");
        }};
    const auto config =
        DeferredClientConfig({.rules = rules(path), .in_cluster = in_cluster}).client_config();
    ASSERT_FALSE(config) << path;
    EXPECT_FALSE(is_empty_config(config.error()));
  }
  std::filesystem::create_symlink(directory / "nowhere", directory / "dangling");
  EXPECT_TRUE(is_missing(directory / "dangling"));
  EXPECT_EQ(rules((directory / "dangling") + ":" + other).load().value().current_context, "other");
}

TEST_F(LoadingRulesTest, CFG_28_TheFirstCurrentContextWinsAndAnExplicitPathIgnoresTheOthers) {
  const std::string a = directory.write("a", "current-context: one\ncontexts: [{name: one}]");
  const std::string b = directory.write("b", "current-context: two\ncontexts: [{name: two}]");
  const Kubeconfig both = rules(a + ":" + b).load().value();
  EXPECT_EQ(both.current_context, "one");
  EXPECT_EQ(both.contexts.size(), 2U);
  LoadingRules with_path = rules(a);
  with_path.explicit_path = b;
  const Kubeconfig alone = with_path.load().value();
  EXPECT_EQ(alone.current_context, "two");
  EXPECT_EQ(alone.contexts.size(), 1U);
}

TEST_F(LoadingRulesTest, CFG_29_EveryFieldOfAUserComesFromTheFirstFile) {
  const std::string a = directory.write("a", "users: [{name: u, user: {token: first}}]");
  const std::string b =
      directory.write("b", "users: [{name: u, user: {token: second, username: only-second}}]");
  const Kubeconfig both = rules(a + ":" + b).load().value();
  EXPECT_EQ(both.users.at("u"), AuthInfo{.token = "first"});
  EXPECT_EQ(both.users.at("u").origin.file, a);
}

TEST_F(LoadingRulesTest, CFG_30_DisjointFilesMergeIntoAllEntriesByName) {
  const std::string list =
      directory.write("1", "clusters: [{name: d, cluster: {server: s1}}]\nusers: [{name: w}]") +
      ":" +
      directory.write("2", "clusters: [{name: c, cluster: {server: s2}}]\nusers: [{name: x}]") +
      ":" +
      directory.write("3", "clusters: [{name: b, cluster: {server: s3}}]\nusers: [{name: v}]") +
      ":" +
      directory.write("4", "clusters: [{name: a, cluster: {server: s4}}]\nusers: [{name: u}]");
  EXPECT_EQ(to_yaml(rules(list).load().value()),
            "apiVersion: v1\nclusters:\n"
            "- cluster:\n    server: s4\n  name: a\n- cluster:\n    server: s3\n  name: b\n"
            "- cluster:\n    server: s2\n  name: c\n- cluster:\n    server: s1\n  name: d\n"
            "contexts: null\ncurrent-context: \"\"\nkind: Config\nusers:\n"
            "- name: u\n  user: {}\n- name: v\n  user: {}\n- name: w\n  user: {}\n"
            "- name: x\n  user: {}\n");
}

TEST_F(LoadingRulesTest, WhatCanBeReadIsReturnedWithTheMistakesOfTheRest) {
  const std::string list = directory.write("a", "clusters: 1\nusers: 2") + ":" +
                           directory.write("b", "users: [{name: u}]") + ":" +
                           directory.write("c", "contexts: 3");
  const Loaded loaded = rules(list).load_partly();
  EXPECT_TRUE(loaded.config.users.contains("u"));
  ASSERT_TRUE(loaded.error);
  EXPECT_EQ(loaded.error->message(),
            (directory / "a") + ": line 1: clusters: expected a list, got number\n" +
                (directory / "a") + ": line 2: users: expected a list, got number\n" +
                (directory / "c") + ": line 1: contexts: expected a list, got number");
  EXPECT_FALSE(rules(list).load());
}

TEST_F(LoadingRulesTest, CFG_36_MigrationCopiesContentAndPermissions) {
  const auto mode_of = [](const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 0777U;
  };
  const std::string source = directory.write("old", "current-context: old");
  ASSERT_EQ(::chmod(source.c_str(), 0750), 0);
  const std::string target = directory / "sub/new";
  LoadingRules migrating = rules(target);
  migrating.migrations = {{target, source}, {directory / "none", directory / "missing"}};
  EXPECT_EQ(migrating.load().value().current_context, "old");
  EXPECT_EQ(read_file(target).value(), "current-context: old");
  EXPECT_EQ(mode_of(target), 0640U);
  EXPECT_FALSE(std::filesystem::exists(directory / "none"));

  directory.write("old", "current-context: newer");
  EXPECT_EQ(migrating.load().value().current_context, "old") << "an existing destination stays";

  migrating.migrations = {{directory / "other", directory.path().string()}};
  const auto folder = migrating.load();
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message(), HasSubstr("because it is a directory"));
}

}  // namespace
}  // namespace kube::kubeconfig
