// SPDX-License-Identifier: Apache-2.0
//
// DiskCachedDiscovery. The files of kubectl below are recorded.
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include <kube/base/file.hpp>
#include <kube/client/cached_discovery.hpp>
#include <kube/testing/fake_clock.hpp>

#include "client_fixture.hpp"
#include "fake_discovery.hpp"

namespace kube {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

const meta::GroupVersion kCoreV1{"", "v1"};
const meta::GroupVersion kAppsV1{"apps", "v1"};

// From kubectl v1.37.1; older ones write the version of each kind.
constexpr const char* kGroupsOfKubectl =
    R"({"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"","versions":[{"groupVersion":"v1","version":"v1"}],"preferredVersion":{"groupVersion":"v1","version":"v1"}},{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}]}
)";
constexpr const char* kCoreOfKubectl =
    R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"bindings","singularName":"binding","namespaced":true,"kind":"Binding","verbs":["create"]},{"name":"pods/eviction","singularName":"pod","namespaced":true,"group":"policy","version":"v1","kind":"Eviction","verbs":["create"]},{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["create","delete"],"shortNames":["po"],"categories":["all"]}]}
)";

class DiskCache : public ClientTest {
 protected:
  ~DiskCache() override { fs::remove_all(root); }
  static fs::path new_root() {
    std::string name = (fs::temp_directory_path() / "disk-cache-XXXXXX").string();
    return ::mkdtemp(name.data());
  }
  std::unique_ptr<DiskCachedDiscovery> open(std::chrono::nanoseconds ttl = 1h) {
    return std::make_unique<DiskCachedDiscovery>(live, folder, ttl);
  }
  std::string file(const std::string& name) const { return folder + "/" + name; }
  static void age(const std::string& path, std::chrono::seconds by) {
    fs::last_write_time(path, fs::last_write_time(path) - by);
  }
  static unsigned mode(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777U;
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(file(name)).parent_path());
    std::ofstream(file(name), std::ios::binary) << text;
  }

  const fs::path root = new_root();
  const std::string folder = discovery_folder(root.string(), "https://127.0.0.1:6443");
  std::shared_ptr<FakeDiscovery> live = std::make_shared<FakeDiscovery>();
};

TEST_F(DiskCache, FoldersAreNamedAsKubectlNamesThem) {
  const std::string below = "/c/discovery/";
  EXPECT_EQ(discovery_folder("/c", "https://127.0.0.1:38985"), below + "127.0.0.1_38985");
  EXPECT_EQ(discovery_folder("/c", "http://h"), below + "h");
  EXPECT_EQ(discovery_folder("/c", "https://[::1]:6443/k8s/clusters/c-m-1"),
            below + "___1__6443/k8s/clusters/c_m_1");
  EXPECT_EQ(discovery_folder("/c", "a-b (c)_d.e\xc3\xa9"), below + "a_b_(c)_d.e__");
  const char* home = std::getenv("HOME");
  const std::string saved = home == nullptr ? "" : home;
  ::setenv("HOME", "/home/me", 1);
  ::unsetenv("KUBECACHEDIR");
  EXPECT_EQ(default_cache_root(), "/home/me/.kube/cache");
  ::setenv("KUBECACHEDIR", "/tmp/other", 1);
  EXPECT_EQ(default_cache_root(), "/tmp/other");
  ::unsetenv("KUBECACHEDIR");
  ::unsetenv("HOME");
  EXPECT_EQ(default_cache_root(), "");
  ::setenv("HOME", saved.c_str(), 1);
}

TEST_F(DiskCache, DISK_01_OneLiveCallThenTheFile) {
  const auto cache = open();
  EXPECT_TRUE(cache->fresh());
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(*cache->server_groups({}), SizeIs(2));
    EXPECT_EQ(cache->server_resources_for_group_version(kAppsV1, {}).value().resources.at(0).name,
              "deployments");
    EXPECT_TRUE(cache->fresh()) << "these files are its own";
  }
  EXPECT_EQ(live->group_calls, 1);
  EXPECT_EQ(live->resource_calls, 1);
}

