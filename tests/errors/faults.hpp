// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong between a client and a server, each with a way to bring it about.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <kube/client/client.hpp>

#include "loopback_server.hpp"

namespace errors {

struct Fault {
  std::string what;                   ///< "the server hangs"
  std::function<kube::Error()> make;  ///< What a user is told then.
};

std::vector<Fault> configuration_faults();
std::vector<Fault> connection_faults();
std::vector<Fault> answer_faults();

/// The error of a client that has this configuration, of get(), create() or watch(): one attempt.
kube::Error get(const kube::rest::Config& config);
kube::Error create(const kube::rest::Config& config);
kube::Error watch(const kube::rest::Config& config);

template <class T>
kube::Error error_of(const kube::Result<T>& result) {
  return result ? kube::Error(kube::ErrorCode::Internal, "(no error)") : result.error();
}

/// A server that answers every request with these bytes, and closes.
kube::transport::LoopbackServer::Script answers(std::string bytes);
/// The head with a Content-Length, and the body.
std::string answer(const std::string& status_and_headers, const std::string& body);
kube::rest::Config config_for(const kube::transport::LoopbackServer& server);

}  // namespace errors
