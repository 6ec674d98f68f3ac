// SPDX-License-Identifier: Apache-2.0
//
// A server that answers 429 until its watch cache is full.
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <kube/cache/shared_informer.hpp>
#include <kube/client/api.hpp>
#include <kube/meta/partial_object_metadata.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

using kube::meta::PartialObjectMetadata;
using kube::meta::ResourceInfo;

constexpr std::size_t kInformers = 20;
constexpr std::size_t kObjects = 100;
constexpr std::size_t kObjectBytes = 1'000'000;  // for all to be read takes a server a second

class WatchCacheScenario : public Scenario {
 protected:
  auto definitions() const {
    return client_.api(ResourceInfo{.group = "apiextensions.k8s.io",
                                    .version = "v1",
                                    .kind = "CustomResourceDefinition",
                                    .plural = "customresourcedefinitions",
                                    .namespaced = false});
  }
  ~WatchCacheScenario() override { static_cast<void>(definitions().delete_(name_of_definition())); }
  std::string name_of_definition() const { return "widgets." + widgets_.group; }
  void define() {
    const std::string text =
        R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
            "metadata":{"name":")" +
        name_of_definition() + R"("},"spec":{"group":")" + widgets_.group +
        R"(","scope":"Namespaced",
            "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
            "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
            {"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";
    must(definitions().create(must(kube::unstructured_from_json(text))));
    ASSERT_TRUE(eventually([&] { return client_.api(widgets_, namespace_).list().has_value(); }));
  }
  // The server throws the storage of the kind away, its watch cache included, and makes another one
  // for the next request.
  void empty_watch_cache() {
    const kube::Patch patch = must(kube::Patch::json_text(
        R"([{"op":"add","path":"/spec/versions/0/additionalPrinterColumns",
             "value":[{"name":"Size","type":"integer","jsonPath":".spec.size"}]}])"));
    must(definitions().patch(name_of_definition(), patch));
  }

  const ResourceInfo widgets_{.group = namespace_ + ".example.com",
                              .version = "v1",
                              .kind = "Widget",
                              .plural = "widgets",
                              .namespaced = true};
};

// Retry-After is a second: no informer asks more than once in each.
TEST_F(WatchCacheScenario, InformersStartWhileItFillsWithoutAStorm) {
  if (!on_real_server()) GTEST_SKIP() << "the embedded server has no watch cache";
  ASSERT_NO_FATAL_FAILURE(define());
  for (std::size_t i = 0; i < kObjects; ++i) {
    must(client_.api(widgets_, namespace_)
             .create(must(kube::unstructured_from_json(
                 R"({"apiVersion":")" + widgets_.group +
                 R"(/v1","kind":"Widget","metadata":{"name":"w)" + std::to_string(i) +
                 R"("},"spec":{"text":")" + std::string(kObjectBytes, 'x') + R"("}})"))));
  }
  const auto transport = new_observed_transport();
  const kube::Client client = new_client(transport);
  std::vector<std::unique_ptr<kube::SharedInformer<PartialObjectMetadata>>> informers;
  for (std::size_t i = 0; i < kInformers; ++i) {
    informers.push_back(std::make_unique<kube::SharedInformer<PartialObjectMetadata>>(
        client.rest(), widgets_, kube::InformerOptions{.namespace_ = namespace_}));
  }
  empty_watch_cache();
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& informer : informers) must(informer->start());
  for (const auto& informer : informers) {
    EXPECT_TRUE(eventually([&] { return informer->has_synced(); }));
    EXPECT_EQ(informer->lister().list().size(), kObjects);
    EXPECT_EQ(informer->status().lists, 1U);
  }
  const std::size_t refused = transport->throttled();
  const auto seconds =
      std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
  EXPECT_GT(refused, 0U) << "the watch cache was full before a request came";
  EXPECT_LE(refused, kInformers * (static_cast<std::size_t>(seconds.count()) + 1));
  RecordProperty("refused", static_cast<int>(refused));
}

}  // namespace
}  // namespace scenarios
