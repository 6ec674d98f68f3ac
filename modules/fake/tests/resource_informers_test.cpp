// SPDX-License-Identifier: Apache-2.0
//
// Informers of resources known by name alone, on an API server.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/mutex.hpp>
#include <kube/cache/index_functions.hpp>
#include <kube/cache/resource_informer_factory.hpp>
#include <kube/client/api.hpp>
#include <kube/client/rest_mapper.hpp>
#include <kube/fake/fake_client.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/matchers.hpp>
#include <kube/testing/object_matchers.hpp>
#include <kube/validation/runtime_schema.hpp>

namespace kube::fake {
namespace {

using kube::testing::eventually;
using kube::testing::HasKey;
using kube::testing::HasLabel;
using kube::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

/// The objects of a resource that no program has a type for.
constexpr std::string_view kWidgetDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

/// What the handlers of one informer were called with: "add x/a", "update x/a", "delete x/a".
template <class T>
class Seen {
 public:
  ResourceEventHandler<T> handler() {
    return {
        .on_add = [this](const Cached<T>& object, bool) { note("add", object); },
        .on_update = [this](const Cached<T>&, const Cached<T>& object) { note("update", object); },
        .on_delete = [this](const DeletedObject<T>& gone) { note("delete", gone.object); }};
  }
  std::vector<std::string> lines() const {
    const MutexLock lock(mutex_);
    return lines_;
  }
  bool await(const std::string& line) const {
    return eventually([&] {
      const auto all = lines();
      return std::find(all.begin(), all.end(), line) != all.end();
    });
  }

 private:
  void note(const std::string& what, const Cached<T>& object) {
    const MutexLock lock(mutex_);
    lines_.push_back(what + " " + std::string(object.key()));
  }
  mutable Mutex mutex_;
  std::vector<std::string> lines_ KUBE_GUARDED_BY(mutex_);
};

class ResourceInformersTest : public ::testing::Test {
 protected:
  static inline const meta::GroupVersionResource kMaps{"", "v1", "configmaps"};
  static inline const meta::GroupVersionResource kWidgets{"example.com", "v1", "widgets"};

  void SetUp() override {
    auto started = FakeClient::start(kWidgetDefinition);
    ASSERT_THAT(started, IsOk());
    fake = *std::move(started);
  }
  void create(const std::string& kind, const std::string& key, const std::string& app = "a",
              const std::string& more = "") {
    const std::size_t slash = key.find('/');
    const std::string text =
        "{apiVersion: " + std::string(kind == "Widget" ? "example.com/v1" : "v1") +
        ", kind: " + kind + ", metadata: {namespace: " + key.substr(0, slash) +
        ", name: " + key.substr(slash + 1) + ", labels: {app: " + app + "}}" + more + "}";
    ASSERT_THAT(fake->server().load_text(text), IsOk());
  }

  std::unique_ptr<FakeClient> fake;
  Seen<Unstructured> seen;
};

TEST_F(ResourceInformersTest, DINF_01_AnInformerOfANamespaceSeesItsObjectsAlone) {
  DynamicSharedInformerFactory factory(fake->client().rest(), {.namespace_ = "ns-a"});
  const auto informer = factory.for_resource(kMaps);
  const auto registration = informer->add_event_handler(seen.handler());
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}));
  create("ConfigMap", "ns-b/other");
  create("ConfigMap", "ns-a/mine");
  ASSERT_TRUE(seen.await("add ns-a/mine"));
  EXPECT_THAT(seen.lines(), ElementsAre("add ns-a/mine")) << "ns-b/other was written before it";
  EXPECT_THAT(informer->lister().list(), ElementsAre(HasKey("ns-a/mine")));
}

TEST_F(ResourceInformersTest, DINF_02_TheServerAppliesTheSelectorsOfTheFactory) {
  struct Case {
    std::string labels;
    std::string fields;
    std::vector<std::string> expected;
  };
  create("ConfigMap", "x/a", "web");
  create("ConfigMap", "x/b", "db");
  create("ConfigMap", "x/c", "web");
  const std::vector<Case> cases = {
      {"", "", {"x/a", "x/b", "x/c"}},
      {"app=web", "", {"x/a", "x/c"}},
      {"app in (web,db)", "metadata.name=b", {"x/b"}},
      {"app=none", "", {}},
      {"", "metadata.name=c", {"x/c"}},
      {"", "metadata.name!=c,metadata.namespace=x", {"x/a", "x/b"}},
      {"app=web", "metadata.name=b", {}},
  };
  for (const Case& each : cases) {
    DynamicSharedInformerFactory factory(
        fake->client().rest(),
        {.namespace_ = "x", .label_selector = each.labels, .field_selector = each.fields});
    const auto informer = factory.for_resource(kMaps);
    factory.start();
    ASSERT_TRUE(factory.wait_for_cache_sync({}));
    std::vector<std::string> keys = informer->indexer().list_keys();
    std::erase_if(keys, [](const std::string& key) { return !key.starts_with("x/"); });
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(keys, each.expected) << each.labels << " | " << each.fields;
  }
}

