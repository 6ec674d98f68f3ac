// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/howto/discovery-and-dynamic-types.md, on the embedded server.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/index_functions.hpp>
#include <kube/cache/resource_informer_factory.hpp>
#include <kube/client/apply_manifest.hpp>
#include <kube/client/client.hpp>
#include <kube/client/deferred_rest_mapper.hpp>
#include <kube/client/rest_mapper.hpp>
#include <kube/codec/nested.hpp>
#include <kube/fake/fake_client.hpp>
#include <kube/testing/matchers.hpp>
#include <kube/validation/runtime_schema.hpp>

namespace kube::header_examples {
namespace {

using fake::FakeClient;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsOk;

constexpr std::string_view kWidgets = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wi]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              color: {type: string}
              size: {type: object, properties: {width: {type: integer}}}
---
{apiVersion: example.com/v1, kind: Widget, metadata: {name: big, namespace: shop}, spec: {color: red}}
)";

Result<void> widen(const Client& client) {
  // [dynamic-api]
  auto widgets = client.api("example.com/v1", "Widget", "shop");
  if (!widgets) return widgets.error();  // is_no_match(): the server has no such kind
  auto widget = widgets->get("big");
  if (!widget) return widget.error();
  if (auto set = widget->set({"spec", "size", "width"}, 7); !set) return set;
  auto updated = widgets->update(*widget);
  if (!updated) return updated.error();
  const auto width = nested_int64(updated->content, {"spec", "size", "width"});
  // [dynamic-api]
  EXPECT_THAT(width, IsOk());
  EXPECT_EQ(*width, 7);
  return {};
}

Result<std::string> look_up(const Client& client, std::stop_token stop) {
  // [dynamic-mapper]
  auto found = client.mapper()->resolve("wi", stop);  // as users type it
  if (!found) return found.error();
  auto api = client.api(*found, "shop");  // its ResourceInfo: widgets of example.com/v1
  // [dynamic-mapper]
  return api.resource().plural + " of " + api.resource().api_version();
}

Result<std::string> ask(const Client& client) {
  // [dynamic-has-api]
  auto has = client.has_api("apps/v1", "deployments");
  if (!has) return has.error();  // the server, or the server of that group, does not answer
  auto version = client.server_version();
  if (!version) return version.error();
  // [dynamic-has-api]
  return std::string(*has ? "yes, " : "no, ") + version->major;
}

Result<std::vector<std::string>> red_widgets(const Client& client, std::string_view definitions,
                                             std::stop_token stop) {
  // [dynamic-informer]
  auto schema = meta::RuntimeSchema::from_crds(definitions);  // outlives the index
  if (!schema) return schema.error();
  const auto* widget = schema->find({"example.com", "v1", "Widget"});
  if (widget == nullptr) return Error(ErrorCode::Config, "the definitions have no Widget");
  auto by_color = index_by_field(*widget, "spec.color");
  if (!by_color) return by_color.error();

  DynamicSharedInformerFactory factory(client.rest());
  auto widgets = factory.for_kind("example.com/v1", "Widget");
  if (!widgets) return widgets.error();
  if (auto added = (*widgets)->add_index("color", *std::move(by_color)); !added)
    return added.error();
  factory.start(stop);
  if (auto synced = factory.wait_for_cache_sync(stop).as_result(); !synced) return synced.error();
  auto red = (*widgets)->indexer().by_index("color", "red");
  // [dynamic-informer]
  if (!red) return red.error();
  std::vector<std::string> names;
  for (const auto& each : *red) names.emplace_back(each.key());
  return names;
}

Result<int> apply_mixed(const Client& client, const std::string& path) {
  int failed = 0;
  // [dynamic-apply-file]
  auto applied = apply_file(client, path, {.field_manager = "svc", .force = true});
  if (!applied) return applied.error();  // not a manifest; nothing was applied
  for (const AppliedObject& each : *applied) {
    if (each.result) continue;
    std::cerr << each.where << ": " << each.result.error().message() << "\n";
    ++failed;
  }
  // [dynamic-apply-file]
  return failed;
}

TEST(DynamicTypes, AnObjectOfAKindThatIsKnownByNameIsReadAndWritten) {
  const auto fake = FakeClient::start(kWidgets).value();
  EXPECT_THAT(widen(fake->client()), IsOk());
  EXPECT_EQ(look_up(fake->client(), {}).value(), "widgets of example.com/v1");
  EXPECT_THAT(ask(fake->client()).value(), HasSubstr("yes, 1"));
}

TEST(DynamicTypes, AnInformerHasAnIndexByASchemaThatIsReadWhileTheProgramRuns) {
  const auto fake = FakeClient::start(kWidgets).value();
  EXPECT_THAT(red_widgets(fake->client(), kWidgets.substr(0, kWidgets.find("---")), {}).value(),
              ElementsAre("shop/big"));
}

TEST(DynamicTypes, AProgramFindsAKindThatComesAndForgetsOneThatGoes) {
  const auto fake = FakeClient::start().value();
  const Client& client = fake->client();
  EXPECT_FALSE(client.has_api("example.com/v1", "Widget").value());
  ASSERT_THAT(fake->server().load_text(kWidgets), IsOk());
  const auto widgets = client.api("example.com/v1", "Widget", "shop");
  ASSERT_THAT(widgets, IsOk());
  ASSERT_THAT(widgets->get("big"), IsOk());
}

TEST(DynamicTypes, AFileOfMixedDocumentsIsApplied) {
  const auto fake = FakeClient::start().value();
  const auto path =
      std::filesystem::temp_directory_path() / ("mixed-" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(path) << "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n"
                      << kWidgets
                      << "---\n{apiVersion: example.com/v1, kind: Gadget, metadata: {name: g}}\n";
  const auto failed = apply_mixed(fake->client(), path.string());
  std::filesystem::remove(path);
  ASSERT_THAT(failed, IsOk());
  EXPECT_EQ(*failed, 1);
  const auto widgets = fake->client().api("example.com/v1", "Widget", "shop");
  ASSERT_THAT(widgets, IsOk());
  EXPECT_THAT(widgets->get("big"), IsOk());
}

}  // namespace
}  // namespace kube::header_examples
