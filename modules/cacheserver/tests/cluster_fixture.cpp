// SPDX-License-Identifier: Apache-2.0
#include "cluster_fixture.hpp"

#include <kube/testing/eventually.hpp>

namespace kube::cacheserver::test {

using namespace std::chrono_literals;

std::string pod_json(std::string_view name, std::string_view labels, std::string_view spec,
                     std::string_view namespace_) {
  std::string out = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")";
  out.append(name).append(R"(","namespace":")").append(namespace_).append("\",\"labels\":{");
  out.append(labels).append("}},\"spec\":{");
  if (!spec.empty()) out.append(spec).append(",");
  return out + R"("containers":[{"name":"c","image":"nginx"}]}})";
}

meta::ResourceInfo ClusterTest::pods() {
  return {"", "v1", "Pod", "pods", "pod", true};
}

meta::ResourceInfo ClusterTest::secrets() {
  return {"", "v1", "Secret", "secrets", "secret", true};
}

apiserver::ApiServer::Options ClusterTest::cluster_options() const {
  apiserver::ApiServer::Options options;
  options.bookmark_period = 20ms;
  return options;
}

CacheServer::Options ClusterTest::cache_options() const {
  CacheServer::Options options;
  options.fresh_read_timeout = testing::kPatience;
  return options;
}

void ClusterTest::SetUp() {
  cluster = apiserver::ApiServer::start(cluster_options()).value();
  rest::Config config;
  config.host = cluster->url();
  client = std::make_unique<Client>(Client::create(config).value());
  cache = CacheServer::start(cache_options()).value();
}

void ClusterTest::TearDown() {
  cache.reset();
  informers.clear();
  typed_pods.reset();
  client.reset();
  cluster.reset();
}

void ClusterTest::load(std::string_view text) {
  ASSERT_TRUE(cluster->load_text(text));
}

ClusterTest::AnyInformer& ClusterTest::serve(const meta::ResourceInfo& resource,
                                             InformerOptions options) {
  informers.push_back(std::make_unique<AnyInformer>(client->rest(), resource, options));
  AnyInformer& informer = *informers.back();
  EXPECT_TRUE(cache->add(informer));
  EXPECT_TRUE(informer.start());
  EXPECT_TRUE(informer.wait_for_sync({}));
  return informer;
}

ClusterTest::PodInformer& ClusterTest::serve_typed_pods(InformerOptions options) {
  typed_pods = std::make_unique<PodInformer>(client->rest(), options);
  EXPECT_TRUE(cache->add(*typed_pods));
  EXPECT_TRUE(typed_pods->start());
  EXPECT_TRUE(typed_pods->wait_for_sync({}));
  return *typed_pods;
}

Answer ClusterTest::ask_cluster(std::string_view target, const Headers& headers) {
  return HttpClient(cluster->port()).send("GET", target, {}, headers);
}

Answer ClusterTest::ask_cache(std::string_view target, const Headers& headers) {
  return HttpClient(cache->port()).send("GET", target, {}, headers);
}

void ClusterTest::catch_up(std::string_view collection) {
  const std::string target = std::string(collection) + "?resourceVersion=" + revision();
  EXPECT_EQ(ask_cache(target).status, 200);
}

}  // namespace kube::cacheserver::test