TEST_F(DiskCache, DISK_02_AnotherObjectAnswersFromTheFilesAndIsNotFresh) {
  const auto all = *open()->server_groups_and_resources({});
  const int calls = live->resource_calls;
  const auto cache = open();
  EXPECT_TRUE(cache->fresh());
  const auto read = *cache->server_groups_and_resources({});
  EXPECT_FALSE(cache->fresh());
  EXPECT_EQ(read.groups, all.groups);
  ASSERT_EQ(read.resources.size(), all.resources.size());
  EXPECT_EQ(live->group_calls, 1);
  EXPECT_EQ(live->resource_calls, calls);
}

TEST_F(DiskCache, DISK_03_InvalidateIgnoresFilesOfOthersAndWritesThemAgain) {
  ASSERT_TRUE(open()->server_groups_and_resources({}));
  const auto cache = open();
  ASSERT_TRUE(cache->server_groups({}));
  cache->invalidate();
  EXPECT_EQ(live->invalidations, 1);
  EXPECT_TRUE(cache->fresh());
  age(file("servergroups.json"), 60s);
  const auto before = fs::last_write_time(file("servergroups.json"));
  ASSERT_TRUE(cache->server_groups({}));
  ASSERT_TRUE(cache->server_resources_for_group_version(kAppsV1, {}));
  EXPECT_EQ(live->group_calls, 2);
  EXPECT_EQ(live->resource_calls, 4);
  EXPECT_TRUE(cache->fresh());
  EXPECT_GT(fs::last_write_time(file("servergroups.json")), before);
  ASSERT_TRUE(cache->server_groups({}));
  EXPECT_EQ(live->group_calls, 2) << "its own file is used";
  EXPECT_TRUE(cache->fresh());
}

TEST_F(DiskCache, DISK_04_AFileIsUsedForItsTimeToLive) {
  const auto cache = open(1ns);
  ASSERT_TRUE(cache->server_groups({}));
  age(file("servergroups.json"), 1s);
  ASSERT_TRUE(cache->server_groups({}));
  EXPECT_EQ(live->group_calls, 2);
  const auto long_lived = open(2h);
  age(file("servergroups.json"), 7100s);
  ASSERT_TRUE(long_lived->server_groups({}));
  EXPECT_EQ(live->group_calls, 2);
  age(file("servergroups.json"), 101s);
  ASSERT_TRUE(long_lived->server_groups({}));
  EXPECT_EQ(live->group_calls, 3);
}

TEST_F(DiskCache, AFileIsOldAfterTenMinutesAndAfterSixHoursByTheClockOfTheRuntime) {
  const auto clock = std::make_shared<testing::FakeClock>();
  const Runtime at{.executor = std::make_shared<ThreadPool>(ThreadPool::Options{.clock = clock})};
  for (const auto ttl : {Duration(10min), Duration(DiscoveryCacheOptions{}.ttl)}) {
    DiskCachedDiscovery cache(live, folder, ttl, at);
    cache.invalidate();
    const int calls = live->group_calls;
    ASSERT_TRUE(cache.server_groups({}));
    ASSERT_EQ(live->group_calls, calls + 1);
    const DiskCachedDiscovery other(live, folder, ttl, at);
    clock->set_wall(WallTime(read_regular_file(file("servergroups.json")).value().modified));
    clock->advance(ttl);
    ASSERT_TRUE(other.server_groups({}));
    EXPECT_EQ(live->group_calls, calls + 1) << "it is as old as it may be";
    clock->advance(1s);
    ASSERT_TRUE(other.server_groups({}));
    EXPECT_EQ(live->group_calls, calls + 2);
  }
  EXPECT_EQ(DiscoveryCacheOptions{}.ttl, 6h);
}

TEST_F(DiskCache, DISK_05_Modes) {
  ASSERT_TRUE(open()->server_groups_and_resources({}));
  EXPECT_EQ(mode(folder), 0750U);
  EXPECT_EQ(mode(folder + "/apps"), 0750U);
  EXPECT_EQ(mode(folder + "/apps/v1beta1"), 0750U);
  EXPECT_EQ(mode(file("servergroups.json")), 0660U);
  EXPECT_EQ(mode(file("apps/v1beta1/serverresources.json")), 0660U);
  EXPECT_EQ(mode(file("v1/serverresources.json")), 0660U);
}

