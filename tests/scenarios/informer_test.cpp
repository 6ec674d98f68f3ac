// SPDX-License-Identifier: Apache-2.0
//
// Informers against a live server: sync, changes, relist after compaction, threads.
#include <dirent.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/client/api.hpp>
#include <kube/meta/errors.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

using kube::Cached;
using kube::core::v1::ConfigMap;

ConfigMap config_map(const std::string& name, const std::string& value) {
  ConfigMap map;
  map.metadata.name = name;
  map.metadata.labels["scenario"] = "informer";
  map.data["value"] = value;
  return map;
}

// What a handler saw, as text, under a lock.
class History {
 public:
  void add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  std::size_t size() const { return lines().size(); }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

kube::ResourceEventHandler<ConfigMap> record(History& history) {
  return {
      .on_add =
          [&history](const auto& map, bool initial) {
            history.add(std::string(initial ? "initial " : "add ") + std::string(map.name()) + "=" +
                        map->data.at("value"));
          },
      .on_update =
          [&history](const auto& before, const auto& map) {
            history.add("update " + std::string(map.name()) + " " + before->data.at("value") +
                        "->" + map->data.at("value"));
          },
      .on_delete = [&history](const auto& deleted) { history.add("delete " + deleted.key.name); },
  };
}

class InformerScenario : public Scenario {
 protected:
  kube::InformerOptions here() const {
    kube::InformerOptions options;
    options.namespace_ = namespace_;
    options.label_selector = "scenario=informer";
    return options;
  }
};

TEST_F(InformerScenario, SyncsAndThenFollowsEveryChange) {
  const auto api = client_.api<ConfigMap>(namespace_);
  must(api.create(config_map("a", "1")));
  must(api.create(config_map("b", "1")));

  kube::SharedInformer<ConfigMap> informer(client_.rest(), here());
  History history;
  const auto registration = informer.add_event_handler(record(history));
  EXPECT_FALSE(informer.has_synced());
  must(informer.start());
  ASSERT_TRUE(informer.wait_for_sync({}));
  ASSERT_TRUE(registration.wait_for_sync({}));
  EXPECT_EQ(informer.lister().list().size(), 2u);

  ConfigMap a = must(api.get("a"));
  a.data["value"] = "2";
  must(api.update(a));
  must(api.create(config_map("c", "1")));
  must(api.delete_("b"));
  ASSERT_TRUE(eventually([&] { return history.size() >= 5; }));
  std::vector<std::string> lines = history.lines();
  std::sort(lines.begin(), lines.begin() + 2);
  EXPECT_EQ(lines, (std::vector<std::string>{"initial a=1", "initial b=1", "update a 1->2",
                                             "add c=1", "delete b"}));

  const auto cached = informer.lister().get(namespace_, "a");
  ASSERT_TRUE(cached);
  EXPECT_EQ((*cached)->data.at("value"), "2");
  EXPECT_TRUE(kube::is_not_found(informer.lister().get(namespace_, "b").error()));
  EXPECT_EQ(informer.indexer().count(kube::kNamespaceIndex, namespace_), 2u);
}

TEST_F(InformerScenario, AHandlerAddedLateHearsOfAllThereIs) {
  const auto api = client_.api<ConfigMap>(namespace_);
  must(api.create(config_map("a", "1")));
  kube::SharedInformer<ConfigMap> informer(client_.rest(), here());
  must(informer.start());
  ASSERT_TRUE(informer.wait_for_sync({}));
  History history;
  auto registration = informer.add_event_handler(record(history));
  ASSERT_TRUE(registration.wait_for_sync({}));
  EXPECT_EQ(history.lines(), std::vector<std::string>{"initial a=1"});

  registration.unregister_and_wait();
  must(api.create(config_map("b", "1")));
  ASSERT_TRUE(eventually([&] { return informer.lister().list().size() == 2; }));
  EXPECT_EQ(history.size(), 1u) << "a removed handler hears nothing";
}

TEST_F(InformerScenario, RelistsAfterACompactionAndMissesNothing) {
  const auto api = client_.api<ConfigMap>(namespace_);
  must(api.create(config_map("kept", "1")));
  must(api.create(config_map("gone", "1")));
  const std::string old_version = must(api.list()).resource_version;
  for (int i = 0; i < 5; ++i) must(api.create(config_map("later-" + std::to_string(i), "1")));
  must(api.delete_("gone"));
  if (!compact_history())
    GTEST_SKIP() << "KUBE_SCENARIO_COMPACT is not set: no way to compact this server";

  // A watch from before the compaction is refused, as a status or as an error event.
  ASSERT_TRUE(eventually([&] {
    kube::ListOptions from_old;
    from_old.resource_version = old_version;
    from_old.timeout_seconds = 1;
    const auto expired = [](const kube::Error& error) {
      return kube::is_resource_expired(error) || kube::is_gone(error);
    };
    auto stream = api.watch(from_old);
    if (!stream) return expired(stream.error());
    const auto event = stream->next();
    return event && *event && (*event)->error && expired(*(*event)->error);
  }));

  // An informer lists again and ends with the truth.
  kube::SharedInformer<ConfigMap> informer(client_.rest(), here());
  must(informer.start());
  ASSERT_TRUE(informer.wait_for_sync({}));
  EXPECT_TRUE(eventually([&] { return informer.lister().list().size() == 6; }));
}

std::size_t threads_of_this_process() {
  DIR* folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return 0;
  std::size_t count = 0;
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] != '.') ++count;
  }
  ::closedir(folder);
  return count;
}

TEST_F(InformerScenario, FiftyInformersUseNoMoreThreadsThanOne) {
  const auto api = client_.api<ConfigMap>(namespace_);
  must(api.create(config_map("a", "1")));
  const auto start_one = [&] {
    auto informer = std::make_unique<kube::SharedInformer<ConfigMap>>(client_.rest(), here());
    must(informer->start());
    return informer;
  };
  std::vector<std::unique_ptr<kube::SharedInformer<ConfigMap>>> informers;
  informers.push_back(start_one());
  ASSERT_TRUE(informers.back()->wait_for_sync({}));
  const std::size_t with_one = threads_of_this_process();
  while (informers.size() < 50) informers.push_back(start_one());
  for (const auto& informer : informers) ASSERT_TRUE(informer->wait_for_sync({}));
  EXPECT_EQ(threads_of_this_process(), with_one);
  RecordProperty("threads_with_one_informer", static_cast<int>(with_one));
  must(api.create(config_map("b", "1")));
  for (const auto& informer : informers) {
    EXPECT_TRUE(eventually([&] { return informer->lister().list().size() == 2; }));
  }
}

}  // namespace
}  // namespace scenarios
