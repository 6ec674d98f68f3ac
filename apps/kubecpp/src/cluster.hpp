// SPDX-License-Identifier: Apache-2.0
//
// Shared by the commands that work on a server's objects: the resource and namespace of a target,
// and errors in kubectl's words.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/client/cached_discovery.hpp>
#include <kube/client/client.hpp>
#include <kube/client/deferred_rest_mapper.hpp>
#include <kube/names/group_version.hpp>

#include "command.hpp"

namespace kubecpp {

/// A server and the resources that it serves.
class Cluster {
 public:
  /// `in_namespace` is the namespace of the command line; empty means the context's.
  /// @par Errors   Those of connect() and of discovery; InvalidArgument for the namespace.
  /// @par Blocks   Until discovery is complete.
  static kube::Result<Cluster> open(const ConnectionOptions& options,
                                    const std::string& in_namespace, std::stop_token stop);

  /// Finds a resource by any of its names.
  /// @par Errors   Config: `the server doesn't have a resource type "x"`.
  kube::Result<kube::meta::ResourceInfo> resolve(const std::string& text) const;
  /// Returns the resources of a category such as "all"; may be empty.
  std::vector<kube::meta::ResourceInfo> in_category(const std::string& category) const {
    return mapper_->in_category(category, stop_);
  }
  /// Whether the server can do this with a resource, such as "watch".
  bool has_verb(const kube::meta::ResourceInfo& resource, std::string_view verb) const {
    const auto mapper = mapper_->current(stop_);
    return !mapper || (*mapper)->has_verb(resource, verb);
  }
  /// Returns the resource of an object; repeats discovery when the kind is not known.
  kube::Result<kube::meta::ResourceInfo> resource_of(const kube::meta::GroupVersionKind& gvk) const;

  const kube::Client& client() const { return client_; }
  const std::shared_ptr<kube::CachedDiscovery>& discovery() const { return discovery_; }
  /// That of the command line, or of the context.
  const std::string& default_namespace() const { return namespace_; }
  /// Empty for a cluster-scoped resource.
  std::string namespace_of(const kube::meta::ResourceInfo& resource) const {
    return resource.namespaced ? namespace_ : std::string();
  }
  /// Returns the namespace of an object whose metadata names `own`, which may be empty.
  /// @par Errors   InvalidArgument when the command line names another one.
  kube::Result<std::string> namespace_of(const kube::meta::ResourceInfo& resource,
                                         std::string_view own) const;
  kube::Api<kube::Unstructured> api(const kube::meta::ResourceInfo& resource,
                                    const std::string& in_namespace) const {
    return client_.api(resource, in_namespace);
  }

 private:
  Cluster(kube::Client client, std::shared_ptr<kube::CachedDiscovery> discovery,
          std::shared_ptr<const kube::DeferredRestMapper> mapper, std::string in_namespace,
          bool chosen, std::stop_token stop)
      : client_(std::move(client)),
        discovery_(std::move(discovery)),
        mapper_(std::move(mapper)),
        namespace_(std::move(in_namespace)),
        chosen_(chosen),
        stop_(std::move(stop)) {}

  kube::Client client_;
  std::shared_ptr<kube::CachedDiscovery> discovery_;
  std::shared_ptr<const kube::DeferredRestMapper> mapper_;
  std::string namespace_;
  bool chosen_;  // on the command line
  std::stop_token stop_;
};

/// "pod", "deployment.apps".
std::string kind_word(const kube::meta::ResourceInfo& resource);
/// "pod/web", "deployment.apps/web".
std::string object_word(const kube::meta::ResourceInfo& resource, std::string_view name);

/// Prints `Error from server (NotFound): pods "x" not found`, with the operation before the
/// message, and returns the exit status. It reports other errors as report() does: an error
/// about an object or from a server is not a usage error.
int report_server(const kube::Error& error, const std::string& doing = {});
/// Reports what failed for several objects, each in a line where that is possible; returns 0 when
/// there are no errors.
int report_server(const std::vector<kube::Error>& errors);

}  // namespace kubecpp
