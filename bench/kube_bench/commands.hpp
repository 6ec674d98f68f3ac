// SPDX-License-Identifier: Apache-2.0
//
// The commands of kube-bench. Each prints lines of JSON and returns the exit status.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include <kube/client/client.hpp>

namespace kube::bench {

struct SyncOptions {
  bool protobuf = true;
  std::uint64_t events = 0;  ///< Of a storm, by a replay server.
  int storms = 1;
};

/// An informer of pods until its sync, and in storms of events.
int sync(const Client& client, const SyncOptions& options);

struct ListerOptions {
  bool protobuf = true;
  std::string label = "app";             ///< The label of the index and of the selectors.
  std::chrono::milliseconds time{1000};  ///< Of each operation.
  std::uint64_t events_a_second = 0;     ///< Of a storm, by a replay server; 0: none.
};

/// Reads of an informer of pods, one after the other, without and beside a storm of events.
int lister(const Client& client, const ListerOptions& options);

struct QueueOptions {
  std::size_t items = 1'000'000;
  int workers = 4;
};

/// Keys through a WorkQueue.
int queue(const QueueOptions& options);

struct InformersOptions {
  bool protobuf = true;
  std::size_t informers = 200;
  std::uint64_t events = 0;  ///< Of a storm, by a replay server.
};

/// Informers of pods in one process, of one namespace each.
int informers(const Client& client, const InformersOptions& options);

struct WedgeOptions {
  std::chrono::milliseconds idle_timeout{90'000};  ///< InformerOptions::watch_idle_timeout.
  std::chrono::seconds limit{120};
};

/// An informer of pods whose watch falls silent: the time until it has what came after.
int wedge(const Client& client, const WedgeOptions& options);

/// Has a replay server make events, at once or so many a second.
/// @par Errors   Of the request.
Result<void> begin_storm(const Client& client, std::uint64_t events,
                         std::uint64_t events_a_second = 0);

/// Prints the error.
int fail(const Error& error);

}  // namespace kube::bench
