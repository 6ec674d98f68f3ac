// SPDX-License-Identifier: Apache-2.0
//
// The states of a reflector, and what it does in each (docs/reference/informers-and-queues.md
// ch. 12). A state owns its data: what a list has brought ends with the list. next() decides; it
// knows no clock, executor, log or target. The effects are done by Reflector, in their order, and
// those marked > end in an input. (The objects themselves are read in reflector_objects.cpp.)
//
//   state       input             next state      effects
//   Waiting     Begin             Waiting(List)   BeginList, >Pace
//                                 Waiting(Stream) BeginAnew, >Pace, where it may
//               Saved             Waiting(Resume) >Pace
//               Due, after Pause  Waiting         >Pace; for a cycle, or without a version, >Begin
//               Due, after Pace   what it awaits  Send; but for a list also Expect
//   Resuming    Opened            Resuming        Accepted, Expect
//               Event             Resuming        Expect, >Replace
//               Late              Resuming        as Event; if it is not open Waiting(Resume),
//               >Pace Replaced          Watching        Synced Ended (refused)   Resuming >Ask
//               Ended, broke off  Waiting(Resume) Fail, >Pause
//               Refused, learned  Waiting(Resume) >Pace
//                 not now         Waiting(Resume) Fail, >Pause
//                 version refused Waiting(Cycle)  Note, >Begin: the saved state is dropped
//                 otherwise       Waiting(Cycle)  Fail, EndCycle, >Pause
//               ErrorEvent        as Refused
//   Listing     Page, not last    Waiting(List)   >Pace
//               Page, the last    Listing         >Replace
//               Replaced          Waiting(Watch)  Synced, >Pace
//               Ended (failed)    Listing         >Ask
//               Refused, learned  Waiting(List)   >Pace; the same page
//                 token expired   Waiting(List)   BeginAnew, >Pace; everything at once, once
//                 version refused Waiting(List)   BeginAnew, >Pace; the newest version, once
//                 otherwise       Waiting(Cycle)  Fail, EndCycle, >Pause
//   Streaming   Opened            Streaming       Accepted
//               Announced         Streaming       Expect, >Replace
//               Replaced          Watching        Synced; with an Error: a list instead
//               Ended, broke off  Waiting(Stream) Note, BeginAnew, >Pace; the third time a list
//                                                 instead
//               Ended (refused), ErrorEvent
//                                 Streaming       >Ask
//               Refused, learned  Waiting(Stream) BeginAnew, >Pace
//                 429, no answer  Waiting(Stream) Fail, >Pause
//                 version refused Waiting(Stream) BeginAnew, >Pace; the newest version, once
//                 otherwise       Waiting(List)   Note, BeginList, >Pace: a list instead
//               Late              Streaming       Expect; after the last deadline a list instead
//               Threw             Waiting(List)   a list instead
//   Watching    Opened            Watching        Accepted
//               Ended             Waiting(Watch)  CredentialsWork, >Pace; EndCycle, >Pause if a
//                                                 change may have been missed
//               Ended, very short, or unreadable
//                                 Waiting(Cycle)  Note, EndCycle, >Pause
//               Ended (refused)   Watching        >Ask
//               Refused, learned  Waiting(Watch)  >Pace
//                 not now         Waiting(Watch)  Unopened, >Pause
//                 credentials     Waiting(Watch)  Fail, >Pause
//                 otherwise       Waiting(Cycle)  Fail, EndCycle, >Pause
//               ErrorEvent: credentials as above
//                 429             Waiting(Watch)  Note, >Pause
//                 500, to retry   Waiting(Watch)  Note, >Pace
//                 otherwise       Waiting(Cycle)  Note, EndCycle, >Pause
//               Late              Waiting(Watch)  as after Ended
//   any         Threw, Fault      Waiting(Cycle)  Fail, EndCycle, >Pause
//               ResyncFailed      Waiting(Cycle)  Note, EndCycle, >Pause
//               Stop              Stopped
//
// What is dropped on the way out of a state is Freed, and a watch that was open is WatchEnded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "initial_objects.hpp"
#include "reflector_bounds.hpp"

