// SPDX-License-Identifier: Apache-2.0
//
// Requests one object or all objects of a resource, as tables or as objects.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/client/client.hpp>
#include <kube/json/value.hpp>

#include "table_printer.hpp"
#include "targets.hpp"

namespace kubecpp {

class GetQuery {
 public:
  /// `in_namespace` is empty for all namespaces. `list` selects the objects of a resource.
  GetQuery(const Cluster& cluster, ResolvedTarget target, std::string in_namespace,
           kube::ListOptions list, std::stop_token stop)
      : cluster_(cluster),
        target_(std::move(target)),
        namespace_(std::move(in_namespace)),
        list_(std::move(list)),
        stop_(std::move(stop)) {}

  /// Adds the server's rows, page by page.
  kube::Result<void> add_rows(TablePrinter& table) const;
  kube::Result<std::vector<kube::Unstructured>> objects() const;

 private:
  kube::Result<kube::json::Value> page(const kube::ListOptions& list) const;

  const Cluster& cluster_;
  const ResolvedTarget target_;
  const std::string namespace_;
  const kube::ListOptions list_;
  const std::stop_token stop_;
};

}  // namespace kubecpp