TEST_F(ResourceInformersTest, DINF_04_NothingNeedsToBeKnownOfTheResource) {
  DynamicSharedInformerFactory factory(fake->client().rest());
  const auto informer = factory.for_resource(kWidgets);
  const auto registration = informer->add_event_handler(seen.handler());
  create("Widget", "x/a", "a", ", spec: {size: 3}");
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}));
  create("Widget", "x/b");
  ASSERT_TRUE(seen.await("add x/b"));
  const auto widget = informer->lister().get("x/a");
  ASSERT_THAT(widget, IsOk());
  const Cached<Unstructured> found = *widget;
  EXPECT_EQ(found->kind(), "Widget");
  EXPECT_THAT(seen.lines(), ElementsAre("add x/a", "add x/b"));
}

TEST_F(ResourceInformersTest, AKindIsFoundByTheMapperOfTheClient) {
  DynamicSharedInformerFactory factory(fake->client().rest());
  for (const char* name : {"Widget", "widgets", "widget"}) {
    const auto found = factory.for_kind("example.com/v1", name);
    ASSERT_THAT(found, IsOk());
    EXPECT_EQ(*found, factory.for_resource(kWidgets)) << "the same informer";
  }
  const auto missing = factory.for_kind("example.com/v1", "Gadget");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(is_no_match(missing.error()));
  const auto resource =
      resource_by_kind(fake->client().rest(), "example.com/v1", "Widget", {}).value();
  EXPECT_EQ(resource, (meta::ResourceInfo{"example.com", "v1", "Widget", "widgets", "widget"}));
  EXPECT_FALSE(resource_by_kind(fake->client().rest(), "v1", "Node", {}).value().namespaced);
}

TEST_F(ResourceInformersTest, AnIndexReadsAFieldOfATypeWhoseSchemaIsReadWhileTheProgramRuns) {
  std::string definition(kWidgetDefinition);
  const std::string any = "type: object, x-kubernetes-preserve-unknown-fields: true";
  definition.replace(definition.find(any), any.size(),
                     "type: object, properties: {spec: {type: object, properties: "
                     "{color: {type: string}, size: {type: integer}}}}");
  const auto schema = meta::RuntimeSchema::from_crds(definition);
  ASSERT_THAT(schema, IsOk());
  const meta::TypeDescriptor* const type = schema->find({"example.com", "v1", "Widget"});
  ASSERT_NE(type, nullptr);
  auto by_color = index_by_field(*type, "spec.color");
  ASSERT_THAT(by_color, IsOk());
  EXPECT_FALSE(index_by_field(*type, "spec.colour")) << "the schema has no such field";

  create("Widget", "x/a", "a", ", spec: {color: red, size: 3}");
  create("Widget", "x/b", "a", ", spec: {color: blue}");
  DynamicSharedInformerFactory factory(fake->client().rest());
  const auto informer = factory.for_kind("example.com/v1", "Widget").value();
  ASSERT_THAT(informer->add_index("color", *std::move(by_color)), IsOk());
  const auto registration = informer->add_event_handler(seen.handler());
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}));
  const auto red = informer->indexer().by_index("color", "red");
  ASSERT_THAT(red, IsOk());
  EXPECT_THAT(*red, ElementsAre(HasKey("x/a")));
  create("Widget", "x/b", "a", ", spec: {color: red}");
  ASSERT_TRUE(seen.await("update x/b"));
  EXPECT_EQ(informer->indexer().count("color", "red"), 2U);
  EXPECT_EQ(informer->indexer().count("color", "blue"), 0U);
}

TEST_F(ResourceInformersTest, MINF_01_AddUpdateAndDeleteCarryTheMetadataAlone) {
  using meta::PartialObjectMetadata;
  Seen<PartialObjectMetadata> metadata;
  MetadataSharedInformerFactory factory(fake->client().rest());
  const auto informer = factory.for_resource(kWidgets);
  const auto registration = informer->add_event_handler(metadata.handler());
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}));
  create("Widget", "x/a", "one", ", spec: {size: 3}");
  ASSERT_TRUE(metadata.await("add x/a"));
  EXPECT_THAT(informer->lister().find("x/a"), HasLabel("app", "one"));
  create("Widget", "x/a", "two", ", spec: {size: 3}");
  ASSERT_TRUE(metadata.await("update x/a"));
  const Cached<PartialObjectMetadata> held = informer->lister().find("x/a");
  EXPECT_THAT(held, HasLabel("app", "two"));
  EXPECT_EQ(held.cell().body().find("size"), std::string_view::npos) << held.cell().body();
  ASSERT_THAT(fake->client().api(resource_by_name(kWidgets), "x").delete_("a"), IsOk());
  ASSERT_TRUE(metadata.await("delete x/a"));
  EXPECT_THAT(metadata.lines(), ElementsAre("add x/a", "update x/a", "delete x/a"));
}

}  // namespace
}  // namespace kube::fake
