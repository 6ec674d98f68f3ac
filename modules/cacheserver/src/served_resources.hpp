// SPDX-License-Identifier: Apache-2.0
//
// What a cache server serves: one record for each informer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/mutex.hpp>
#include <kube/cache/shared_informer.hpp>

#include "cell_feed.hpp"
#include "reading/read_context.hpp"

namespace kube::cacheserver {

struct Served {
  std::shared_ptr<const serving::Resource> resource;
  std::string namespace_;  ///< "" for all.
  std::shared_ptr<CellFeed> feed;
  std::shared_ptr<const cache::InformerCore> informer;

  /// "pods", or "pods in namespace \"web\""
  std::string to_string() const;
  /// Returns the time since the informer has heard of the cluster; nothing when it has not heard of
  /// it, or the cluster has no such resource.
  std::optional<Duration> age() const;
};

/// Sets the header Age of a response to the age of what it is from, and returns that.
std::optional<Duration> add_age(const Served& from, serving::HttpResponse& response);

/// Returns the resource of an informer: with the verbs that a cache has, and no subresources; or
/// with all, when what is no read of a cache is passed on to the cluster.
std::shared_ptr<const serving::Resource> served_resource(const meta::ResourceInfo& info,
                                                         const Unstructured* definition,
                                                         bool writable);

/// @par Thread safety   All functions may be called from any thread.
class ServedResources final : public serving::ObjectStores {
 public:
  explicit ServedResources(serving::ResourceRegistry& registry) : registry_(registry) {}

  /// @par Errors   InvalidArgument: it is served already, or after close().
  Result<void> add(const Served& added);
  /// Has paths and discovery name a resource as long as the cluster has it.
  void follow_cluster(const serving::Resource& resource);
  /// From now on nothing is added. Returns all.
  std::vector<Served> close();
  std::vector<Served> all() const;
  std::vector<meta::GroupResource> resources() const;
  /// Returns the record of the objects of a namespace, "" for those of all.
  /// @par Errors   Server: the response to the request; a 404 when the cluster has no such
  /// resource.
  Result<Served> find(const serving::Resource& resource, std::string_view namespace_) const;
  /// @par Errors   Server: a 503 that names an informer that has not synced.
  Result<void> check_synced() const;
  /// Returns the record whose informer has heard nothing of the cluster for the longest time.
  std::optional<Served> oldest() const;

  Result<serving::Store*> store_of(const serving::Resource& resource,
                                   std::string_view namespace_) override;

 private:
  serving::ResourceRegistry& registry_;
  mutable Mutex mutex_;
  std::vector<Served> served_ KUBE_GUARDED_BY(mutex_);
  bool closed_ KUBE_GUARDED_BY(mutex_) = false;
};

}  // namespace kube::cacheserver
