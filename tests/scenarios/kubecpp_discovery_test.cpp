// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp api-resources` and `api-versions` beside kubectl's, and the discovery cache that both
// use.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <kube/client/cached_discovery.hpp>

#include "kubecpp_scenario.hpp"

namespace scenarios {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class KubecppDiscoveryScenario : public KubecppScenario {
 protected:
  // Runs either program with the test's cache folder.
  std::string kubecpp_with_cache(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--cache-dir", cache_});
    return printed_by(programs::run(kubecpp_line(std::move(arguments))));
  }
  std::string kubectl_with_cache(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--cache-dir", cache_});
    return kubectl_prints(std::move(arguments));
  }
  // The folder of this server.
  fs::path discovery() const {
    return kube::discovery_folder(cache_, client_.rest().config().host);
  }
  static std::string content(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  // Renames the pods in the cache, so that only a reader of the cache sees the new name.
  void rename_pods() const {
    const fs::path file = discovery() / "v1" / "serverresources.json";
    std::string text = content(file);
    const std::string pods = R"({"name":"pods",)";
    const std::size_t at = text.find(pods);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, pods.size(), R"({"name":"peas",)");
    std::ofstream(file, std::ios::binary) << text;
  }
  std::vector<std::string> names_below(const fs::path& folder) const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) names.insert(fs::relative(entry.path(), folder).string());
    }
    return {names.begin(), names.end()};
  }
  // How often either program has asked the server for its groups, by the server's audit log.
  static std::size_t discoveries(const fs::path& log) {
    std::ifstream lines(log);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) {
      const auto has = [&](const char* text) { return line.find(text) != std::string::npos; };
      if (!has(R"("userAgent":"kubectl/)") && !has(R"("userAgent":"kubecpp/)")) continue;
      for (const char* path : {R"("requestURI":"/api")", R"("requestURI":"/api?)",
                               R"("requestURI":"/apis")", R"("requestURI":"/apis?)"})
        if (has(path)) ++count;
    }
    return count;
  }
  const std::string cache_ = folder_.path("shared-cache");
};

TEST_F(KubecppDiscoveryScenario, PrintsWhatKubectlPrints) {
  if (!has_kubectl()) GTEST_SKIP() << "there is no kubectl of today in PATH";
  const std::vector<Arguments> lines = {{"api-versions"},
                                        {"api-resources"},
                                        {"api-resources", "-o", "wide"},
                                        {"api-resources", "-o", "name", "--sort-by", "name"},
                                        {"api-resources", "-o", "wide", "--sort-by", "kind"},
                                        {"api-resources", "--namespaced=false", "--no-headers"},
                                        {"api-resources", "--namespaced", "--verbs", "list,create"},
                                        {"api-resources", "--categories", "all"},
                                        {"api-resources", "--api-group", "apps", "--cached"},
                                        {"api-resources", "--api-group", ""}};
  for (const Arguments& line : lines) {
    SCOPED_TRACE(::testing::PrintToString(line));
    EXPECT_EQ(kubecpp_with_cache(line), kubectl_with_cache(line));
  }
}

TEST_F(KubecppDiscoveryScenario, KubectlReadsOurCache) {
  if (!has_kubectl()) GTEST_SKIP() << "there is no kubectl of today in PATH";
  kubecpp_with_cache({"api-resources"});
  rename_pods();
  const std::string cached = kubectl_with_cache({"api-resources", "--cached", "-o", "name"});
  EXPECT_THAT(cached, HasSubstr("peas\n"));
  EXPECT_THAT(cached, Not(HasSubstr("pods\n")));
  if (!on_real_server()) return;  // the embedded one sends no ETags
  for (const auto& entry : fs::directory_iterator(fs::path(cache_) / "http")) {
    if (!entry.is_regular_file()) continue;
    EXPECT_THAT(content(entry.path()), Not(HasSubstr("X-From-Cache")));
  }
  EXPECT_THAT(kubectl_with_cache({"api-resources", "-o", "name"}), HasSubstr("pods\n"));
  int files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(cache_) / "http")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    EXPECT_THAT(content(entry.path()), HasSubstr("X-From-Cache: 1"))
        << "kubectl stores what a 304 has confirmed with this mark: it has used our file";
  }
  EXPECT_EQ(files, 2) << "/api and /apis, under kubectl's names";
}

TEST_F(KubecppDiscoveryScenario, WeReadTheCacheOfKubectl) {
  if (!has_kubectl()) GTEST_SKIP() << "there is no kubectl of today in PATH";
  kubectl_with_cache({"api-resources"});
  const std::vector<std::string> files = names_below(cache_);
  rename_pods();
  const std::string cached = kubecpp_with_cache({"api-resources", "--cached", "-o", "name"});
  EXPECT_THAT(cached, HasSubstr("peas\n"));
  EXPECT_THAT(cached, Not(HasSubstr("pods\n")));
  EXPECT_THAT(kubecpp_with_cache({"api-resources", "-o", "name"}), HasSubstr("pods\n"));
  EXPECT_EQ(names_below(cache_), files) << "the same files under the same names";
}

TEST_F(KubecppDiscoveryScenario, AfterOneProgramTheOtherAsksForNoDiscovery) {
  const char* const files = std::getenv("KUBE_SCENARIO_SERVER_FILES");
  const fs::path log = files == nullptr ? fs::path() : fs::path(files) / "audit.log";
  if (!has_kubectl() || log.empty() || !fs::exists(log))
    GTEST_SKIP() << "needs kubectl, and a server with an audit log (./dev cluster up --audit)";
  const Arguments get = {"get", "configmaps", "--namespace", namespace_, "-o", "name"};
  for (const bool kubectl_first : {false, true}) {
    SCOPED_TRACE(kubectl_first ? "kubectl first" : "kubecpp first");
    fs::remove_all(cache_);
    const std::size_t before = discoveries(log);
    kubectl_first ? kubectl_with_cache(get) : kubecpp_with_cache(get);
    EXPECT_EQ(discoveries(log), before + 2) << "/api and /apis";
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(kubecpp_with_cache(get), kubectl_with_cache(get));
      EXPECT_EQ(discoveries(log), before + 2);
    }
  }
}

TEST_F(KubecppDiscoveryScenario, AnOlderCacheIsReadAgainForANameThatItDoesNotHave) {
  kubecpp_with_cache({"api-resources"});
  rename_pods();
  EXPECT_EQ(kubecpp_with_cache({"get", "pods", "--namespace", namespace_, "-o", "name"}), "");
  EXPECT_THAT(content(discovery() / "v1" / "serverresources.json"), HasSubstr(R"("name":"pods")"));
  const auto unknown = programs::run(
      kubecpp_line({"get", "peas", "--namespace", namespace_, "--cache-dir", cache_}));
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("the server doesn't have a resource type \"peas\""));
}

}  // namespace
}  // namespace scenarios
