// SPDX-License-Identifier: Apache-2.0
//
// Lists, pages, selectors and watches as a client sees them.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/informer_watcher.hpp>
#include <kube/client/api.hpp>
#include <kube/client/list_pager.hpp>
#include <kube/meta/errors.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

using kube::core::v1::ConfigMap;
using kube::core::v1::Pod;
using Type = kube::WatchEventType;

class ListWatchScenario : public Scenario {
 protected:
  kube::Api<ConfigMap> maps() { return client_.api<ConfigMap>(namespace_); }
  ConfigMap create(const std::string& name, const std::string& tier) {
    ConfigMap map;
    map.metadata.name = name;
    map.metadata.labels["tier"] = tier;
    map.metadata.labels["scenario"] = "list";
    return must(maps().create(map));
  }
  std::set<std::string> names(const std::string& labels, const std::string& fields = {}) {
    kube::ListOptions options;
    options.label_selector = labels;
    options.field_selector = fields;
    std::set<std::string> result;
    for (const ConfigMap& map : must(maps().list(options))) result.insert(map.metadata.name);
    return result;
  }
  using Names = std::set<std::string>;
};

TEST_F(ListWatchScenario, SelectorsSelect) {
  create("a", "web");
  create("b", "web");
  create("c", "db");
  EXPECT_EQ(names("tier=web"), (Names{"a", "b"}));
  EXPECT_EQ(names("tier!=web,scenario"), Names{"c"});
  EXPECT_EQ(names("tier in (db, cache)"), Names{"c"});
  EXPECT_EQ(names("tier notin (db),scenario=list"), (Names{"a", "b"}));
  EXPECT_EQ(names("scenario,!missing"), (Names{"a", "b", "c"}));
  EXPECT_EQ(names("", "metadata.name=b"), Names{"b"});
  EXPECT_EQ(names("scenario", "metadata.name!=b"), (Names{"a", "c"}));
}

TEST_F(ListWatchScenario, BadSelectorsAreBadRequests) {
  kube::ListOptions labels;
  labels.label_selector = "tier in (";
  const auto bad_label = maps().list(labels);
  ASSERT_FALSE(bad_label);
  EXPECT_TRUE(kube::is_bad_request(bad_label.error())) << bad_label.error().to_string();
  kube::ListOptions fields;
  fields.field_selector = "data.color=red";
  const auto bad_field = maps().list(fields);
  ASSERT_FALSE(bad_field);
  EXPECT_TRUE(kube::is_bad_request(bad_field.error())) << bad_field.error().to_string();
}

TEST_F(ListWatchScenario, PagesGiveEachObjectOnceInOneVersion) {
  for (int i = 0; i < 7; ++i) create("page-" + std::to_string(i), "web");
  kube::ListOptions options;
  options.limit = 3;
  options.label_selector = "scenario=list";
  std::vector<std::string> seen;
  std::set<std::string> versions;
  int pages = 0;
  do {
    const auto page = must(maps().list(options));
    for (const ConfigMap& map : page) seen.push_back(map.metadata.name);
    versions.insert(page.resource_version);
    options.continue_ = page.continue_;
    ++pages;
    if (pages == 1) create("page-9-late", "web");  // not part of this list any more
  } while (!options.continue_.empty() && pages < 10);
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_EQ(versions.size(), 1u);

  options.continue_.clear();
  EXPECT_EQ(must(maps().list_all(options)).size(), 8u);
}

