// SPDX-License-Identifier: Apache-2.0
//
// The faults of docs/fault-list.md that a proxy can inject.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "faulty_front.hpp"
#include "random.hpp"
#include "truth.hpp"

namespace kube::apiserver {
class ApiServer;
}

namespace real_threads {

using faulty_front::Fate;
using faulty_front::Fates;
using faulty_front::Request;
using faulty_front::Way;
using kube::testing::Random;

enum class Kind { Get, List, Watch, Stream, Write };
/// A Stream is a watch that asks for the initial state.
Kind kind_of(const Request& request);
inline const std::vector<Kind> kStreams{Kind::Watch, Kind::Stream};
inline const std::vector<Kind> kListsAndWatches{Kind::List, Kind::Watch, Kind::Stream};
inline const std::vector<Kind> kReads{Kind::Get, Kind::List, Kind::Watch, Kind::Stream};
inline const std::vector<Kind> kAll{Kind::Get, Kind::List, Kind::Watch, Kind::Stream, Kind::Write};

/// What a fault draws from, and how long its times take here.
struct Chance {
  Random dice;
  std::function<std::chrono::milliseconds(std::chrono::milliseconds)> real;
};

struct Fault;

/// What a fault does to the cluster, between requests.
struct Surroundings {
  faulty_front::FaultyFront& front;
  kube::apiserver::ApiServer& server;
  Random& dice;
};

struct Fault {
  std::string number{};  ///< "F-01"
  std::string name{};    ///< What is injected; the fates of it have this name.
  /// The fates of the requests of one run.
  std::function<Fates(Chance chance)> fates{};
  /// Called about once a second. Returns whether it did something.
  std::function<bool(Surroundings& at)> stir{};
  kube::testing::Lies lies{};
  bool goes_back = false;     ///< The version of the cache may fall, its objects do not.
  bool stale = false;         ///< A list may be as old as it likes.
  bool held_back = false;     ///< Events wait for the next one: connections are cut in the end.
  bool needs_writes = false;  ///< Concerns what controllers write.
};

/// Whether the scenarios with rules of their own hold, too.
inline bool is_honest(const Fault& fault) {
  return !fault.lies.any() && !fault.goes_back;
}

std::vector<Fault> all_faults();
std::vector<Fault> connection_faults();
std::vector<Fault> status_faults();
std::vector<Fault> content_faults();
std::vector<Fault> cluster_faults();

/// Requests of these kinds meet the fate, one in so many.
std::function<Fates(Chance)> fates_of(std::vector<Kind> kinds, std::uint64_t one_in,
                                      std::function<Fate(Chance& chance, const Request&)> fate);
/// The same, for a fate that is always the same.
std::function<Fates(Chance)> fates_of(std::vector<Kind> kinds, std::uint64_t one_in, Fate fate);

/// A line of a watch in JSON that is not the server's.
std::string error_event(int code, std::string_view reason);
std::string bookmark_event(std::string_view kind, std::string_view version);

/// What a fault has to know of an event in JSON.
struct EventFacts {
  std::string type{};
  std::string key{};
  std::string version{};
  bool ends_initial_state = false;
};
EventFacts facts_of(const std::string& event);
std::string with_type(const std::string& event, std::string_view type);

}  // namespace real_threads
