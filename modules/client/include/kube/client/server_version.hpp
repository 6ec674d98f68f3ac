// SPDX-License-Identifier: Apache-2.0
//
// kube::ServerVersion: the version that a server names at /version.
#pragma once

#include <string>

namespace kube {

struct ServerVersion {
  std::string major{};
  std::string minor{};
  std::string git_version{};
  bool operator==(const ServerVersion&) const = default;
};

}  // namespace kube
