// SPDX-License-Identifier: Apache-2.0
//
// The addresses on which a port forwarder listens.
#pragma once

#include <string>
#include <vector>

#include <kube/base/result.hpp>

namespace kube::portforward {

struct ListenAddress {
  std::string ip{};
  bool required = false;  ///< Those of "localhost" are not: one of them suffices.
  bool operator==(const ListenAddress&) const = default;
};

/// Returns the addresses in order, each once: an IP address that is named is required, also when
/// "localhost" has it.
/// @par Errors   InvalidArgument: "you must specify at least 1 address", "X is not a valid IP".
Result<std::vector<ListenAddress>> parse_addresses(const std::vector<std::string>& texts);

}  // namespace kube::portforward
