// SPDX-License-Identifier: Apache-2.0
//
// A cluster that has the pods: it is filled, and written to at a steady rate.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <kube/client/client.hpp>

#include "connection.hpp"

namespace kube::bench {

/// How many pods there are and where each is.
struct Pods {
  static constexpr int kPerNamespace = 500;
  int count = 10'000;

  int namespaces() const { return count / kPerNamespace; }
  std::string namespace_of(int pod) const { return "n" + std::to_string(pod % namespaces()); }
  /// "/api/v1/namespaces/N/pods"
  std::string list(int pod) const { return "/api/v1/namespaces/" + namespace_of(pod) + "/pods"; }
  std::string path(int pod) const { return list(pod) + "/p" + std::to_string(pod); }
};

/// @par Thread safety   None: for one thread at a time.
class Cluster {
 public:
  Cluster(const std::string& kubeconfig, const Pods& pods);

  /// Where it is, with the credentials of the file.
  const Address& address() const { return address_; }
  const std::string& url() const { return url_; }
  /// Creates the pods. They differ, and are of the size that running pods have.
  void fill() const;
  /// Returns the mean size of a pod in JSON, in bytes.
  double pod_bytes() const;
  /// The version to watch from.
  std::string version() const;

  struct Written {
    std::size_t events;
    double seconds;
  };
  /// Changes pods, of each namespace in turn, `rate` a second. Each change says when it was sent.
  Written write(std::size_t rate, std::chrono::milliseconds time) const;

 private:
  std::string url_;
  Address address_;
  Client client_;
  Pods pods_;
};

}  // namespace kube::bench
