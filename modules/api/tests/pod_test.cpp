// SPDX-License-Identifier: Apache-2.0
//
// The generated types as users see them.
#include <kube/api/core/v1/pod.hpp>

#include <gtest/gtest.h>

#include <type_traits>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/secret.hpp>
#include <kube/codec/codec.hpp>
#include <kube/meta/watch_event.hpp>

namespace kube::core::v1 {
namespace {

// What is not there must not take room: optional messages are held out of line.
static_assert(sizeof(Container) <= 700);
static_assert(sizeof(Volume) <= 300);
static_assert(sizeof(Pod) <= 2600);

static_assert(Object<Pod>);
static_assert(Object<PodList>);
static_assert(Described<Container>);
static_assert(!Object<Container>);
static_assert(std::is_aggregate_v<Pod>);
static_assert(std::is_nothrow_move_constructible_v<PodSpec>);

TEST(Pod, IsAPlainValue) {
  Pod pod{.metadata = {.name = "web-0", .namespace_ = "default"},
          .spec = {.containers = {{.name = "main", .image = "nginx"}}, .node_name = "node-1"}};
  pod.spec.security_context.ensure().run_as_user = 1000;
  pod.spec.volumes.push_back(
      {.name = "scratch",
       .empty_dir = EmptyDirVolumeSource{.medium = std::string(StorageMedium::Memory)}});
  pod.status.phase = PodPhase::Running;

  EXPECT_EQ(meta::to_json(pod),
            R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0","namespace":"default"},)"
            R"("spec":{"volumes":[{"name":"scratch","emptyDir":{"medium":"Memory"}}],)"
            R"("containers":[{"name":"main","image":"nginx","resources":{}}],"nodeName":"node-1",)"
            R"("securityContext":{"runAsUser":1000}},"status":{"phase":"Running"}})");
  const auto back = meta::from_json<Pod>(meta::to_json(pod));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, pod);
  EXPECT_EQ(back->status.phase, PodPhase::Running);

  Pod next = pod;
  next.spec.containers[0].image = "nginx:2";
  EXPECT_NE(next, pod);
}

TEST(Pod, NamesItsResource) {
  const meta::ResourceInfo info = meta::resource_of<Pod>();
  EXPECT_EQ(info.group, "");
  EXPECT_EQ(info.api_version(), "v1");
  EXPECT_EQ(info.kind, "Pod");
  EXPECT_EQ(info.plural, "pods");
  EXPECT_TRUE(info.namespaced);
}

TEST(Pod, ErrorsNameTheField) {
  const auto pod =
      meta::from_json<Pod>(R"({"kind":"Pod","spec":{"containers":[{"name":"a","image":7}]}})");
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().to_string(),
            "read Pod: spec.containers[0].image: expected a string, found a number at offset 56");
}

TEST(PodList, ReadsItemsWithoutKinds) {
  const auto list = meta::from_json<PodList>(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}},{}]})");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->metadata.resource_version, "7");
  EXPECT_EQ(list->items.size(), 2U);
  EXPECT_EQ(meta::to_json(*meta::from_json<PodList>(R"({"items":[]})")),
            R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]})");
  EXPECT_EQ(meta::to_json(PodList()),
            R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":null})");
}

TEST(Secret, HoldsBytes) {
  const Secret secret{.data = {{"key", std::string("\0\x01", 2)}}};
  EXPECT_EQ(meta::to_json(secret),
            R"({"kind":"Secret","apiVersion":"v1","metadata":{},"data":{"key":"AAE="}})");
  EXPECT_EQ(*meta::from_json<Secret>(meta::to_json(secret)), secret);
}

TEST(ConfigMap, WritesItsKeysSorted) {
  ConfigMap map;
  map.data = {{"b", "2"}, {"a", "1"}, {"B", "3"}, {"\xc3\xa9", "4"}};
  EXPECT_EQ(meta::to_json(map),
            "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{},"
            "\"data\":{\"B\":\"3\",\"a\":\"1\",\"b\":\"2\",\"\xc3\xa9\":\"4\"}}");
}

TEST(WatchEvent, CarriesAnObjectAsItCame) {
  const auto event =
      meta::from_json<meta::WatchEvent>(R"({"type":"ADDED","object":{"kind":"Pod","x":[1, 2]}})");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, "ADDED");
  EXPECT_EQ(event->object.raw, R"({"kind":"Pod","x":[1, 2]})");
  EXPECT_EQ(meta::to_json(*event), R"({"type":"ADDED","object":{"kind":"Pod","x":[1,2]}})");
}

}  // namespace
}  // namespace kube::core::v1