#include <kube/base/clock.hpp>
#include <kube/base/error.hpp>
#include <kube/base/log.hpp>
#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/client/list.hpp>
#include <kube/meta/options.hpp>

namespace kube::cache {

/// The objects that were refused, for one report about all.
struct Refusals {
  std::size_t count = 0;
  std::optional<Error> first{};
  void add(const Error& error) {
    ++count;
    if (!first) first = error;
  }
  /// Returns the error of at least one refused object. `from`: "list pods".
  Error sum(const std::string& from) const {
    return first->with_context(from + ": objects refused: " + std::to_string(count) +
                               ", the first");
  }
};

/// The objects on one page of a list, if no other number is asked for.
inline constexpr std::int64_t kPageSize = 500;

/// What a reflector knows of versions.
struct Versions {
  std::string last{};  ///< That of the target's state: what a watch begins at.
  /// The server no longer has `last`, does not have it yet, or does not accept it.
  bool unavailable = false;
  int failed_lists = 0;         ///< Consecutive ones at `last` that failed on the server.
  bool zero_was_paged = false;  ///< The server does not list from its watch cache.
  /// A change may have been missed, because an object of the watch could not be read. When the
  /// watch ends, a list follows instead of another watch.
  bool in_doubt = false;
  std::int64_t page_size = 0;  ///< ReflectorOptions::page_size

