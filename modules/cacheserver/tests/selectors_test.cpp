// SPDX-License-Identifier: Apache-2.0
//
// Lists by labels and fields that have an index: the same answers as those of the cluster, for
// objects whose bytes are in cells, while they change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster_fixture.hpp"

namespace kube::cacheserver::test {
namespace {

class SelectorsTest : public ClusterTest {
 protected:
  // Enough for an index to be worth it.
  void fill() {
    std::string all;
    for (int i = 0; i < 400; ++i) {
      const std::string n = std::to_string(i);
      const std::string spec = i % 40 == 1 ? R"("nodeName":"n)" + n + "\"" : "";
      all +=
          pod_json("p" + n, i % 40 == 0 ? R"("app":"rare")" : R"("app":"usual")", spec) + "\n---\n";
    }
    load(all);
  }
  void expect_equal_answers() {
    catch_up();
    for (const std::string target :
         {"/api/v1/pods?labelSelector=app%3Drare", "/api/v1/pods?labelSelector=app%3Drare&limit=4",
          "/api/v1/namespaces/web/pods?labelSelector=app%3Drare,x%21%3Dy",
          "/api/v1/namespaces/none/pods?labelSelector=app%3Drare",
          "/api/v1/pods?labelSelector=app%3Drare&fieldSelector=metadata.name%3Dp40",
          "/api/v1/pods?labelSelector=app%3Dnone", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn41",
          "/api/v1/pods?fieldSelector=spec.nodeName%3Dn41&labelSelector=app%3Dusual"}) {
      const Headers json = {{"Accept", "application/json"}};
      for (int again = 0; again < 3; ++again) {
        const Answer cluster_has = ask_cluster(target, json);
        const Answer cache_has = ask_cache(target, json);
        EXPECT_EQ(names_of(cache_has), names_of(cluster_has)) << target;
      }
    }
  }
  static std::vector<std::string> names_of(const Answer& answer) {
    std::vector<std::string> out;
    const json::Value body = answer.json();
    const json::Value* items = body.if_object()->find("items");
    for (const json::Value& each : *items->if_array()) {
      out.push_back(std::string(each.string_at({"metadata", "name"})) + " " +
                    std::string(each.string_at({"metadata", "resourceVersion"})));
    }
    return out;
  }
};

TEST_F(SelectorsTest, ListsByLabelAndByNodeEqualThoseOfTheClusterAsObjectsChange) {
  fill();
  serve(pods());
  expect_equal_answers();
  load(pod_json("p1", R"("app":"rare")", R"("nodeName":"n1")") + "\n---\n" +
       pod_json("p40", R"("app":"usual")") + "\n---\n" + pod_json("new", R"("app":"rare")"));
  HttpClient(cluster->port()).send("DELETE", std::string(kPods) + "/p80?gracePeriodSeconds=0");
  expect_equal_answers();
}

TEST_F(SelectorsTest, CellsInProtobufHaveAnIndexToo) {
  fill();
  serve_typed_pods();
  expect_equal_answers();
  load(pod_json("p40", R"("app":"usual")") + "\n---\n" + pod_json("new", R"("app":"rare")"));
  expect_equal_answers();
}

TEST_F(SelectorsTest, TheSecondPageOfASelectedListIsOfTheFirstOnesState) {
  fill();
  serve(pods());
  catch_up();
  const std::string target = "/api/v1/pods?limit=4&labelSelector=app%3Drare";
  for (int again = 0; again < 3; ++again) ask_cache(target);
  const Answer first = ask_cache(target);
  EXPECT_EQ(names_of(first).size(), 4U);
  const std::string token = first.at({"metadata", "continue"});
  ASSERT_NE(token, "");
  std::vector<std::string> before = names_of(ask_cache("/api/v1/pods?labelSelector=app%3Drare"));
  // After the first page: one is new, one is gone from it, one has changed.
  load(pod_json("z", R"("app":"rare")") + "\n---\n" + pod_json("p80", R"("app":"usual")") +
       "\n---\n" + pod_json("p360", R"("app":"rare","x":"y")"));
  catch_up();
  const Answer second = ask_cache("/api/v1/pods?labelSelector=app%3Drare&continue=" + token);
  std::vector<std::string> both = names_of(first);
  for (const std::string& each : names_of(second)) both.push_back(each);
  EXPECT_EQ(both, before);
}

}  // namespace
}  // namespace kube::cacheserver::test
