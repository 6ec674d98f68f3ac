// SPDX-License-Identifier: Apache-2.0
//
// Objects as their metadata: requested, watched and cached.
#include <mutex>
#include <string>
#include <vector>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/table_api.hpp>
#include <kube/codec/object.hpp>
#include <kube/meta/partial_object_metadata.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

using kube::meta::PartialObjectMetadata;

class MetadataScenario : public Scenario {
 protected:
  kube::core::v1::ConfigMap config_map(const std::string& name) const {
    kube::core::v1::ConfigMap object;
    object.metadata.name = name;
    object.metadata.namespace_ = namespace_;
    object.metadata.labels["app"] = "web";
    object.data["large"] = std::string(100'000, 'x');
    return object;
  }
  kube::meta::ResourceInfo resource_ = kube::meta::resource_of<kube::core::v1::ConfigMap>();
  kube::Api<kube::core::v1::ConfigMap> whole_ = client_.api<kube::core::v1::ConfigMap>(namespace_);
  kube::Api<PartialObjectMetadata> api_ = client_.metadata(resource_, namespace_);
};

TEST_F(MetadataScenario, TheVerbs) {
  const auto created = must(whole_.create(config_map("a")));
  const auto got = must(api_.get("a"));
  EXPECT_EQ(got.metadata, created.metadata);
  must(whole_.create(config_map("b")));
  const auto listed = must(api_.list({.label_selector = "app=web"}));
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed.items[0].metadata, created.metadata);
  auto watch = must(api_.watch({.resource_version = listed.resource_version}));
  const auto patched = must(api_.patch(
      "a", kube::Patch::merge(kube::json::parse(R"({"metadata":{"labels":{"x":"y"}}})").value())));
  EXPECT_EQ(patched.metadata.labels.at("x"), "y");
  const auto event = watch.next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->type, kube::WatchEventType::Modified);
  EXPECT_EQ((*event)->object.metadata, patched.metadata);
  must(api_.delete_("a"));
  EXPECT_EQ(must(whole_.list({.label_selector = "app=web"})).size(), 1U);
  must(api_.delete_collection({}, {.label_selector = "app=web"}));
  EXPECT_EQ(must(whole_.list({.label_selector = "app=web"})).size(), 0U);
}

TEST_F(MetadataScenario, ATableHasTheServersColumns) {
  must(whole_.create(config_map("a")));
  const kube::TableApi tables(kube::RawApi(client_.rest(), resource_, namespace_));
  const kube::meta::Table table = must(tables.list({.label_selector = "app=web"}));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.column_definitions.front().name, "Name");
  EXPECT_EQ(must(tables.get("a")).rows.size(), 1U);
}

TEST_F(MetadataScenario, TablesComeInPagesAndByAWatch) {
  for (const char* name : {"a", "b", "c"}) must(whole_.create(config_map(name)));
  const kube::TableApi tables(kube::RawApi(client_.rest(), resource_, namespace_));
  const kube::ListOptions options{.label_selector = "app=web", .limit = 2};
  std::vector<std::size_t> pages;
  std::string version;
  must(tables.for_each_page(options, [&](kube::meta::Table&& page) -> kube::Result<void> {
    EXPECT_FALSE(pages.empty() && page.column_definitions.empty());
    version = page.metadata.resource_version;
    pages.push_back(page.rows.size());
    return {};
  }));
  EXPECT_EQ(pages, (std::vector<std::size_t>{2, 1}));

  auto watch = must(tables.watch({.resource_version = version}));
  must(whole_.create(config_map("d")));
  must(whole_.delete_("d"));
  for (const auto type : {kube::WatchEventType::Added, kube::WatchEventType::Deleted}) {
    const auto event = watch.next();
    ASSERT_TRUE(event && *event);
    EXPECT_EQ((*event)->type, type);
    ASSERT_EQ((*event)->object.rows.size(), 1U);
    EXPECT_EQ((*event)->object.rows[0].cells.at(0).raw, "\"d\"");
    EXPECT_EQ((*event)->object.column_definitions.empty(), type != kube::WatchEventType::Added);
  }
}

TEST_F(MetadataScenario, AnInformerHoldsMetadataAlone) {
  must(whole_.create(config_map("a")));
  kube::SharedInformer<PartialObjectMetadata> informer(client_.rest(), resource_,
                                                       {.namespace_ = namespace_});
  must(informer.start());
  ASSERT_TRUE(informer.wait_for_sync({}));
  const auto lister = informer.lister();
  const auto held = lister.get(namespace_ + "/a");
  ASSERT_TRUE(held);
  EXPECT_EQ((*held)->metadata.labels.at("app"), "web");
  must(whole_.create(config_map("b")));
  EXPECT_TRUE(eventually([&] { return static_cast<bool>(lister.get(namespace_ + "/b")); }));
  must(whole_.delete_("a"));
  EXPECT_TRUE(eventually([&] { return !lister.get(namespace_ + "/a"); }));
  EXPECT_EQ(informer.status().processing_errors, 0U);
}

}  // namespace
}  // namespace scenarios