TEST_F(ListWatchScenario, AWatchTellsWhatHappenedSinceTheList) {
  create("before", "web");
  const std::string version = must(maps().list()).resource_version;
  ConfigMap a = create("a", "web");
  a.data["x"] = "y";
  must(maps().update(a));
  must(maps().delete_("a"));

  kube::ListOptions since;
  since.resource_version = version;
  since.timeout_seconds = kPatience.count();
  auto stream = must(maps().watch(since));
  const std::vector<Type> expected{Type::Added, Type::Modified, Type::Deleted};
  std::string last_version;
  for (const Type type : expected) {
    const auto event = stream.next({});
    ASSERT_TRUE(event && *event) << "the watch ended early";
    EXPECT_EQ((*event)->type, type);
    EXPECT_EQ((*event)->object.metadata.name, "a");
    EXPECT_NE((*event)->object.metadata.resource_version, last_version);
    last_version = (*event)->object.metadata.resource_version;
  }
  create("live", "web");
  const auto live = stream.next({});
  ASSERT_TRUE(live && *live);
  EXPECT_EQ((*live)->object.metadata.name, "live");
}

TEST_F(ListWatchScenario, AWatchWithASelectorSeesObjectsEnterAndLeave) {
  ConfigMap map = create("moving", "db");
  kube::ListOptions web;
  web.label_selector = "tier=web";
  web.resource_version = map.metadata.resource_version;
  web.timeout_seconds = kPatience.count();
  auto stream = must(maps().watch(web));
  map.metadata.labels["tier"] = "web";
  map = must(maps().update(map));
  map.metadata.labels["tier"] = "db";
  must(maps().update(map));
  for (const Type type : {Type::Added, Type::Deleted}) {
    const auto event = stream.next({});
    ASSERT_TRUE(event && *event);
    EXPECT_EQ((*event)->type, type);
  }
}

TEST_F(ListWatchScenario, AWatchEndsWhenItsTimeIsOver) {
  kube::ListOptions short_one;
  short_one.timeout_seconds = 1;
  short_one.resource_version = must(maps().list()).resource_version;
  short_one.field_selector = "metadata.name=nobody";
  auto stream = must(maps().watch(short_one));
  EXPECT_FALSE(stream.next({}).has_value());
  EXPECT_TRUE(stream.end_reason());
}

TEST_F(ListWatchScenario, AWatchFromACompactedVersionIsGone) {
  const std::string old_version = must(maps().list()).resource_version;
  for (int i = 0; i < 3; ++i) create("later-" + std::to_string(i), "web");
  // To here it can be served.
  kube::ListOptions since;
  since.resource_version = old_version;
  since.timeout_seconds = kPatience.count();
  auto before = must(maps().watch(since));
  const auto first = before.next({});
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->object.metadata.name, "later-0");
  before.stop();

  ASSERT_TRUE(compact_history()) << "KUBE_SCENARIO_COMPACT is not set: no way to compact";
  create("newest", "web");
  // A status or an error event: both are said to be allowed.
  const kube::Error refused = [&]() -> kube::Error {
    auto stream = maps().watch(since);
    if (!stream) return stream.error();
    const auto event = stream->next({});
    if (!event) return {kube::ErrorCode::Internal, "the watch ended without an event"};
    if (!*event) return event->error();
    if ((*event)->error) return *(*event)->error;
    return {kube::ErrorCode::Internal, "an event: " + (*event)->object.metadata.name};
  }();
  EXPECT_EQ(refused.http_status(), 410) << refused.to_string();
  EXPECT_TRUE(kube::is_resource_expired(refused) || kube::is_gone(refused)) << refused.to_string();

  // From a new list on it goes.
  since.resource_version = must(maps().list()).resource_version;
  auto stream = must(maps().watch(since));
  create("live", "web");
  const auto live = stream.next({});
  ASSERT_TRUE(live && *live);
  EXPECT_EQ((*live)->object.metadata.name, "live");
}

