// SPDX-License-Identifier: Apache-2.0
//
// A server that has nothing but pods, some of which are none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "loopback_http.hpp"

namespace kube::bench {

/// Every kBadEach-th pod has a number as its spec: JSON, but no Pod.
inline constexpr std::size_t kBadEach = 1000;

bool is_bad(std::size_t number);
/// "namespace/name" of a pod.
std::string pod_key(std::size_t number);

/// Responds to lists with all pods, good ones alone or with bad ones among them, and to watches
/// with events that never come.
///
/// @par Thread safety   One thread accepts, and each connection has one.
class PodServer {
 public:
  PodServer(const std::vector<std::string>& pods, bool has_bad);
  ~PodServer() = delete;  // It ends with the process.

  const std::string& url() const& { return url_; }

 private:
  void accept_all();
  void respond(int connection) const;
  void list(int connection) const;

  const std::vector<std::string>& pods_;
  const bool has_bad_;
  const Listener listener_ = listen_on_loopback();
  std::string url_;
  std::thread acceptor_;
  std::vector<std::thread> connections_;
};

/// Returns the JSON of `count` good pods, of about 2 KB each.
std::vector<std::string> pod_texts(std::size_t count);

}  // namespace kube::bench