  std::string to_list() const {
    if (unavailable) return "";
    return last.empty() ? "0" : last;
  }
  /// Returns the limit of a list. With one, a server can't list from its watch cache unless any
  /// version is acceptable.
  std::int64_t limit(std::string_view version) const {
    if (page_size > 0) return page_size;
    return zero_was_paged || version.empty() || version == "0" ? kPageSize : 0;
  }
  /// Takes the version of an event, which counts whatever became of its object.
  void came(std::string version) {
    if (!version_problem(version)) last = std::move(version);
  }
};

/// What an informer had at one moment.
struct SavedState {
  std::vector<CellRef> objects{};
  std::string version{};  ///< With all changes up to it.
  Duration age{};         ///< When it was read.
};

// ---- states

/// One request for a watch.
struct WatchRequest {
  TimePoint opened{};
  Duration time{};     ///< What it asks for.
  std::string from{};  ///< The last version when it was sent.
  bool is_open = false;
  std::uint64_t events = 0;
};

/// One page of a list is under way.
struct Listing {
  TimePoint begun{};
  std::string asked{};  ///< version
  std::int64_t limit = 0;
  std::string token{};
  ContinueTokens tokens{};
  bool whole = false;     ///< Already tried again at once after an expired token.
  bool newest = false;    ///< Already tried with the newest version.
  std::string version{};  ///< Of the first page.
  std::vector<CellRef> items{};
  std::size_t page_items = 0;  ///< Accepted from the current page.
  std::optional<std::size_t> expected{};
  std::size_t bytes = 0;  ///< Of items and tokens.
  Refusals refusals{};
};

/// The initial state comes as events, on the stream that becomes the watch.
struct Streaming {
  int streams = 1;  ///< Opened in this cycle, with this one.
  WatchRequest request{};
  TimePoint heard{};      ///< When the last events were handled.
  bool in_doubt = false;  ///< A change of a received object could not be read.
  std::string version{};  ///< Of the end of the initial state.
  InitialObjects objects{};
  Refusals refusals{};
};

struct Watching {
  WatchRequest request{};
};

/// The watch of a saved state is under way. Its objects wait here until the server has sent an
/// event that is no error, or nothing for a while: a head alone says little, as kube-apiserver
/// refuses a version that it no longer has behind that of a 200.
struct Resuming {
  WatchRequest request{};
  std::vector<CellRef> objects{};
};

struct Cycle {};  ///< A new one: a list, or a stream.

/// No request is under way.
struct Waiting {
  std::variant<Cycle, Resuming, Listing, Streaming, Watching> then{};
  bool paused = false;  ///< A pause has to end before the pace is asked.
};

struct Stopped {};

struct ReflectorState {
  std::variant<Waiting, Resuming, Listing, Streaming, Watching, Stopped> phase{};
  Versions versions{};
  TimePoint no_streams_before = TimePoint::min();
  std::string subject{};  ///< What is listed and watched, for errors: "pods".
};

// ---- inputs

namespace input {
struct Begin {
  bool may_stream = false;
};
/// In place of the first Begin.
struct Saved {
  SavedState state{};
};
struct Due {
  Duration time{};  ///< What a watch asks for.
};
struct Opened {};
/// The first one of a watch, and no error.
struct Event {};
struct Page {
  ListInfo info{};
};
/// Of a watch; with an Error, of any response.
struct Ended {
  Optional<Error> error{};
};
/// After Ask.
struct Refused {
  Error error;
  bool learned = false;  ///< Another request may be accepted.
};
struct ErrorEvent {
  Error error;
  bool retry = false;  ///< By ReflectorOptions::max_internal_error_retry.
};
/// The end of a streamed initial state.
struct Announced {
  std::string version{};
};
struct Replaced {
  Result<void> result{};
};
struct Late {
  TimePoint heard{};  ///< When the server last sent a byte.
};
/// The source has thrown.
struct Threw {
  Error error;
};
/// A list can't go on, or a step has thrown.
struct Fault {
  Error error;
};
struct ResyncFailed {
  Error error;
};
struct Stop {};
}  // namespace input

using Input =
    std::variant<input::Begin, input::Saved, input::Due, input::Opened, input::Event, input::Page,
                 input::Ended, input::Refused, input::ErrorEvent, input::Announced, input::Replaced,
                 input::Late, input::Threw, input::Fault, input::ResyncFailed, input::Stop>;

// ---- effects

namespace effect {
struct Begin {};      ///< Asks whether to stream, unless stop is requested.
struct BeginList {};  ///< Its deadline begins.
struct BeginAnew {};  ///< An initial state, in place of what has come of one.
struct Pace {};       ///< Reports refused events, and waits until another request may be sent.
struct Pause {
  enum class Why : std::uint8_t { Failure, Denied, Credentials } why{};
  Duration at_least{};
};
struct Send {};  ///< The request of the state.
/// The response has to end by then.
struct Expect {
  TimePoint end{};
};
/// Asks the source whether it has learned from a refusal.
struct Ask {
  Error error;
};
struct Accepted {};  ///< A watch.
struct Replace {
  std::vector<CellRef> items{};
  std::string version{};
  std::optional<TimePoint> begun{};     ///< Of a list.
  std::optional<ListOptions> checks{};  ///< The options, if a consistency check makes sense.
  bool saved = false;                   ///< Not from the server.
};
/// The target has a whole state.
struct Synced {
  Refusals refusals{};
  std::optional<Error> problem{};  ///< No watch can follow.
  bool flush = false;
};
/// Remembers why a request follows, and logs it.
struct Note {
  LogLevel level{};
  const char* line = nullptr;  ///< Null: not logged.
  Optional<Error> error{};
  bool version = false;  ///< The line has the last version.
};
/// Is a failure for the condition and the watch error handler.
struct Fail {
  Error error;
};
/// Changes the condition, and is logged now and then.
struct Unopened {
  Error error;
};
struct CredentialsWork {};  ///< Their pauses start over.
struct EndCycle {};         ///< Its timers end.
/// What was dropped.
struct Freed {
  std::size_t bytes = 0;
  std::size_t objects = 0;  ///< Of a list.
};
/// For the metrics.
struct WatchEnded {
  std::uint64_t events = 0;
  Duration time{};
  bool is_short = false;
};
}  // namespace effect

using Effect =
    std::variant<effect::Begin, effect::BeginList, effect::BeginAnew, effect::Pace, effect::Pause,
                 effect::Send, effect::Expect, effect::Ask, effect::Accepted, effect::Replace,
                 effect::Synced, effect::Note, effect::Fail, effect::Unopened,
                 effect::CredentialsWork, effect::EndCycle, effect::Freed, effect::WatchEnded>;

struct Step {
  ReflectorState state{};
  std::vector<Effect> effects{};
};

/// Returns what follows. An input that means nothing in a state changes nothing.
Step next(ReflectorState state, Input input, TimePoint now);

}  // namespace kube::cache