TEST_F(DiskCache, DISK_06_NothingAndErrorsAreNotWrittenAndAFailedWriteIsNoError) {
  const auto groups = live->groups.groups;
  live->groups.groups.clear();
  const auto cache = open();
  ASSERT_TRUE(cache->server_groups({}));
  live->group_error = Error(ErrorCode::Unreachable, "down");
  EXPECT_FALSE(cache->server_groups({}));
  live->lists.insert_or_assign(kAppsV1, ApiResourceList{kAppsV1, {}});
  ASSERT_TRUE(cache->server_resources_for_group_version(kAppsV1, {}));
  live->lists.insert_or_assign(kAppsV1, Error(ErrorCode::Unreachable, "down"));
  EXPECT_FALSE(cache->server_resources_for_group_version(kAppsV1, {}));
  EXPECT_FALSE(fs::exists(folder));

  live->group_error.reset();
  live->groups.groups = groups;
  std::ofstream(root / "discovery") << "a file where the folder should be";
  const auto recording = std::make_shared<testing::RecordingLogger>();
  const DiskCachedDiscovery unwritable(live, folder, 1h, {.logger = recording});
  EXPECT_THAT(*unwritable.server_groups({}), SizeIs(2));
  EXPECT_THAT(*unwritable.server_groups({}), SizeIs(2));
  EXPECT_FALSE(recording->entries().empty());
}

TEST_F(DiskCache, DISK_07_WhatIsNotTheDocumentIsAMiss) {
  int calls = 0;
  for (const char* text :
       {"", "{", "[]", R"({"kind":"APIGroupList","apiVersion":"v1","groups":[]})",
        R"({"kind":"APIGroupList","apiVersion":"v1","groups":7})",
        R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[]})"}) {
    write("servergroups.json", text);
    const auto cache = open();
    EXPECT_THAT(*cache->server_groups({}), SizeIs(2)) << text;
    EXPECT_EQ(live->group_calls, ++calls) << text;
    EXPECT_TRUE(cache->fresh()) << text;
  }
  write("apps/v1/serverresources.json", kCoreOfKubectl);
  EXPECT_THAT(open()->server_resources_for_group_version(kAppsV1, {}).value().resources, SizeIs(1))
      << "of another group version";
  fs::remove(file("servergroups.json"));
  ASSERT_EQ(::mkfifo(file("servergroups.json").c_str(), 0600), 0);
  EXPECT_TRUE(open()->server_groups({})) << "does not wait for a pipe";
}

TEST_F(DiskCache, WhatAFileSystemTakesNoFilesForIsAskedForEachTime) {
  const DiskCachedDiscovery cache(live, "/proc/discovery/127.0.0.1_6443", 1h);
  for (int i = 1; i <= 2; ++i) {
    EXPECT_TRUE(cache.server_groups_and_resources({}));
    EXPECT_EQ(live->group_calls, i);
  }
}

TEST_F(DiskCache, AFileThatTheDiskHasNoRoomForIsNotLeftInPart) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit little{.rlim_cur = 16, .rlim_max = before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const bool found = open()->server_groups_and_resources({}) && open()->server_groups({});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(found);
  EXPECT_EQ(live->group_calls, 2);
  for (const auto& each : fs::recursive_directory_iterator(folder))
    EXPECT_FALSE(each.is_regular_file()) << each.path();
}

TEST_F(DiskCache, AnEmptyFolderInThePlaceOfAFileIsReplaced) {
  for (const char* name : {"servergroups.json", "apps/v1/serverresources.json"}) {
    fs::remove_all(folder);
    fs::create_directories(file(name));
    ASSERT_TRUE(open()->server_groups_and_resources({}));
    EXPECT_TRUE(fs::is_regular_file(file(name))) << name;
  }
  const fs::path elsewhere = root / "elsewhere";
  fs::create_directories(elsewhere);
  fs::remove(file("servergroups.json"));
  fs::create_directory_symlink(elsewhere, file("servergroups.json"));
  ASSERT_TRUE(open()->server_groups({}));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file("servergroups.json"))));
  EXPECT_TRUE(fs::exists(elsewhere)) << "the target of a link is another's";
}

TEST_F(DiskCache, AFolderWithContentIsNotDeleted) {
  write("servergroups.json/deep/file", "x");
  EXPECT_THAT(open()->server_groups_and_resources({}).value().resources, SizeIs(3));
  EXPECT_TRUE(fs::exists(file("servergroups.json/deep/file")));
}

