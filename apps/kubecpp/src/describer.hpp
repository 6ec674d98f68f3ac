// SPDX-License-Identifier: Apache-2.0
//
// The texts of `kubecpp describe`: an object with what belongs to it on the server.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/names/group_version.hpp>

#include "cluster.hpp"
#include "description.hpp"

namespace kubecpp {

/// Describes objects of one cluster.
/// @par Thread safety   One thread at a time.
class Describer {
 public:
  /// `chunk` is the size of the pages of lists.
  Describer(const Cluster& cluster, bool show_events, std::int64_t chunk, std::stop_token stop)
      : cluster_(cluster), show_events_(show_events), chunk_(chunk), stop_(std::move(stop)) {}

  /// Returns the description in kubectl's layout for the kind: of a Pod, Node, Deployment, Service,
  /// Secret, ConfigMap or Namespace; otherwise all fields of the object.
  /// @par Errors   Those of the requests for what belongs to the object.
  /// @par Blocks   Until the responses are complete.
  kube::Result<std::string> describe(const kube::meta::ResourceInfo& resource,
                                     const kube::Unstructured& object) const;

 private:
  using Objects = std::vector<kube::Unstructured>;

  void add_fields(const kube::Unstructured& object, Description& out) const;
  void add_secret(const kube::Unstructured& object, Description& out) const;
  void add_config_map(const kube::Unstructured& object, Description& out) const;
  void add_namespace(const kube::Unstructured& object, Description& out) const;
  void add_deployment(const kube::Unstructured& object, Description& out) const;
  void add_service(const kube::Unstructured& object, Description& out) const;
  kube::Result<void> add_node(const kube::Unstructured& object, Description& out) const;
  void add_lease(std::string_view node, Description& out) const;
  void add_events(const kube::Unstructured& object, Description& out) const;

  // Returns the objects of a resource; an error when the server has none of that kind.
  kube::Result<Objects> list(const kube::meta::ResourceInfo& resource, std::string_view namespace_,
                             const std::string& labels, const std::string& fields) const;
  Objects events_of(const kube::Unstructured& object, std::string_view kind,
                    std::string_view uid) const;

  const Cluster& cluster_;
  const bool show_events_;
  const std::int64_t chunk_;
  const std::stop_token stop_;
};

/// Adds a table of events, the oldest first; <none> without any.
void describe_events(std::vector<kube::Unstructured> events, Description& out);

/// Adds the pods that run on a node, and the sums of what they request.
void describe_node_pods(const kube::json::Value& node, const std::vector<kube::Unstructured>& pods,
                        Description& out);

}  // namespace kubecpp
