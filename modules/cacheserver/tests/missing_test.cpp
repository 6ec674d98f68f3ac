// SPDX-License-Identifier: Apache-2.0
//
// A resource that the cluster has no more, and has again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/eventually.hpp>

#include "cluster_fixture.hpp"

namespace kube::cacheserver::test {
namespace {

using kube::testing::eventually;
using ::testing::HasSubstr;
using ::testing::Not;

class MissingTest : public ClusterTest {
 protected:
  static constexpr std::string_view kWidgets = "/apis/example.com/v1/widgets";

  void define_widgets() {
    load(R"({apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,
      metadata: {name: widgets.example.com},
      spec: {group: example.com, scope: Namespaced, names: {plural: widgets, kind: Widget},
             versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema:
               {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}})");
  }
  void load_widget(const std::string& name) {
    load("{apiVersion: example.com/v1, kind: Widget, metadata: {namespace: web, name: " + name +
         "}}");
  }
  void remove_definition() {
    const Answer removed =
        HttpClient(cluster->port())
            .send("DELETE",
                  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com");
    ASSERT_EQ(removed.status, 200) << removed.body;
  }
};

TEST_F(MissingTest, AResourceWhoseDefinitionIsDeletedIsA404AndHarmsNoOther) {
  define_widgets();
  load_widget("w");
  serve(pods());
  serve({"example.com", "v1", "Widget", "widgets", "widget", true});
  WatchClient watch(cache->port(), std::string(kWidgets) + "?watch=1");
  EXPECT_EQ(watch.next_text(), "ADDED w");

  remove_definition();
  ASSERT_TRUE(eventually([&] { return ask_cache(kWidgets).status == 404; }));
  while (watch.next()) {
  }
  EXPECT_TRUE(watch.ended_cleanly());
  for (const std::string& target :
       {std::string(kWidgets), std::string("/apis/example.com/v1/namespaces/web/widgets/w"),
        std::string("/apis/example.com/v1"), std::string("/apis"),
        std::string(kWidgets) + "?watch=1"}) {
    const Answer of_cluster = ask_cluster(target);
    const Answer of_cache = ask_cache(target);
    EXPECT_EQ(of_cache.status, of_cluster.status) << target;
    if (of_cluster.status != 200) {
      EXPECT_EQ(of_cache.body, of_cluster.body) << target;
    }
    EXPECT_THAT(of_cache.body, Not(HasSubstr("example.com"))) << target;
  }
  EXPECT_THAT(ask_cache("/page/resources").body, Not(HasSubstr("widgets")));
  const Answer ready = ask_cache("/readyz?verbose");
  EXPECT_EQ(ready.status, 200);
  EXPECT_THAT(ready.body, HasSubstr("[+]widgets.example.com ok; the cluster says that it has no "
                                    "such resource\n"));
  EXPECT_THAT(ready.body, HasSubstr("[+]pods ok\n"));

  define_widgets();
  load_widget("again");
  ASSERT_TRUE(eventually([&] {
    const Answer list = ask_cache(kWidgets);
    return list.status == 200 && list.body.find(R"("name":"again")") != std::string::npos;
  }));
  EXPECT_THAT(ask_cache(kWidgets).body, Not(HasSubstr(R"("name":"w")")));
  EXPECT_THAT(ask_cache("/apis").body, HasSubstr("example.com"));
  EXPECT_THAT(ask_cache("/readyz?verbose").body, HasSubstr("[+]widgets.example.com ok\n"));
}

TEST_F(MissingTest, AResourceThatNeverWasThereDoesNotCount) {
  serve(pods());
  AnyInformer informer(client->rest(), {"example.com", "v1", "Widget", "widgets", "widget", true});
  ASSERT_TRUE(cache->add(informer));
  EXPECT_EQ(ask_cache("/readyz").status, 503) << "nothing was asked yet";
  ASSERT_TRUE(informer.start());
  ASSERT_TRUE(eventually([&] { return ask_cache("/readyz").status == 200; }));
  EXPECT_EQ(ask_cache(kWidgets).status, 404);
}

}  // namespace
}  // namespace kube::cacheserver::test
