// SPDX-License-Identifier: Apache-2.0
//
// What people should know of an informer's connection, once each.
#pragma once

#include <optional>
#include <string>

#include <kube/cache/informer_status.hpp>

namespace kubecpp {

/// Turns states of an informer, looked at from time to time, into news.
class ConnectionNews {
 public:
  /// The line to print, if there is one: that the connection is lost (or what else the server said
  /// no to), and that it is back.
  std::optional<std::string> look(const kube::InformerStatus& status);

 private:
  struct Trouble {
    kube::ErrorCode code;
    int http_status;
    bool operator==(const Trouble&) const = default;
  };
  std::optional<Trouble> trouble_;  // told of last, not over yet
};

}  // namespace kubecpp
