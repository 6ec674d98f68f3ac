// SPDX-License-Identifier: Apache-2.0
//
// What a fault scenario is: a server that misbehaves, a client that meets it, and the bounds that
// the client keeps meanwhile.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "connection.hpp"
#include "loopback_server.hpp"

namespace faults {

/// What the client may use up while the server misbehaves. On a slow machine it does less of all,
/// so that none of them depends on how fast it is.
struct Bounds {
  std::size_t most_in_a_second = 8;  ///< Requests, in any second; also connections.
  /// Of all the time, above so many at once; also connections.
  double requests_per_second = 2;
  double reports_per_second = 2;    ///< Calls of the watch error handler, likewise.
  double log_lines_per_second = 4;  ///< Likewise.
  std::size_t peak_mib = 64;        ///< Resident memory, most.
  std::size_t left_mib = 16;  ///< Resident memory at the end, more than that of an idle client.
  std::string says{};         ///< Part of what the user reads; empty: anything.
};

enum class Work {
  Informer,  ///< A SharedInformer<Pod> of all namespaces.
  Get,       ///< Api<Pod>::get(), again and again with a quarter of a second between.
  List,      ///< Api<Pod>::list_all(), likewise.
  Create,    ///< Api<Pod>::create(), likewise.
};

/// Where a scenario says nothing else. A program that calls asks each quarter of a second, and
/// list_all() may need three requests.
Bounds usual_bounds(Work work);

enum class Certificate {
  None,  ///< The server speaks no TLS.
  Good,
  OtherName,  ///< For another host.
  Stranger,   ///< Of an authority that the client does not know.
};

struct Setup {
  Work work = Work::Informer;
  std::chrono::milliseconds idle_timeout{90'000};  ///< InformerOptions::watch_idle_timeout
  std::chrono::milliseconds timeout{0};            ///< rest::Config::timeout
  bool watch_list = false;
  bool https = false;  ///< What the client is given as a URL.
};

struct Scenario {
  std::string name;
  std::string server;  ///< What it does, as the table says it.
  Setup setup{};
  Bounds bounds{};

  // An answer that is not set is an honest one.
  Answer list{};
  Answer watch{};
  Answer other{};  ///< To everything else.
  /// Instead of reading requests at all.
  std::function<void(Connection&)> connection{};

  bool listens = true;  ///< False: connections are refused.
  Certificate certificate = Certificate::None;
  bool http2 = false;  ///< Takes HTTP/2, when `connection` speaks it.
  std::chrono::milliseconds restart_every{0};
  /// False: the misbehaviour ends by itself, and the client must get over it without being cut off.
  bool cut_to_mend = true;
  bool slow = false;   ///< Its recovery takes half a minute or more, in which nothing happens.
  bool heavy = false;  ///< Runs beside no other heavy one: it takes a processor, or much memory.
};

/// All, in the order of the table.
std::vector<Scenario> all_scenarios();

/// An honest server, to know what a client takes that has nothing to complain of.
Scenario without_fault();
std::vector<Scenario> connection_scenarios();
std::vector<Scenario> status_scenarios();
std::vector<Scenario> list_scenarios();
std::vector<Scenario> watch_scenarios();
std::vector<Scenario> storm_scenarios();
std::vector<Scenario> http2_scenarios();
std::vector<Scenario> call_scenarios();

}  // namespace faults
