// SPDX-License-Identifier: Apache-2.0
//
// A program that runs while kinds come and go.
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/cache/resource_informer_factory.hpp>
#include <kube/client/apply_manifest.hpp>
#include <kube/client/deferred_rest_mapper.hpp>
#include <kube/client/rest_mapper.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/meta/errors.hpp>
#include <kube/testing/fake_clock.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

class DiscoveryScenario : public Scenario {
 protected:
  void TearDown() override { static_cast<void>(definitions().delete_(definition_)); }
  kube::Api<kube::Unstructured> definitions() {
    return must(client_.api("apiextensions.k8s.io/v1", "CustomResourceDefinition"));
  }
  void define() {
    const std::string text =
        "apiVersion: apiextensions.k8s.io/v1\n"
        "kind: CustomResourceDefinition\n"
        "metadata: {name: " +
        definition_ +
        "}\n"
        "spec:\n"
        "  group: " +
        group_ +
        "\n"
        "  scope: Namespaced\n"
        "  names: {plural: toys, singular: toy, kind: Toy, listKind: ToyList}\n"
        "  versions:\n"
        "  - {name: v1, served: true, storage: true,"
        " schema: {openAPIV3Schema: {type: object}}}\n";
    for (const auto& each :
         must(kube::apply_manifest(client_, text, {.field_manager = "scenario"}))) {
      must(each.result);
    }
  }
  bool create_toy(const std::string& name) {
    const auto toys = client_.api({group_, "v1", "Toy", "toys", "toy", true}, namespace_);
    const auto toy = must(kube::unstructured_from_json(R"({"apiVersion":")" + group_ +
                                                       R"(/v1","kind":"Toy","metadata":{"name":")" +
                                                       name + R"("}})"));
    return static_cast<bool>(toys.create(toy));
  }
  // Nothing waits in the clock of the program: a server may ask for patience with a new kind.
  static kube::rest::Config without_retries() {
    kube::rest::Config config = server_config();
    config.retry = {.max_retries = 0};
    return config;
  }
  // The program: its client has a clock that the test moves.
  bool has_toys() {
    const auto toys = program_.api(group_ + "/v1", "Toy", namespace_);
    if (!toys && kube::is_no_match(toys.error())) return false;
    return static_cast<bool>(must(toys).list());
  }

  const std::string group_ = namespace_ + ".example.com";
  const std::string definition_ = "toys." + group_;
  const std::shared_ptr<kube::testing::FakeClock> clock_ =
      std::make_shared<kube::testing::FakeClock>();
  const kube::Client program_ =
      kube::Client::create(without_retries(),
                           {.runtime = {.executor = std::make_shared<kube::ThreadPool>(
                                            kube::ThreadPool::Options{.clock = clock_})}})
          .value();
};

TEST_F(DiscoveryScenario, AProgramFindsAKindThatComesAndForgetsOneThatGoes) {
  EXPECT_FALSE(has_toys());
  define();
  EXPECT_TRUE(eventually([&] {
    clock_->advance(kube::DeferredRestMapper::kAskAgain);
    return has_toys();
  })) << "a server needs a moment to serve a kind";

  const auto toys = must(program_.api(group_ + "/v1", "toys", namespace_));
  must(definitions().delete_(definition_));
  EXPECT_TRUE(eventually([&] {
    const auto listed = toys.list();
    return !listed && kube::is_not_found(listed.error());
  }));
  EXPECT_TRUE(eventually([&] {
    clock_->advance(kube::DeferredRestMapper::kAskAgain);
    static_cast<void>(toys.list());
    return !must(program_.has_api(group_ + "/v1", "Toy"));
  }));
}

// An informer that runs all the time: before its type exists, while it does, and after.
TEST_F(DiscoveryScenario, AnInformerFollowsATypeThatComesAndGoes) {
  const kube::Client client = new_client();
  kube::DynamicSharedInformerFactory factory(client.rest());
  std::mutex mutex;
  std::vector<kube::InformerCondition> conditions;  // the two that follow the type
  factory.configure([&](kube::SharedInformer<kube::Unstructured>& informer) {
    must(informer.set_condition_handler(
        [&](kube::InformerCondition condition, const kube::Optional<kube::Error>&) {
          if (condition != kube::InformerCondition::Missing &&
              condition != kube::InformerCondition::Healthy) {
            return;  // a server that is about to serve a type may refuse in other ways
          }
          const std::lock_guard lock(mutex);
          if (conditions.empty() || conditions.back() != condition) conditions.push_back(condition);
        }));
  });
  const auto changed = [&](std::size_t times) {
    return eventually([&] {
      const std::lock_guard lock(mutex);
      return conditions.size() >= times;
    });
  };
  factory.start();
  const auto toys = factory.acquire({group_, "v1", "toys"});
  ASSERT_TRUE(changed(1));
  EXPECT_EQ(toys->status().condition, kube::InformerCondition::Missing);
  EXPECT_FALSE(toys->has_synced());

  for (const std::string name : {"first", "second"}) {
    define();
    EXPECT_TRUE(eventually([&] { return create_toy(name); }));
    ASSERT_TRUE(changed(name == "first" ? 2 : 4));
    EXPECT_TRUE(toys->has_synced());
    EXPECT_TRUE(eventually([&] {
      return toys->indexer().list_keys() == std::vector<std::string>{namespace_ + "/" + name};
    }));
    must(definitions().delete_(definition_));
    ASSERT_TRUE(changed(name == "first" ? 3 : 5));
    EXPECT_EQ(toys->status().condition, kube::InformerCondition::Missing);
    EXPECT_TRUE(eventually([&] { return toys->indexer().size() == 0; }));
    EXPECT_TRUE(eventually([&] {
      const auto left = definitions().get(definition_);
      return !left && kube::is_not_found(left.error());
    }));
  }
  const std::lock_guard lock(mutex);
  const auto missing = kube::InformerCondition::Missing;
  const auto healthy = kube::InformerCondition::Healthy;
  EXPECT_EQ(conditions, (std::vector{missing, healthy, missing, healthy, missing}));
}

}  // namespace
}  // namespace scenarios