TEST_F(DiskCache, NamesThatLeadOutOfTheFolderHaveNoFile) {
  const fs::path outside = root / "outside";
  const std::vector<meta::GroupVersion> versions = {{outside.string(), "v1"},
                                                    {"../../../outside", "v1"},
                                                    {"", ".."},
                                                    {"apps", "../../../outside"}};
  fs::create_directories(folder);
  for (const meta::GroupVersion& version : versions) {
    const fs::path at = fs::path(folder) / version.group / version.version;
    fs::create_directories(at);
    std::ofstream(at / "serverresources.json") << kCoreOfKubectl;
    live->lists.emplace(version, ApiResourceList{version, {fake_resource("toys", "Toy")}});
  }
  const auto texts = [&] {
    std::map<std::string, std::string> found;
    for (const auto& each : fs::recursive_directory_iterator(root))
      if (each.is_regular_file()) found[each.path()] = read_file(each.path()).value();
    return found;
  };
  const auto before = texts();
  for (const auto& list : open()->server_resources_for_group_versions(versions)) {
    ASSERT_TRUE(list);
    EXPECT_EQ(list->resources.front().name, "toys") << "the server's, not the file's";
  }
  EXPECT_EQ(texts(), before);
}

TEST_F(DiskCache, AStaleGroupIsNamedByTheObjectThatAskedTheServer) {
  live->aggregated = true;
  const meta::GroupVersion stale{"metrics.io", "v1"};
  live->groups.groups.push_back({"metrics.io", {}, ""});
  live->groups.failed.emplace(stale, Error(ErrorCode::Server, "stale"));
  const DiskCachedDiscovery cache(std::make_shared<MemoryCachedDiscovery>(live), folder, 1h);
  for (int i = 0; i < 2; ++i) {
    const auto all = *cache.server_groups_and_resources({});
    EXPECT_THAT(all.resources, SizeIs(3));
    ASSERT_THAT(all.failed, SizeIs(1));
    EXPECT_EQ(all.failed.begin()->first, stale);
  }
  EXPECT_THAT(open()->server_groups_and_resources({}).value().failed, SizeIs(0))
      << "the files do not have it";
}

TEST_F(DiskCache, DISK_08_OneAggregatedPassServesAll) {
  live->aggregated = true;
  const DiskCachedDiscovery cache(std::make_shared<MemoryCachedDiscovery>(live), folder, 1h);
  EXPECT_THAT(cache.server_groups_and_resources({}).value().resources, SizeIs(3));
  EXPECT_EQ(live->group_calls, 1);
  EXPECT_EQ(live->resource_calls, 0);
  EXPECT_TRUE(fs::exists(file("apps/v1/serverresources.json")));
}

TEST_F(DiskCache, DISK_09_TheOpenApiClientAndItsDocumentsAreTheSameUntilInvalidate) {
  answer(200, R"({"paths":{"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1"}}})");
  live->openapi = [this] { return std::make_shared<const OpenApi>(make()); };
  const auto cache = open();
  const auto client = cache->openapi_v3();
  EXPECT_EQ(cache->openapi_v3(), client);
  const auto document = client->paths({}).value()->at("apis/apps/v1");
  EXPECT_EQ((*cache->openapi_v3()->paths({}))->at("apis/apps/v1"), document);
  cache->invalidate();
  EXPECT_NE(cache->openapi_v3(), client);
  EXPECT_NE((*cache->openapi_v3()->paths({}))->at("apis/apps/v1"), document);
}

TEST_F(DiskCache, ReadsWhatKubectlWrites) {
  write("servergroups.json", kGroupsOfKubectl);
  write("v1/serverresources.json", kCoreOfKubectl);
  const auto cache = open();
  EXPECT_THAT(*cache->server_groups({}),
              ElementsAre(ApiGroup{"", {"v1"}, "v1"}, ApiGroup{"apps", {"v1"}, "v1"}));
  const auto core = cache->server_resources_for_group_version(kCoreV1, {});
  ASSERT_TRUE(core);
  ASSERT_THAT(core->resources, SizeIs(3));
  EXPECT_EQ(core->resources[1].kind, (meta::GroupVersionKind{"policy", "v1", "Eviction"}));
  EXPECT_EQ(core->resources[2], (ApiResource{.name = "pods",
                                             .singular_name = "pod",
                                             .namespaced = true,
                                             .kind = {"", "v1", "Pod"},
                                             .verbs = {"create", "delete"},
                                             .short_names = {"po"},
                                             .categories = {"all"}}));
  EXPECT_EQ(live->group_calls + live->resource_calls, 0);
}

