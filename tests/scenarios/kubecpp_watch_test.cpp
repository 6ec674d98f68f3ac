// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp watch` beside the changes that it tells of.
#include <csignal>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/client/api.hpp>
#include <kube/json/value.hpp>

#include "kubecpp_scenario.hpp"

namespace scenarios {
namespace {

namespace json = kube::json;
using ::testing::IsEmpty;

class KubecppWatchScenario : public KubecppScenario {
 protected:
  static std::string pod(const std::string& name, const std::string& app) {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", labels: {app: " + app +
           "}}\nspec: {containers: [{name: main, image: registry.example/app:1}]}\n";
  }
  kube::Unstructured read(const std::string& name) {
    return must(client_.api(kube::meta::resource_of<kube::core::v1::Pod>(), namespace_).get(name));
  }
  // What lines call the pod as it is now: key and version.
  std::string now(const std::string& name) {
    const kube::Unstructured pod = read(name);
    return namespace_ + "/" + name + " " + std::string(pod.resource_version());
  }
  // Lines on all that the server tells of, until that. A server may need several writes for one
  // deletion.
  std::vector<std::string> changes_since(const std::string& version, const std::string& last) {
    kube::ListOptions since;
    since.resource_version = version;
    since.timeout_seconds = kPatience.count();
    auto stream = must(client_.api<kube::core::v1::Pod>(namespace_).watch(since));
    std::vector<std::string> lines;
    while (lines.empty() || !lines.back().ends_with(last)) {
      const auto event = stream.next({});
      if (!event || !*event) break;
      const auto& metadata = (*event)->object.metadata;
      lines.push_back(((*event)->type == kube::WatchEventType::Added      ? "ADDED "
                       : (*event)->type == kube::WatchEventType::Modified ? "MODIFIED "
                       : (*event)->type == kube::WatchEventType::Deleted  ? "DELETED "
                                                                          : "other ") +
                      metadata.namespace_ + "/" + metadata.name + " " + metadata.resource_version);
    }
    return lines;
  }
  // Of what other tests left there are lines, too.
  std::vector<std::string> lines_of_ours(const std::string& text) const {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      if (line.starts_with("SYNCED ") || line.find(" " + namespace_ + "/") != std::string::npos) {
        lines.push_back(line);
      }
    }
    return lines;
  }
};

TEST_F(KubecppWatchScenario, PrintsALineForAllThatIsDoneAndEndsWellOnASignal) {
  create(pod("early", "a"));
  const std::string early = now("early");
  const auto pods = client_.api<kube::core::v1::Pod>(namespace_);
  const std::string listed = must(pods.list()).resource_version;
  const std::size_t before = must(client_.api<kube::core::v1::Pod>().list()).items.size();

  programs::Program watch(kubecpp_line({"watch", "pods", "-A"}));
  const std::string synced = "SYNCED " + std::to_string(before);
  ASSERT_TRUE(watch.prints(synced + "\n")) << watch.out() << watch.err();
  create(pod("late", "a"));
  const std::string created = now("late");
  ASSERT_TRUE(watch.prints("ADDED " + created + "\n")) << watch.out() << watch.err();
  label("pod", "late", "tier", "back");
  const std::string labelled = now("late");
  ASSERT_NE(labelled, created);
  ASSERT_TRUE(watch.prints("MODIFIED " + labelled + "\n")) << watch.out() << watch.err();
  remove("pod", "late");
  ASSERT_TRUE(watch.prints("DELETED " + namespace_ + "/late ")) << watch.out() << watch.err();
  label("pod", "early", "tier", "front");
  const std::string last = now("early");
  ASSERT_TRUE(watch.prints("MODIFIED " + last + "\n")) << watch.out() << watch.err();

  watch.send(SIGINT);
  EXPECT_EQ(watch.wait(), 0);
  EXPECT_THAT(watch.err(), IsEmpty());
  std::vector<std::string> lines = {"ADDED " + early, synced};
  for (std::string& line : changes_since(listed, last)) lines.push_back(std::move(line));
  EXPECT_EQ(lines_of_ours(watch.out()), lines);
}

TEST_F(KubecppWatchScenario, PrintsObjectsAsTheServerHasThemWhileTheyAreSelected) {
  programs::Program watch(
      kubecpp_line({"watch", "pods", "-n", namespace_, "-l", "app=a", "-o", "json"}));
  ASSERT_TRUE(watch.prints("{\"type\":\"SYNCED\",\"count\":0}\n")) << watch.out() << watch.err();
  create(pod("other", "b"));
  create(pod("ours", "a"));
  const kube::Unstructured created = read("ours");
  ASSERT_TRUE(watch.prints("{\"type\":\"ADDED\",")) << watch.out() << watch.err();
  label("pod", "ours", "tier", "back");
  const kube::Unstructured labelled = read("ours");
  ASSERT_TRUE(watch.prints("{\"type\":\"MODIFIED\",")) << watch.out() << watch.err();
  label("pod", "ours", "app", "b");
  ASSERT_TRUE(watch.prints("{\"type\":\"DELETED\",")) << watch.out() << watch.err();
  watch.send(SIGTERM);
  EXPECT_EQ(watch.wait(), 0);
  EXPECT_THAT(watch.err(), IsEmpty());

  std::vector<json::Value> events;
  std::istringstream stream(watch.out());
  for (std::string line; std::getline(stream, line);) events.push_back(must(json::parse(line)));
  ASSERT_EQ(events.size(), 4u) << watch.out();
  const auto is = [](const std::string& type, const json::Value& object) {
    return json::Value(json::Object{{"type", type}, {"object", object}});
  };
  EXPECT_EQ(events[1], is("ADDED", created.content));
  EXPECT_EQ(events[2], is("MODIFIED", labelled.content));
  EXPECT_EQ(*events[3].at_path({"type"}), json::Value("DELETED"));
  EXPECT_EQ(*events[3].at_path({"object", "metadata", "name"}), json::Value("ours"));
}

}  // namespace
}  // namespace scenarios
