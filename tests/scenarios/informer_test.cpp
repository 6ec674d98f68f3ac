// SPDX-License-Identifier: Apache-2.0
//
// Informers against a live server: sync, changes, relist after compaction, threads.
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
  EXPECT_EQ(informer.status().watches, 1u) << "the stream of the initial state goes on";

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

// The network fails, the world goes on, the server forgets: the watch that is opened again gets
// 410.
TEST_F(InformerScenario, ARunningInformerRelistsAfterACompactionAndMissesNothing) {
  const auto api = client_.api<ConfigMap>(namespace_);
  must(api.create(config_map("kept", "1")));
  must(api.create(config_map("gone", "1")));
  const auto transport = new_observed_transport();
  const kube::Client client = new_client(transport);
  kube::SharedInformer<ConfigMap> informer(client.rest(), here());
  History history;
  const auto registration = informer.add_event_handler(record(history));
  must(informer.start());
  ASSERT_TRUE(registration.wait_for_sync({}));
  ASSERT_TRUE(eventually([&] { return transport->watches() == 1; }));
  const std::string old_version = informer.last_sync_resource_version();

  transport->set_cut(true);
  for (int i = 0; i < 3; ++i) must(api.create(config_map("later-" + std::to_string(i), "1")));
  ConfigMap kept = must(api.get("kept"));
  kept.data["value"] = "2";
  must(api.update(kept));
  must(api.delete_("gone"));
  ASSERT_TRUE(compact_history()) << "KUBE_SCENARIO_COMPACT is not set: no way to compact";
  must(api.create(config_map("newest", "1")));
  EXPECT_EQ(informer.last_sync_resource_version(), old_version) << "cut off";
  EXPECT_EQ(informer.status().lists, 1u);
  transport->set_cut(false);

  ASSERT_TRUE(eventually([&] { return history.size() >= 8; }));
  EXPECT_EQ(informer.status().lists, 2u) << "a watch from the old version can't have been served";
  std::vector<std::string> lines = history.lines();
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"add later-0=1", "add later-1=1", "add later-2=1",
                                             "add newest=1", "delete gone", "initial gone=1",
                                             "initial kept=1", "update kept 1->2"}));
  EXPECT_EQ(informer.lister().list().size(), 5u);

  // And watches on.
  must(api.create(config_map("live", "1")));
  EXPECT_TRUE(eventually([&] { return informer.lister().list().size() == 6; }));
  EXPECT_EQ(informer.status().lists, 2u);
}

TEST_F(InformerScenario, TwoHundredInformersWithAHandlerEachUseNoMoreThreadsThanOne) {
  const auto api = client_.api<ConfigMap>(namespace_);
  must(api.create(config_map("a", "1")));
  std::atomic<int> calls{0};
  struct Started {
    std::unique_ptr<kube::SharedInformer<ConfigMap>> informer;
    kube::HandlerRegistration registration;
  };
  const auto start_one = [&] {
    Started one{std::make_unique<kube::SharedInformer<ConfigMap>>(client_.rest(), here()), {}};
    one.registration =
        one.informer->add_event_handler({.on_add = [&](const auto&, bool) { ++calls; }});
    must(one.informer->start());
    return one;
  };
  std::vector<Started> informers;
  informers.push_back(start_one());
  ASSERT_TRUE(informers.back().registration.wait_for_sync({}));
  const std::size_t with_one = threads_of_this_process();
  while (informers.size() < 200) informers.push_back(start_one());
  for (const Started& each : informers) ASSERT_TRUE(each.registration.wait_for_sync({}));
  EXPECT_EQ(threads_of_this_process(), with_one);
  RecordProperty("threads_with_one_informer", static_cast<int>(with_one));
  must(api.create(config_map("b", "1")));
  EXPECT_TRUE(eventually([&] { return calls == 400; }));
  EXPECT_EQ(threads_of_this_process(), with_one);
}

}  // namespace
}  // namespace scenarios
