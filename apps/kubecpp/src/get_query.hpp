// SPDX-License-Identifier: Apache-2.0
//
// Requests one object or all objects of a resource, as tables or as objects.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/client/client.hpp>
#include <kube/client/raw_watch.hpp>
#include <kube/json/value.hpp>

#include "targets.hpp"

namespace kubecpp {

class GetQuery {
 public:
  /// `in_namespace` is empty for all namespaces. `list` selects the objects of a resource. `whole`:
  /// rows of tables have the whole object, not only its metadata. `subresource`: instead of a named
  /// object itself.
  GetQuery(const Cluster& cluster, ResolvedTarget target, std::string in_namespace,
           kube::ListOptions list, bool whole, std::stop_token stop, std::string subresource = {})
      : cluster_(cluster),
        target_(std::move(target)),
        namespace_(std::move(in_namespace)),
        list_(std::move(list)),
        whole_(whole),
        stop_(std::move(stop)),
        subresource_(std::move(subresource)) {}

  /// Passes the server's tables to `visit`, page by page. Returns the version of the first one.
  kube::Result<std::string> tables(const std::function<void(kube::json::Value)>& visit) const;
  /// Returns the objects, and in `version` that of the list.
  kube::Result<std::vector<kube::Unstructured>> objects(std::string* version = nullptr) const;
  /// Watches from a version; the objects of events are tables if `as_tables`.
  kube::Result<kube::RawWatch> watch(const std::string& version, bool as_tables) const;

 private:
  kube::Result<kube::Request> request(const char* verb) const;
  kube::Result<kube::json::Value> page(const kube::ListOptions& list) const;

  const Cluster& cluster_;
  const ResolvedTarget target_;
  const std::string namespace_;
  const kube::ListOptions list_;
  const bool whole_;
  const std::stop_token stop_;
  const std::string subresource_;
};

}  // namespace kubecpp
