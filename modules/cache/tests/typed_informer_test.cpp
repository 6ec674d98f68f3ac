// SPDX-License-Identifier: Apache-2.0
//
// Informers of generated types: decoding when somebody looks, once, and transforms of values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/meta/partial_object_metadata.hpp>

#include "scripted_run.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using ::testing::ElementsAre;
using testing::list_text;
using testing::object_text;
using testing::ScriptedCall;

class TypedInformer : public ::testing::Test, public testing::ScriptedRun {
 protected:
  void answer() {
    transport->on("GET", "/api/v1/pods", [](ScriptedCall call) {
      if (call.query("watch")) return;
      call.respond(200, list_text({object_text("x/a", "5", R"("labels":{"app":"web"})",
                                               R"("spec":{"nodeName":"n1"})"),
                                   object_text("x/b", "6", {}, R"("spec":{"nodeName":"n2"})")},
                                  "10"));
    });
  }
};

TEST_F(TypedInformer, HandsOutPodsThatDecodeWhenSomebodyLooks) {
  answer();
  SharedInformerFactory factory(client(), {.watch_list = false});
  const auto pods = factory.informer<Pod>();
  EXPECT_EQ(pods, factory.informer<Pod>());
  ASSERT_TRUE(pods->add_index("spec.nodeName", [](const Cached<Pod>& pod) {
    return std::vector<std::string>{pod->spec.node_name};
  }));
  std::vector<std::string> nodes;
  const auto registration = pods->add_event_handler(
      {.on_add = [&](const Cached<Pod>& pod, bool) { nodes.push_back(pod->spec.node_name); }});
  factory.start();
  EXPECT_TRUE(factory.wait_for_cache_sync({}));
  run();
  EXPECT_THAT(nodes, ElementsAre("n1", "n2"));
  const auto on_n2 = pods->indexer().by_index("spec.nodeName", "n2");
  ASSERT_EQ(on_n2->size(), 1U);
  EXPECT_EQ(on_n2->front().key(), "x/b");
  EXPECT_EQ(pods->lister().list(*labels::parse("app=web")).value().size(), 1U);

  const auto one = pods->lister().get("x/a");
  const auto two = pods->lister().get("x/a");
  EXPECT_EQ(one->get().value(), two->get().value()) << "decoded once, shared by all who look";
  Pod copy = **one;
  copy.spec.node_name = "elsewhere";
  EXPECT_EQ((*two)->spec.node_name, "n1");
}

TEST_F(TypedInformer, IDX_16_AnIndexOfPodsHasTheValuesOfTheUntypedOneAndGivesPods) {
  answer();
  SharedInformer<Pod> typed(client(), {.watch_list = false});
  SharedInformer<Unstructured> untyped(client(), testing::pods(), {.watch_list = false});
  ASSERT_TRUE(typed.add_index(
      "node", [](const Cached<Pod>& pod) { return std::vector{pod->spec.node_name}; }));
  ASSERT_TRUE(untyped.add_index("node", [](const Cached<Unstructured>& pod) {
    return std::vector{std::string(pod->content.string_at({"spec", "nodeName"}))};
  }));
  ASSERT_TRUE(typed.start());
  ASSERT_TRUE(untyped.start());
  ASSERT_TRUE(typed.wait_for_sync({}));
  ASSERT_TRUE(untyped.wait_for_sync({}));
  for (const char* node : {"n1", "n2"}) {
    const auto pods = typed.indexer().by_index("node", node);
    ASSERT_EQ(pods->size(), 1U);
    const Cached<Pod> pod = pods->front();
    EXPECT_EQ(pod->spec.node_name, node);
    const auto beside = typed.indexer().index("node", pod);
    EXPECT_EQ(beside->front().key(), pod.key());
    EXPECT_EQ(*typed.indexer().index_keys("node", node),
              *untyped.indexer().index_keys("node", node));
  }
  EXPECT_EQ(typed.indexer().count("node", "n3"), 0U);
}

TEST_F(TypedInformer, MetadataOfAnyResourceAreRequestedAndCached) {
  std::vector<std::string> accepted;
  const meta::ResourceInfo widgets{.group = "acme.com",
                                   .version = "v1",
                                   .kind = "Widget",
                                   .plural = "widgets",
                                   .singular = "widget"};
  transport->on("GET", "/apis/acme.com/v1/widgets", [&](ScriptedCall call) {
    accepted.emplace_back(call.request().headers.find("Accept").value_or(""));
    if (call.query("watch")) {
      call.head().data(
          R"({"type":"ADDED","object":{"kind":"Widget","apiVersion":"acme.com/v1",)"
          R"("metadata":{"name":"c","namespace":"x","uid":"u","resourceVersion":"11"},)"
          R"("spec":{}}})"
          "\n");
      return;
    }
    call.respond(200, R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",)"
                      R"("metadata":{"resourceVersion":"10"},"items":[{"metadata":{"name":"a",)"
                      R"("namespace":"x","resourceVersion":"5","labels":{"app":"web"}}}]})");
  });
  SharedInformer<meta::PartialObjectMetadata> informer(client(), widgets, {.watch_list = false});
  ASSERT_TRUE(informer.start());
  run();
  EXPECT_TRUE(informer.has_synced());
  const auto listed = informer.lister().get("x/a");
  const auto watched = informer.lister().get("x/c");
  ASSERT_TRUE(listed && watched);
  EXPECT_EQ((*listed)->metadata.labels.at("app"), "web");
  EXPECT_EQ((*watched)->metadata.uid, "u") << "the server sent all of it";
  ASSERT_GE(accepted.size(), 2U);
  EXPECT_EQ(accepted[0],
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
  EXPECT_EQ(accepted[1],
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
}

TEST_F(TypedInformer, ATransformedPodIsStoredAsItWasMade) {
  answer();
  for (const StoragePolicy storage : {StoragePolicy::Wire, StoragePolicy::Decoded}) {
    SharedInformer<Pod> pods(client(), {.storage = storage, .watch_list = false});
    ASSERT_TRUE(pods.set_transform([](Pod pod) -> Result<Pod> {
      pod.metadata.labels.clear();
      pod.spec.node_name += "-seen";
      return pod;
    }));
    ASSERT_TRUE(pods.start());
    ASSERT_TRUE(pods.wait_for_sync({}));
    const auto pod = pods.lister().get("x/a");
    ASSERT_TRUE(pod);
    EXPECT_EQ((*pod)->spec.node_name, "n1-seen");
    EXPECT_EQ(pod->resource_version(), "5");
    EXPECT_EQ(pods.lister().list(*labels::parse("app=web")).value().size(), 0U);
  }
}

}  // namespace
}  // namespace kube::cache