// Of pods: bookmarks come from a server's watch cache, which the ConfigMaps of ours do not have.
TEST_F(ListWatchScenario, AnIdleWatchGetsABookmarkFromWhichTheNextOneResumes) {
  const auto pods = client_.api<Pod>(namespace_);
  const auto create_pod = [&](const std::string& name) {
    Pod pod;
    pod.metadata.name = name;
    auto& container = pod.spec.containers.emplace_back();
    container.name = "main";
    container.image = "registry.example/app:1";
    return must(pods.create(pod));
  };
  kube::ListOptions since;
  since.resource_version = must(pods.list()).resource_version;
  since.timeout_seconds = 6;  // A bookmark comes about two seconds before the end.
  kube::ListOptions bookmarks = since;
  bookmarks.allow_watch_bookmarks = true;
  auto plain = must(pods.watch(since));
  auto with_bookmarks = must(pods.watch(bookmarks));
  const Pod first = create_pod("first");

  std::string bookmark;
  std::vector<Type> seen;
  while (const auto event = with_bookmarks.next({})) {
    ASSERT_TRUE(*event) << event->error().to_string();
    seen.push_back((*event)->type);
    if ((*event)->type == Type::Bookmark) bookmark = (*event)->object.metadata.resource_version;
  }
  EXPECT_TRUE(with_bookmarks.end_reason());
  ASSERT_GE(seen.size(), 2u);
  EXPECT_EQ(seen.front(), Type::Added);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_EQ(seen[i], Type::Bookmark);
  ASSERT_NE(bookmark, "");
  EXPECT_GE(std::stoull(bookmark), std::stoull(first.metadata.resource_version));

  seen.clear();
  while (const auto event = plain.next({})) {
    ASSERT_TRUE(*event) << event->error().to_string();
    seen.push_back((*event)->type);
  }
  EXPECT_EQ(seen, std::vector<Type>{Type::Added}) << "nobody asked for bookmarks";

  create_pod("second");
  since.resource_version = bookmark;
  auto resumed = must(pods.watch(since));
  const auto next = resumed.next({});
  ASSERT_TRUE(next && *next);
  EXPECT_EQ((*next)->object.metadata.name, "second");
}

TEST_F(ListWatchScenario, PagesAreReadAheadWhileOneIsVisited) {
  Names expected;
  for (int i = 0; i < 7; ++i) expected.insert(create("m" + std::to_string(i), "web").metadata.name);
  Names visited;
  must(kube::for_each_ahead(maps(), {.label_selector = "scenario=list", .limit = 2},
                            [&](const ConfigMap& map) -> kube::Result<void> {
                              visited.insert(map.metadata.name);
                              return {};
                            }));
  EXPECT_EQ(visited, expected);
}

TEST_F(ListWatchScenario, AnInformerIsReadAsAWatch) {
  create("old", "web");
  kube::InformerWatcher<ConfigMap> watcher(
      client_.rest(), {.namespace_ = namespace_, .label_selector = "scenario=list"});
  must(watcher.start());
  ASSERT_TRUE(watcher.wait_for_sync({}));
  create("new", "web");
  must(maps().delete_("old"));
  std::vector<std::pair<Type, std::string>> seen;
  for (int i = 0; i < 3; ++i) {
    const auto event = watcher.next();
    ASSERT_TRUE(event && *event);
    seen.emplace_back((*event)->type, (*event)->object.metadata.name);
  }
  EXPECT_EQ(seen, (std::vector<std::pair<Type, std::string>>{
                      {Type::Added, "old"}, {Type::Added, "new"}, {Type::Deleted, "old"}}));
}

TEST_F(ListWatchScenario, PodsAreSelectedByPhaseAndNode) {
  const auto pods = client_.api<Pod>(namespace_);
  for (const char* name : {"pending", "done"}) {
    Pod pod;
    pod.metadata.name = name;
    auto& container = pod.spec.containers.emplace_back();
    container.name = "main";
    container.image = "registry.example/app:1";
    pod = must(pods.create(pod));
    if (std::string(name) == "done") {
      pod.status.phase = "Succeeded";
      must(pods.update_status(pod));
    }
  }
  kube::ListOptions active;
  active.field_selector = "status.phase!=Succeeded,status.phase!=Failed,spec.nodeName=";
  const auto list = must(pods.list(active));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list.items.front().metadata.name, "pending");
}

}  // namespace
}  // namespace scenarios
