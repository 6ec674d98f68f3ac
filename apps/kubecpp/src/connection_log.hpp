// SPDX-License-Identifier: Apache-2.0
//
// Messages about an informer's connection, each printed once.
#pragma once

#include <optional>
#include <string>

#include <kube/cache/informer_status.hpp>

namespace kubecpp {

/// Turns the states of an informer, polled from time to time, into log lines.
class ConnectionLog {
 public:
  /// Returns the line to print, if any: when the connection is lost (or the server returns an
  /// error), and when it is back.
  std::optional<std::string> next_line(const kube::InformerStatus& status);

 private:
  struct Trouble {
    kube::ErrorCode code;
    int http_status;
    bool operator==(const Trouble&) const = default;
  };
  std::optional<Trouble> trouble_;  // printed and not yet over
};

}  // namespace kubecpp
