// SPDX-License-Identifier: Apache-2.0
//
// The mapper that the clients of a rest::Config share.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <kube/base/mutex.hpp>
#include <kube/client/deferred_rest_mapper.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// Resources for whose collections the server responded with 404. It holds no client, so that
/// exchanges can hold it.
/// @par Thread safety   All functions may be called from any thread.
class NotServed {
 public:
  void add(meta::GroupVersionResource resource) {
    constexpr std::size_t kMaxResources = 1000;
    const MutexLock lock(mutex_);
    if (resources_.size() < kMaxResources) resources_.insert(std::move(resource));
  }
  std::set<meta::GroupVersionResource> take() {
    const MutexLock lock(mutex_);
    return std::exchange(resources_, {});
  }

 private:
  Mutex mutex_;
  std::set<meta::GroupVersionResource> resources_ KUBE_GUARDED_BY(mutex_);
};

/// @par Thread safety   All functions may be called from any thread.
class SharedMapper {
 public:
  /// `client` is one of its own, so that a client can hold the mapper. `given` is the transport
  /// that the client was made with.
  SharedMapper(RestClient client, std::shared_ptr<transport::RoundTripper> given);

  /// Whether a client with these would ask the same server in the same way.
  bool is_for(const rest::Config& config, const std::shared_ptr<Clock>& clock,
              const std::shared_ptr<transport::RoundTripper>& given) const;
  const std::shared_ptr<NotServed>& not_served() const { return not_served_; }
  /// Returns the mapper, after it has heard of not_served().
  const DeferredRestMapper& mapper() const;

 private:
  const RestClient client_;
  const std::shared_ptr<transport::RoundTripper> given_;
  const std::shared_ptr<NotServed> not_served_ = std::make_shared<NotServed>();
  const DeferredRestMapper mapper_;
};

/// Returns the resource that a 404 says is not served; nullopt for one that is about an object or
/// its namespace. `path` is that of the request.
std::optional<meta::GroupVersionResource> not_served_by(const Error& error,
                                                        const meta::GroupResource& resource,
                                                        std::string_view path);

}  // namespace kube