TEST_F(DiskCache, ReadsWhatOlderKubectlsWrite) {
  write("v1/serverresources.json",
        R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[
            {"name":"bindings","singularName":"binding","namespaced":true,"version":"v1",
             "kind":"Binding","verbs":["create"]}]})");
  const auto core = open()->server_resources_for_group_version(kCoreV1, {});
  ASSERT_TRUE(core);
  EXPECT_EQ(core->resources.at(0).kind, (meta::GroupVersionKind{"", "v1", "Binding"}));
}

TEST_F(DiskCache, WritesWhatKubectlWrites) {
  write("servergroups.json", kGroupsOfKubectl);
  write("v1/serverresources.json", kCoreOfKubectl);
  const auto reader = open();
  live->groups.groups = *reader->server_groups({});
  live->lists.insert_or_assign(kCoreV1, *reader->server_resources_for_group_version(kCoreV1, {}));
  const auto writer = open();
  writer->invalidate();
  ASSERT_TRUE(writer->server_groups({}));
  ASSERT_TRUE(writer->server_resources_for_group_version(kCoreV1, {}));
  EXPECT_EQ(read_file(file("servergroups.json")).value(), kGroupsOfKubectl);
  EXPECT_EQ(read_file(file("v1/serverresources.json")).value(), kCoreOfKubectl);
}

TEST_F(DiskCache, SeveralWritersAndReadersSeeWholeFiles) {
  std::vector<std::thread> users;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i) {
    users.emplace_back([&] {
      for (int round = 0; round < 25; ++round) {
        const auto cache = open();
        if (round % 2 == 0) cache->invalidate();
        const auto all = cache->server_groups_and_resources({});
        if (!all || all->resources.size() != 3 || !all->failed.empty()) ++wrong;
      }
    });
  }
  for (std::thread& user : users) user.join();
  EXPECT_EQ(wrong, 0);
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr(".json."))) << "a temporary file";
  }
}

TEST_F(DiskCache, AClientOfAConfigKeepsResponsesAndAsksByTheirETags) {
  const transport::Headers aggregated{
      {"Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"},
      {"ETag", "\"e\""},
      {"Vary", "Accept"}};
  const auto serve = [&](const std::string& path, const std::string& body) {
    server->on("GET", path, [=](ScriptedCall call) {
      const bool known = call.request().headers.find("If-None-Match").has_value();
      call.respond(known ? 304 : 200, known ? "" : body, aggregated);
    });
  };
  serve("/api", R"({"items":[{"metadata":{"name":""},"versions":[{"version":"v1","resources":[
    {"resource":"pods","responseKind":{"version":"v1","kind":"Pod"},"scope":"Namespaced",
     "singularResource":"pod","verbs":["get"]}]}]}]})");
  serve("/apis", R"({"items":[]})");
  const rest::Config config{.host = "https://127.0.0.1:6443", .bearer_token = "s3cret"};
  for (const bool first : {true, false}) {
    const auto cache =
        DiskCachedDiscovery::create(config, runtime, {.root = root.string(), .ttl = 1h}, server);
    ASSERT_TRUE(cache);
    if (!first) (*cache)->invalidate();
    EXPECT_THAT((*cache)->server_groups_and_resources({}).value().resources, SizeIs(1));
    EXPECT_EQ(sent(), first ? 2U : 4U);
    EXPECT_EQ(header(last_request(), "If-None-Match"), first ? "none" : "\"e\"");
    EXPECT_EQ(header(last_request(), "Authorization"), "Bearer s3cret");
  }
  EXPECT_TRUE(fs::exists(file("v1/serverresources.json")));
  for (const auto& entry : fs::directory_iterator(root / "http")) {
    if (!entry.is_regular_file()) continue;
    EXPECT_THAT(read_file(entry.path().string()).value(), Not(HasSubstr("s3cret")));
  }
  const auto cached =
      DiskCachedDiscovery::create(config, runtime, {.root = root.string(), .ttl = 1h}, server);
  EXPECT_THAT((*cached)->server_groups_and_resources({}).value().resources, SizeIs(1));
  EXPECT_EQ(sent(), 4U) << "nothing is asked";
}

}  // namespace
}  // namespace kube
