// SPDX-License-Identifier: Apache-2.0
//
// The states of a reflector, and what it does in each (docs/reference/informers-and-queues.md
// ch. 12). A state owns its data: what a list has brought ends with the list. next() decides; it
// knows no clock, executor, log or target. The effects are done by Reflector, in their order.
// (The objects themselves are read in reflector_objects.cpp.)
//
// reflector_states_test.cpp reads this table and tries each row: an input of a state, the next
// state, the effects. (List) is Waiting for the answer of Pace, Pause or Begin, and then for a
// list. After a semicolon is what is remembered:
//   version     Versions::last is the version of the target's new state
//   lost        Versions::unavailable: what is asked for next is the newest version
//   doubt       Versions::in_doubt: a list follows the watch
//   no streams  initial states are listed for an hour
// What is dropped on the way out of a state is Freed, and a watch that was open is WatchEnded.
//
//        input                                    next       effects
//   Waiting
//   P1   Begin                                    (List)     BeginList, Pace
//   P2   Begin, may stream                        (Stream)   BeginAnew, Pace
//   P3   Due, after Pause: a cycle                (Cycle)    Begin
//   P4   Due, after Pause: a stream               (Stream)   BeginAnew, Pace
//   P5   Due, after Pause: a watch                (Watch)    Pace
//   P6   Due, after Pause: a watch of no version  (Cycle)    EndCycle, Begin
//   P7   Due, after Pace: a list                  Listing    Send
//   P8   Due, after Pace: a stream                Streaming  Expect, Send
//   P9   Due, after Pace: a watch                 Watching   Expect, Send
//   P10  Saved                                    (Resume)   Pace; version
//   P11  Due, after Pause: a saved state          (Resume)   Pace
//   P12  Due, after Pace: a saved state           Resuming   Expect, Send
//
//   Resuming
//   R1   Opened                                   Resuming   Expect, Accepted
//   R2   Event                                    Resuming   Expect, Replace
//   R3   Late                                     Resuming   Expect, Replace
//   R4   Late, not open                           (Resume)   Pace
//   R5   Replaced                                 Watching   Synced
//   R6   Replaced, an Error                       (Cycle)    Fail, EndCycle, Pause
//   R7   Ended, refused                           Resuming   Ask
//   R8   Ended, broke off                         (Resume)   Fail, Pause
//   R9   Ended, its connection is retired         (Resume)   Pace
//   R10  Refused, learned                         (Resume)   Pace
//   R11  Refused, not now, or credentials         (Resume)   Fail, Pause
//   R12  Refused, the version is gone             (Cycle)    Note, Begin
//   R13  Refused, the version otherwise           (Cycle)    Note, Begin; lost
//   R14  Refused, otherwise                       (Cycle)    Fail, EndCycle, Pause
//   R15  ErrorEvent, 500 to retry                 (Resume)   Pace
//   R16  ErrorEvent, not now, or credentials      (Resume)   Fail, Pause
//   R17  ErrorEvent, the version is gone          (Cycle)    Note, Begin
//
//   Listing
//   L1   Page, not the last                       (List)     Pace
//   L2   Page, the last                           Listing    Replace
//   L3   Page, no version, or a token again       (Cycle)    Fail, EndCycle, Pause
//   L4   Replaced                                 (Watch)    Synced, Pace; version
//   L5   Replaced, an Error                       (Cycle)    Fail, EndCycle, Pause
//   L6   Ended                                    Listing    Ask
//   L7   Refused, learned: the same page          (List)     Pace
//   L8   Refused, the token: all at once, once    (List)     BeginAnew, Pace
//   L9   Refused, the version: the newest, once   (List)     BeginAnew, Pace; lost
//   L10  Refused, the third 500 at our version    (Cycle)    Fail, EndCycle, Pause; lost
//   L11  Refused, otherwise                       (Cycle)    Fail, EndCycle, Pause
//
//   Streaming
//   S1   Opened                                   Streaming  Accepted
//   S2   Announced                                Streaming  Expect, Replace
//   S3   Replaced                                 Watching   Synced; version
//   S4   Replaced, no version                     Watching   Synced; version, lost, doubt
//   S5   Replaced, an Error                       (List)     Note, BeginList, Pace
//   S6   Ended, broke off                         (Stream)   Note, BeginAnew, Pace
//   S7   Ended, the third, or at once, no event   (List)     Note, BeginList, Pace; no streams
//   S8   Ended, refused or unreadable             Streaming  Ask
//   S9   ErrorEvent                               Streaming  Ask
//   S10  Refused, learned                         (Stream)   BeginAnew, Pace
//   S11  Refused, 429 or no answer                (Stream)   Fail, Pause
//   S12  Refused, the version: the newest, once   (Stream)   BeginAnew, Pace; lost
//   S13  Refused, streams                         (List)     Note, BeginList, Pace; no streams
//   S14  Refused, otherwise                       (List)     Note, BeginList, Pace
//   S15  Late, before the last deadline           Streaming  Expect
//   S16  Late                                     (List)     Note, BeginList, Pace; no streams
//   S17  Threw                                    (List)     Note, BeginList, Pace
//   S18  Ended, its connection is retired         (Stream)   BeginAnew, Pace
//
//   Watching
//   W1   Opened                                   Watching   Accepted
//   W2   Ended, or its connection is retired      (Watch)    CredentialsWork, Pace
//   W3   Ended, in doubt                          (Cycle)    CredentialsWork, Note, EndCycle, Pause
//   W4   Ended, broke off                         (Watch)    Note, CredentialsWork, Pace
//   W5   Ended, broke off in doubt                (Cycle)    Note, CredentialsWork, Note, EndCycle,
//                                                            Pause
//   W6   Ended, very short, or unreadable         (Cycle)    Note, EndCycle, Pause
//   W7   Ended, refused                           Watching   Ask
//   W8   Refused, learned                         (Watch)    Pace
//   W9   Refused, not now                         (Watch)    Unopened, Pause
//   W10  Refused, credentials                     (Watch)    Fail, Pause
//   W11  Refused, the version                     (Cycle)    Fail, EndCycle, Pause; lost
//   W12  Refused, otherwise                       (Cycle)    Fail, EndCycle, Pause
//   W13  ErrorEvent, credentials                  (Watch)    CredentialsWork, Fail, Pause
//   W14  ErrorEvent, credentials, very short      (Watch)    Fail, Pause
//   W15  ErrorEvent, 429                          (Watch)    Note, Pause
//   W16  ErrorEvent, 500 to retry                 (Watch)    Note, Pace
//   W17  ErrorEvent, 500 to retry, no version     (Cycle)    Note, EndCycle, Begin
//   W18  ErrorEvent, the version                  (Cycle)    Note, EndCycle, Pause; lost
//   W19  ErrorEvent, otherwise                    (Cycle)    Note, EndCycle, Pause
//   W20  Late                                     (Watch)    Note, CredentialsWork, Pace
//   W21  Late, in doubt                           (Cycle)    Note, CredentialsWork, Note, EndCycle,
//                                                            Pause
//
//   any, unless above
//   A1   Threw                                    (Cycle)    Fail, EndCycle, Pause
//   A2   Fault                                    (Cycle)    Fail, EndCycle, Pause
//   A3   ResyncFailed                             (Cycle)    Note, EndCycle, Pause
//   A4   Stop                                     Stopped
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
    if (version_problem(version)) return;
    last = std::move(version);
    unavailable = false;
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
  /// What had come before the current page, which may be asked for again.
  struct {
    std::size_t items = 0;
    std::size_t bytes = 0;
    Refusals refusals{};
  } before_page{};
};

/// The initial state comes as events, on the stream that becomes the watch.
struct Streaming {
  int streams = 1;  ///< Opened in this cycle, with this one.
  WatchRequest request{};
  TimePoint heard{};      ///< When the last events were handled.
  bool in_doubt = false;  ///< A change of a received object could not be read.
  std::string version{};  ///< Of the end of the initial state.
  InitialObjects objects{};
  std::size_t refused_bytes = 0;
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
/// A list or an initial state can't go on, or a step has thrown.
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
