// SPDX-License-Identifier: Apache-2.0
//
// A cluster (the embedded API server), informers on it, and a cache server over them.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/cacheserver/cache_server.hpp>
#include <kube/client/client.hpp>

#include "http_client.hpp"

namespace kube::cacheserver::test {

using serving::test::Answer;
using serving::test::Headers;
using serving::test::HttpClient;
using serving::test::refuses_connections;
using serving::test::WatchClient;

inline constexpr std::string_view kPods = "/api/v1/namespaces/web/pods";

/// JSON of a pod; `labels` and `spec` are members: `"app":"web"`.
std::string pod_json(std::string_view name, std::string_view labels = {},
                     std::string_view spec = {}, std::string_view namespace_ = "web");

class ClusterTest : public ::testing::Test {
 protected:
  using AnyInformer = SharedInformer<Unstructured>;
  using PodInformer = SharedInformer<core::v1::Pod>;

  static meta::ResourceInfo pods();
  static meta::ResourceInfo secrets();

  void SetUp() override;
  void TearDown() override;
  /// The cluster's bookmarks come often, so that caches follow its revision.
  virtual apiserver::ApiServer::Options cluster_options() const;
  /// Those of a server that waits for fresh content as long as a test does.
  virtual CacheServer::Options cache_options() const;

  void load(std::string_view text);
  /// Makes, starts and serves an informer, and waits until it has synced.
  AnyInformer& serve(const meta::ResourceInfo& resource, InformerOptions options = {});
  PodInformer& serve_typed_pods(InformerOptions options = {});

  Answer ask_cluster(std::string_view target, const Headers& headers = {});
  Answer ask_cache(std::string_view target, const Headers& headers = {});
  std::string revision() const { return std::to_string(cluster->resource_version()); }
  /// Waits until the cache of a collection has the cluster's revision.
  void catch_up(std::string_view collection = "/api/v1/pods");

  std::unique_ptr<apiserver::ApiServer> cluster;
  std::unique_ptr<Client> client;
  std::vector<std::unique_ptr<AnyInformer>> informers;
  std::unique_ptr<PodInformer> typed_pods;
  std::unique_ptr<CacheServer> cache;
};

}  // namespace kube::cacheserver::test
