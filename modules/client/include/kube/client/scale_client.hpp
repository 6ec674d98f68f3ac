// SPDX-License-Identifier: Apache-2.0
//
// kube::ScaleClient: reads and sets the number of replicas of any resource that has a scale,
// built-in or custom, as an autoscaling/v1 Scale (docs/reference/clients-and-config.md ch. 18).
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/api/autoscaling/v1/scale.hpp>
#include <kube/base/result.hpp>
#include <kube/client/cached_discovery.hpp>
#include <kube/client/deferred_rest_mapper.hpp>
#include <kube/client/raw_api.hpp>
#include <kube/meta/options.hpp>
#include <kube/names/group_version.hpp>
#include <kube/patch/patch.hpp>

namespace kube {

/// Reads a Scale of autoscaling/v1, extensions/v1beta1, apps/v1beta1 or apps/v1beta2, in JSON. The
/// selector of the older ones becomes its text.
/// @par Errors   Decode, "received an object from a /scale endpoint which was not convertible to
///   autoscaling Scale: ...", which names what it is.
/// @par Thread safety   Any thread may call it.
Result<autoscaling::v1::Scale> read_scale(std::string_view object);
/// Writes a Scale in JSON as one of these versions. In the older ones, a selector that consists of
/// labels is their map, too.
/// @par Errors   InvalidArgument for another group version, and for a selector that can't be read.
/// @par Thread safety   Any thread may call it.
Result<std::string> write_scale(const autoscaling::v1::Scale& scale,
                                const meta::GroupVersion& version);

/// A handle; copies share the client and what it knows of the server.
///
/// @par Thread safety   All functions may be called from any thread; in a response handler they
///   fail, as RestClient::send() does.
/// @par Errors   As Api<T>. InvalidArgument: "unable to get full preferred
///   group-version-resource for ..." when the server does not have the resource.
/// @par Blocks   Until the response is complete or `stop` is requested; the first call of a
///   resource also until discovery is read.
class ScaleClient {
 public:
  /// `discovery` says which version of a resource is preferred, and of which kind its scale is.
  ScaleClient(RestClient client, std::shared_ptr<CachedDiscovery> discovery);

  /// @par Errors   Those of the class.
  Result<autoscaling::v1::Scale> get(const meta::GroupResource& resource,
                                     const std::string& namespace_, std::string_view name,
                                     const GetOptions& options = {},
                                     std::stop_token stop = {}) const;
  /// Sends the scale of the object that its metadata names, in the kind that the server has.
  /// @par Errors   Conflict as Api<T>::update(); InvalidArgument: "could not find scale subresource
  ///   for ... in discovery information"; and those of the class.
  Result<autoscaling::v1::Scale> update(const meta::GroupResource& resource,
                                        const std::string& namespace_,
                                        const autoscaling::v1::Scale& scale,
                                        const UpdateOptions& options = {},
                                        std::stop_token stop = {}) const;
  /// Needs no discovery. The patch is for the server's own kind of scale.
  /// @par Errors   Those of the class.
  Result<autoscaling::v1::Scale> patch(const meta::GroupVersionResource& resource,
                                       const std::string& namespace_, std::string_view name,
                                       const Patch& patch, const PatchOptions& options = {},
                                       std::stop_token stop = {}) const;

 private:
  Result<meta::ResourceInfo> preferred(const meta::GroupResource& resource,
                                       const std::stop_token& stop) const;
  Result<meta::GroupVersion> version_of_scale(const meta::ResourceInfo& resource,
                                              const std::stop_token& stop) const;

  RestClient client_;
  std::shared_ptr<CachedDiscovery> discovery_;
  std::shared_ptr<const DeferredRestMapper> mapper_;
};

}  // namespace kube
