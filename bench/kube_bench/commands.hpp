// SPDX-License-Identifier: Apache-2.0
//
// The commands of kube-bench. Each prints lines of JSON and returns the exit status.
#pragma once

#include <cstdint>
#include <string>

#include <kube/client/client.hpp>

namespace kube::bench {

struct SyncOptions {
  bool protobuf = true;
  bool watch_list = true;
  std::uint64_t events = 0;  ///< Of a storm, by a replay server.
  int storms = 1;
};

/// An informer of pods until its sync, and in storms of events.
int sync(const Client& client, const SyncOptions& options);

/// Has a replay server make events.
/// @par Errors   Of the request.
Result<void> begin_storm(const Client& client, std::uint64_t events);

/// Prints the error.
int fail(const Error& error);

}  // namespace kube::bench
