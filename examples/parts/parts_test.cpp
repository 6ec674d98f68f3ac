// SPDX-License-Identifier: Apache-2.0
//
// The informer of parts beside a SharedInformer of the same server: both hear the same and have the
// same, through changes, a watch that breaks, and a version that the server has forgotten.
#include "parts_informer.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/base/mutex.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/api.hpp>
#include <kube/testing/eventually.hpp>

namespace {

using kube::Cached;
using kube::core::v1::ConfigMap;
using kube::testing::eventually;
using ::testing::ElementsAre;

/// What a handler has heard of each object, in order.
class History {
 public:
  kube::ResourceEventHandler<ConfigMap> handler() {
    return {
        .on_add =
            [this](const Cached<ConfigMap>& map, bool initial) {
              note(map.key(), (initial ? "initial " : "add ") + text(map));
            },
        .on_update =
            [this](const Cached<ConfigMap>& old, const Cached<ConfigMap>& map) {
              // Of unchanged objects both hear at each list.
              if (old.resource_version() == map.resource_version()) return;
              note(map.key(), "update " + text(old) + "->" + text(map));
            },
        .on_delete =
            [this](const kube::DeletedObject<ConfigMap>& gone) {
              note(gone.key.to_string(),
                   (gone.final_state_unknown ? "inferred " : "delete ") + text(gone.object));
            },
    };
  }
  std::map<std::string, std::vector<std::string>> heard() const {
    const kube::MutexLock lock(mutex_);
    return heard_;
  }

 private:
  static std::string text(const Cached<ConfigMap>& map) { return map->data.at("value"); }
  void note(std::string_view key, std::string what) {
    const kube::MutexLock lock(mutex_);
    heard_[std::string(key)].push_back(std::move(what));
  }
  mutable kube::Mutex mutex_;
  std::map<std::string, std::vector<std::string>> heard_ KUBE_GUARDED_BY(mutex_);
};

std::vector<std::string> content(const kube::Indexer<ConfigMap>& indexer) {
  std::vector<std::string> all;
  for (const auto& map : indexer.list()) {
    all.push_back(std::string(map.key()) + "@" + std::string(map.resource_version()));
  }
  std::sort(all.begin(), all.end());
  return all;
}

class Parts : public ::testing::Test {
 protected:
  Parts() {
    put("a", "1");
    put("b", "1");
    shared.start().value();
    parts.start().value();
  }
  static kube::Client client_of(const kube::apiserver::ApiServer& server) {
    kube::rest::Config config;
    config.host = server.url();
    return kube::Client::create(config).value();
  }
  void put(const std::string& name, const std::string& value) {
    ConfigMap map;
    map.metadata.name = name;
    map.data["value"] = value;
    if (auto old = maps.get(name)) {
      map.metadata.resource_version = old->metadata.resource_version;
      maps.update(map).value();
    } else {
      maps.create(map).value();
    }
  }
  /// Waits until both have heard of the change, whatever came before.
  void expect_both_hear(const std::string& name, const std::string& what) {
    for (const History* history : {&of_parts, &of_shared}) {
      ASSERT_TRUE(eventually([&] {
        const auto heard = history->heard();
        const auto at = heard.find("default/" + name);
        return at != heard.end() && at->second.back() == what;
      })) << what;
    }
  }
  void expect_equal() {
    EXPECT_EQ(content(parts.indexer()), content(shared.indexer()));
    EXPECT_EQ(of_parts.heard(), of_shared.heard());
    EXPECT_EQ(parts.indexer().by_index(kube::kNamespaceIndex, "default").value().size(),
              shared.indexer().size());
  }

  std::unique_ptr<kube::apiserver::ApiServer> start_server() {
    kube::apiserver::ApiServer::Options options;
    options.authorizer = [this](const kube::apiserver::AccessRequest& request) {
      return !refuses || (request.verb != "list" && request.verb != "watch");
    };
    return kube::apiserver::ApiServer::start(std::move(options)).value();
  }

  std::atomic<bool> refuses{false};  // lists and watches
  const std::unique_ptr<kube::apiserver::ApiServer> server = start_server();
  const kube::Client client = client_of(*server);
  const kube::Api<ConfigMap> maps = client.api<ConfigMap>("default");
  History of_parts;
  History of_shared;
  kube::SharedInformer<ConfigMap> shared{client.rest(), {.namespace_ = "default"}};
  const kube::HandlerRegistration registration = shared.add_event_handler(of_shared.handler());
  PartsInformer<ConfigMap> parts{client, "default", of_parts.handler()};
};

TEST_F(Parts, HearsAndHasWhatASharedInformerDoes) {
  ASSERT_TRUE(parts.wait_for_sync());
  ASSERT_TRUE(registration.wait_for_sync());
  EXPECT_THAT(of_parts.heard().at("default/a"), ElementsAre("initial 1"));
  expect_equal();

  put("c", "1");
  put("a", "2");
  put("a", "3");
  maps.delete_("b").value();
  put("b", "4");
  maps.delete_("b").value();
  put("last", "1");
  expect_both_hear("last", "add 1");
  EXPECT_THAT(of_parts.heard().at("default/a"),
              ElementsAre("initial 1", "update 1->2", "update 2->3"));
  EXPECT_THAT(of_parts.heard().at("default/b"),
              ElementsAre("initial 1", "delete 1", "add 4", "delete 4"));
  expect_equal();
}

TEST_F(Parts, GoesOnAfterAWatchThatBreaksAsASharedInformerDoes) {
  ASSERT_TRUE(parts.wait_for_sync());
  ASSERT_TRUE(registration.wait_for_sync());
  server->drop_connections();
  put("a", "2");
  maps.delete_("b").value();
  put("last", "1");
  expect_both_hear("last", "add 1");
  EXPECT_THAT(of_parts.heard().at("default/b"), ElementsAre("initial 1", "delete 1"))
      << "resumed: no list, which would infer it";
  expect_equal();
}

// No watch is open while things happen, and then the server forgets them: a list follows.
TEST_F(Parts, InfersTheDeletionsThatItHasMissedAsASharedInformerDoes) {
  ASSERT_TRUE(parts.wait_for_sync());
  ASSERT_TRUE(registration.wait_for_sync());
  refuses = true;
  server->drop_connections();
  put("a", "2");
  maps.delete_("b").value();
  put("c", "1");
  server->compact_all();
  refuses = false;
  expect_both_hear("a", "update 1->2");
  expect_both_hear("b", "inferred 1");
  expect_both_hear("c", "add 1");
  expect_equal();

  put("last", "1");
  expect_both_hear("last", "add 1");
  expect_equal();
}

TEST_F(Parts, GoesOnAfterAHandlerThatThrows) {
  std::atomic<int> updates{0};
  PartsInformer<ConfigMap> throwing(
      client, "default",
      {.on_add = [](const auto&, bool) { throw std::runtime_error("no such map"); },
       .on_update = [&](const auto&, const auto&) { ++updates; }});
  throwing.start().value();
  ASSERT_TRUE(throwing.wait_for_sync());
  ASSERT_TRUE(parts.wait_for_sync());
  EXPECT_EQ(throwing.failures(), 2);
  EXPECT_EQ(content(throwing.indexer()), content(parts.indexer()));
  put("a", "2");
  EXPECT_TRUE(eventually([&] { return updates == 1; }));
}

TEST_F(Parts, AStopEndsAWaitForTheSync) {
  refuses = true;
  PartsInformer<ConfigMap> stopped(client, "default", {});
  stopped.start().value();
  std::jthread other([&] { stopped.stop(); });
  EXPECT_FALSE(stopped.wait_for_sync());
}

}  // namespace
