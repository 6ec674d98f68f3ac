// SPDX-License-Identifier: Apache-2.0
//
// The transitions of a reflector, one a row: in this state, by this input, this follows.
#include "reflector_states.hpp"

#include <array>
#include <fstream>
#include <map>
#include <ostream>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kube/transport/connection_retired.hpp>

#include "wire_texts.hpp"

namespace kube::cache {
namespace {
namespace transitions {

using namespace std::chrono_literals;
using testing::make_cell;

const TimePoint kNow{1h};

// ---- as text

struct ShowPhase {
  std::string operator()(const Cycle&) const { return "Cycle"; }
  std::string operator()(const Resuming& r) const {
    return "Resuming " + std::to_string(r.objects.size()) + (r.request.is_open ? " open" : "");
  }
  std::string operator()(const Listing& l) const {
    std::string text = "Listing " + std::to_string(l.items.size()) + " at '" + l.asked + "'";
    if (l.limit > 0) text += " by " + std::to_string(l.limit);
    if (!l.token.empty()) text += " from " + l.token;
    return text;
  }
  std::string operator()(const Streaming& s) const {
    return "Streaming " + std::to_string(s.streams) + (s.request.is_open ? " open" : "");
  }
  std::string operator()(const Watching& w) const {
    return w.request.is_open ? "Watching open" : "Watching";
  }
  std::string operator()(const Waiting& w) const {
    return (w.paused ? "pause, then " : "pace, then ") + std::visit(*this, w.then);
  }
  std::string operator()(const Stopped&) const { return "Stopped"; }
};

struct ShowEffect {
  static std::string seconds(Duration time) {
    return std::to_string(std::chrono::floor<std::chrono::seconds>(time).count()) + "s";
  }
  std::string operator()(const effect::Begin&) const { return "Begin"; }
  std::string operator()(const effect::BeginList&) const { return "BeginList"; }
  std::string operator()(const effect::BeginAnew&) const { return "BeginAnew"; }
  std::string operator()(const effect::Pace&) const { return "Pace"; }
  std::string operator()(const effect::Pause& p) const {
    using Why = effect::Pause::Why;
    std::string text = p.why == Why::Failure  ? "Pause"
                       : p.why == Why::Denied ? "Pause (denied)"
                                              : "Pause (credentials)";
    return p.at_least > 0s ? text + " of " + seconds(p.at_least) : text;
  }
  std::string operator()(const effect::Send&) const { return "Send"; }
  std::string operator()(const effect::Expect& e) const {
    return "Expect " + seconds(e.end - kNow);
  }
  std::string operator()(const effect::Ask&) const { return "Ask"; }
  std::string operator()(const effect::Accepted&) const { return "Accepted"; }
  std::string operator()(const effect::Replace& r) const {
    return "Replace " + std::to_string(r.items.size()) + " at " + r.version +
           (r.checks ? ", to be checked" : "") + (r.saved ? ", saved" : "");
  }
  std::string operator()(const effect::Synced& s) const {
    return std::string("Synced") + (s.problem ? " without a version" : "");
  }
  std::string operator()(const effect::Note& n) const {
    return n.line == nullptr ? "Note" : std::string("Note: ") + n.line;
  }
  std::string operator()(const effect::Fail& f) const { return "Fail: " + f.error.to_string(); }
  std::string operator()(const effect::Unopened&) const { return "Unopened"; }
  std::string operator()(const effect::CredentialsWork&) const { return "CredentialsWork"; }
  std::string operator()(const effect::EndCycle&) const { return "EndCycle"; }
  std::string operator()(const effect::Freed& f) const {
    return "Freed " + std::to_string(f.objects);
  }
  std::string operator()(const effect::WatchEnded& w) const {
    return std::string("WatchEnded") + (w.is_short ? ", short" : "");
  }
};

std::string show(const Step& step) {
  std::string text = std::visit(ShowPhase(), step.state.phase) + " |";
  for (const Effect& each : step.effects) text += ' ' + std::visit(ShowEffect(), each) + ';';
  return text;
}

// ---- as the table of reflector_states.hpp says it

/// "Ended (Watch) CredentialsWork, Pace". What is Freed and WatchEnded is not in the table.
std::string in_table(const ReflectorState& before, const Input& input, const Step& step) {
  constexpr std::array kInputs{"Begin", "Saved",   "Due",          "Opened",    "Event",    "Page",
                               "Ended", "Refused", "ErrorEvent",   "Announced", "Replaced", "Late",
                               "Threw", "Fault",   "ResyncFailed", "Stop"};
  constexpr std::array kPhases{"Waiting",   "Resuming", "Listing",
                               "Streaming", "Watching", "Stopped"};
  constexpr std::array kThen{"(Cycle)", "(Resume)", "(List)", "(Stream)", "(Watch)"};
  static_assert(kInputs.size() == std::variant_size_v<Input>);
  const auto& phase = step.state.phase;
  const auto* waiting = std::get_if<Waiting>(&phase);
  std::string text = kInputs.at(input.index());
  text += std::string(" ") +
          (waiting != nullptr ? kThen.at(waiting->then.index()) : kPhases.at(phase.index()));
  const char* separator = " ";
  const auto add = [&](const std::string& word) { text += std::exchange(separator, ", ") + word; };
  for (const Effect& effect : step.effects) {
    const std::string shown = std::visit(ShowEffect(), effect);
    const std::string name = shown.substr(0, shown.find_first_of(" :,"));
    if (name != "Freed" && name != "WatchEnded") add(name);
  }
  separator = "; ";
  const Versions& versions = step.state.versions;
  if (versions.last != before.versions.last) add("version");
  if (versions.unavailable && !before.versions.unavailable) add("lost");
  if (versions.in_doubt && !before.versions.in_doubt) add("doubt");
  if (step.state.no_streams_before != before.no_streams_before) add("no streams");
  return text;
}

/// Returns the rows of the table by their ids, in the same form.
std::map<std::string, std::string> read_table() {
  std::ifstream source(KUBE_REFLECTOR_STATES);
  std::map<std::string, std::string> table;
  std::string last;
  const std::regex row(R"(//   ([PRLSWA]\d+) +(\w+).*?  +(\S+)(?:  +(\S.*))?)");
  const std::regex more(R"(//  {40,}(\S.*))");  // of the effects of the row above
  std::smatch found;
  for (std::string line; std::getline(source, line) && !line.starts_with("#");) {
    if (std::regex_match(line, found, row)) {
      last = found[1];
      EXPECT_FALSE(table.contains(last)) << line;
      table[last] = found.format(found[4].matched ? "$2 $3 $4" : "$2 $3");
    } else if (std::regex_match(line, found, more) && !last.empty()) {
      table[last] += found.format(" $1");
    }
  }
  return table;
}

// ---- states

template <class P>
ReflectorState state(P phase, Versions versions = {.last = "7"}) {
  return {std::move(phase), std::move(versions), TimePoint::min(), "pods"};
}
Waiting paced(decltype(Waiting::then) then) {
  return {std::move(then), false};
}
Waiting paused(decltype(Waiting::then) then) {
  return {std::move(then), true};
}
Listing listing(std::string asked = "7", std::string token = {}) {
  Listing made{.begun = kNow - 1min, .asked = std::move(asked), .limit = 5, .token = token};
  if (!token.empty()) made.tokens.add(token).value();
  made.version = "9";
  made.items.push_back(make_cell("x/a", "5"));
  made.bytes = 100;
  return made;
}
/// One that began so long ago.
WatchRequest request(Duration age, std::uint64_t events, bool is_open = true) {
  return {kNow - age, 5min, "7", is_open, events};
}
Watching watching(Duration age = 1min, std::uint64_t events = 1) {
  return {request(age, events)};
}
Watching unopened() {
  return {request(1min, 0, false)};
}
Resuming resuming(bool is_open = true, Duration age = 1s) {
  return {request(age, 0, is_open), {make_cell("x/a", "5")}};
}
Streaming streaming(int streams = 1, Duration age = 5s, bool is_open = true) {
  Streaming made{.streams = streams, .request = request(age, is_open ? 1 : 0, is_open)};
  made.heard = made.request.opened;
  if (is_open) made.objects.keep(make_cell("x/a", "5"));
  return made;
}

// ---- inputs

Error status(int code, std::string reason) {
  return Error(ErrorCode::Server, "no").with_http_status(code).with_reason(std::move(reason));
}
const Error kExpired = status(410, "Expired");
const Error kInternal = status(500, "InternalError");
const Error kBusy = status(429, "TooManyRequests").with_retry_after(3s);
const Error kUnauthorized = status(401, "Unauthorized");
const Error kAhead = Error(ErrorCode::Server, "Too large resource version: 7, current: 3")
                         .with_http_status(504)
                         .with_reason("Timeout");
const Error kForbidden = status(403, "Forbidden");
const Error kBadRequest = status(400, "BadRequest");
const Error kReset(ErrorCode::Unreachable, "reset");
const Error kGarbage(ErrorCode::Decode, "garbage");

input::Page page(std::string version, std::string token = {}) {
  return {{.resource_version = std::move(version), .continue_ = std::move(token)}};
}

struct Row {
  const char* id;  ///< In the table of reflector_states.hpp; empty when nothing follows.
  const char* name;
  ReflectorState state;
  Input input;
  const char* follows;  ///< "next state | effect; effect;"
  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
};

std::vector<Row> rows() {
  const Versions none{};
  const Versions lost{.last = "7", .unavailable = true};
  const Versions paged{.last = "7", .zero_was_paged = true};
  const Versions doubted{.last = "7", .in_doubt = true};
  const Versions failed{.last = "7", .failed_lists = 2};
  Listing whole = listing("7", "t1");
  whole.whole = true;
  Listing second_page = listing("7", "t1");
  second_page.before_page = {second_page.items.size(), second_page.bytes, {}};
  for (const char* key : {"x/b", "x/c"}) second_page.items.push_back(make_cell(key, "6"));
  second_page.bytes += 50;
  second_page.refusals.add(kGarbage);
  Listing newest = listing("");
  newest.newest = true;
  Listing refusing = listing("0");
  refusing.refusals.add(kGarbage);
  Streaming doubtful = streaming();
  doubtful.in_doubt = true;
  Streaming announced = streaming();
  announced.version = "9";
  Streaming nothing_came{.request = request(500ms, 0)};
  const Watching short_one = watching(500ms, 0);

  return {
      // ---- waiting
      {"P1", "ACycleListsAtAnyVersionAtFirst", state(paced(Cycle{}), none), input::Begin{false},
       "pace, then Listing 0 at '0' by 500 | BeginList; Pace;"},
      {"P1", "ACycleListsAtLeastItsVersionWithoutALimit", state(paced(Cycle{})),
       input::Begin{false}, "pace, then Listing 0 at '7' | BeginList; Pace;"},
      {"P1", "ACycleListsByPagesWhereTheServerDoes", state(paced(Cycle{}), paged),
       input::Begin{false}, "pace, then Listing 0 at '7' by 500 | BeginList; Pace;"},
      {"P1", "ACycleListsTheNewestOfALostVersion", state(paced(Cycle{}), lost), input::Begin{false},
       "pace, then Listing 0 at '' by 500 | BeginList; Pace;"},
      {"P2", "ACycleStreamsWhereItMay", state(paced(Cycle{})), input::Begin{true},
       "pace, then Streaming 1 | BeginAnew; Pace;"},
      {"P3", "AfterThePauseACycleBegins", state(paused(Cycle{})), input::Due{},
       "pace, then Cycle | Begin;"},
      {"P5", "AfterThePauseAWatchIsPaced", state(paused(Watching{})), input::Due{},
       "pace, then Watching | Pace;"},
      {"P6", "NoWatchBeginsAtNoVersion", state(paused(Watching{}), none), input::Due{},
       "pace, then Cycle | EndCycle; Begin;"},
      {"P4", "AfterThePauseAStreamIsPaced", state(paused(Streaming{2})), input::Due{},
       "pace, then Streaming 2 | BeginAnew; Pace;"},
      {"P7", "AListIsSent", state(paced(listing("7", "t1"))), input::Due{},
       "Listing 1 at '7' by 5 from t1 | Send;"},
      {"P8", "AStreamIsSent", state(paced(Streaming{2})), input::Due{5min},
       "Streaming 2 | Expect 10s; Send;"},
      {"P9", "AWatchIsSent", state(paced(Watching{})), input::Due{5min},
       "Watching | Expect 330s; Send;"},
      {"A2", "ALateListEndsWhileItWaits", state(paced(listing("7", "t1"))), input::Fault{kReset},
       "pause, then Cycle | Fail: reset; EndCycle; Freed 1; Pause;"},

      // ---- resuming
      {"P10", "ASavedStateIsResumedFirst", state(paced(Cycle{}), none),
       input::Saved{{{make_cell("x/a", "5")}, "7"}}, "pace, then Resuming 1 | Pace;"},
      {"P12", "ItsWatchIsSent", state(paced(resuming(false))), input::Due{5min},
       "Resuming 1 | Expect 330s; Send;"},
      {"P11", "AfterThePauseItIsPaced", state(paused(resuming(false))), input::Due{},
       "pace, then Resuming 1 | Pace;"},
      {"R1", "AHeadAloneDoesNotAcceptAVersion", state(resuming(false)), input::Opened{},
       "Resuming 1 open | Expect 1s; Accepted;"},
      {"R2", "AnEventDoes", state(resuming()), input::Event{},
       "Resuming 0 open | Expect 329s; Replace 1 at 7, saved;"},
      {"R3", "ASecondWithoutAnErrorDoes", state(resuming()), input::Late{},
       "Resuming 0 open | Expect 329s; Replace 1 at 7, saved;"},
      {"R5", "TheSameResponseIsTheWatch", state(resuming()), input::Replaced{},
       "Watching open | Synced;"},
      {"R6", "ASavedStateThatIsNotTakenFails", state(resuming()), input::Replaced{kReset},
       "pause, then Cycle | Fail: watch pods: reset; EndCycle; Freed 0; WatchEnded; Pause;"},
      {"R4", "AResponseThatIsLateIsAskedForAgain", state(resuming(false)), input::Late{},
       "pace, then Resuming 1 | Pace;"},
      {"R17", "AnExpiredSavedStateIsListedInstead", state(resuming()), input::ErrorEvent{kExpired},
       "pace, then Cycle | Note: the server does not resume from the saved state; Freed 0; "
       "WatchEnded; Begin;"},
      {"R12", "AlsoByTheResponseItself", state(resuming(false)), input::Refused{kExpired},
       "pace, then Cycle | Note: the server does not resume from the saved state; Freed 0; Begin;"},
      {"R13", "AlsoWhereTheServerIsBehind", state(resuming(false)), input::Refused{kAhead},
       "pace, then Cycle | Note: the server does not resume from the saved state; Freed 0; Begin;"},
      {"R13", "AlsoWhereItDoesNotUnderstandTheVersion", state(resuming(false)),
       input::Refused{kBadRequest},
       "pace, then Cycle | Note: the server does not resume from the saved state; Freed 0; Begin;"},
      {"R11", "ASavedStateOutlivesAServerThatIsNotThere", state(resuming(false)),
       input::Refused{kReset}, "pause, then Resuming 1 | Fail: reset; Pause;"},
      {"R16", "AndOneThatIsBusy", state(resuming()), input::ErrorEvent{kBusy},
       "pause, then Resuming 1 | Fail: no; WatchEnded; Pause of 3s;"},
      {"R11", "AndRefusedCredentials", state(resuming(false)), input::Refused{kUnauthorized},
       "pause, then Resuming 1 | Fail: no; Pause (credentials);"},
      {"R8", "AndAWatchThatBreaksOff", state(resuming()), input::Ended{kReset},
       "pause, then Resuming 1 | Fail: reset; WatchEnded; Pause;"},
      {"R8", "AndOneThatIsClosedAtOnce", state(resuming(true, 500ms)), input::Ended{},
       "pause, then Resuming 1 | Fail: watch pods: the watch ended before anything came; "
       "WatchEnded, short; Pause;"},
      {"R9", "AndARetiredConnection", state(resuming(true, 500ms)),
       input::Ended{transport::connection_retired()},
       "pace, then Resuming 1 | WatchEnded, short; Pace;"},
      {"R7", "TheSourceIsAskedAboutARefusedResumption", state(resuming(false)),
       input::Ended{kInternal}, "Resuming 1 | Ask;"},
      {"R10", "ASourceThatLearnsResumesAgain", state(resuming(false)),
       input::Refused{kInternal, true}, "pace, then Resuming 1 | Pace;"},
      {"R15", "AnInternalErrorIsTriedAgain", state(resuming()), input::ErrorEvent{kInternal, true},
       "pace, then Resuming 1 | WatchEnded; Pace;"},
      {"R14", "ADeniedResumptionFails", state(resuming(false)), input::Refused{kForbidden},
       "pause, then Cycle | Fail: no; EndCycle; Freed 0; Pause (denied);"},
      {"A4", "AStopEndsAResumption", state(resuming()), input::Stop{}, "Stopped | WatchEnded;"},

      // ---- listing
      {"L1", "APageFollowsAPage", state(listing()), page("9", "t1"),
       "pace, then Listing 1 at '7' by 5 from t1 | Pace;"},
      {"L3", "ATokenThatComesAgainFailsTheList", state(listing("7", "t1")), page("9", "t1"),
       "pause, then Cycle | Fail: list pods: expected the continue token of a new page, got one "
       "that was "
       "followed before; "
       "EndCycle; Freed 1; Pause;"},
      {"L3", "AListWithoutAVersionFails", state(listing()), page(""),
       "pause, then Cycle | Fail: list pods: expected a metadata.resourceVersion to watch from; "
       "EndCycle; Freed 1; Pause;"},
      {"L2", "TheLastPageIsTaken", state(listing()), page("10"),
       "Listing 0 at '7' by 5 | Replace 1 at 10;"},
      {"L2", "TheVersionIsThatOfTheFirstPage", state(listing("7", "t1")), page("10"),
       "Listing 0 at '7' by 5 from t1 | Replace 1 at 9;"},
      {"L2", "AListOfAnyVersionMayBeChecked", state(listing("0")), page("10"),
       "Listing 0 at '0' by 5 | Replace 1 at 10, to be checked;"},
      {"L2", "AListWithRefusedObjectsIsNotChecked", state(refusing), page("10"),
       "Listing 0 at '0' by 5 | Replace 1 at 10;"},
      {"L4", "AWatchFollowsAList", state(listing()), input::Replaced{},
       "pace, then Watching | Synced; Pace;"},
      {"L5", "AListThatIsNotTakenFails", state(listing()), input::Replaced{kReset},
       "pause, then Cycle | Fail: list pods: reset; EndCycle; Freed 1; Pause;"},
      {"L6", "TheSourceIsAskedAboutAFailedList", state(listing()), input::Ended{kInternal},
       "Listing 1 at '7' by 5 | Ask;"},
      {"L7", "ASourceThatLearnsListsThePageAgain", state(second_page),
       input::Refused{kInternal, true},
       "pace, then Listing 1 at '7' by 5 from t1 | Freed 2; Pace;"},
      {"L8", "AnExpiredTokenListsAllAtOnce", state(listing("7", "t1")), input::Refused{kExpired},
       "pace, then Listing 0 at '7' | Freed 1; BeginAnew; Pace;"},
      {"L9", "ThatFailsTheSecondTimeForTheNewest", state(whole), input::Refused{kExpired},
       "pace, then Listing 0 at '' by 5 | Freed 1; BeginAnew; Pace;"},
      {"L9", "AnExpiredVersionListsTheNewest", state(listing()), input::Refused{kExpired},
       "pace, then Listing 0 at '' by 5 | Freed 1; BeginAnew; Pace;"},
      {"L9", "AVersionThatIsNotAcceptedListsTheNewest", state(listing()),
       input::Refused{kBadRequest}, "pace, then Listing 0 at '' by 5 | Freed 1; BeginAnew; Pace;"},
      {"L11", "ABadRequestForAnyVersionFails", state(listing("0")), input::Refused{kBadRequest},
       "pause, then Cycle | Fail: no; EndCycle; Freed 1; Pause;"},
      {"L11", "TheNewestThatIsGoneFails", state(newest), input::Refused{kExpired},
       "pause, then Cycle | Fail: no; EndCycle; Freed 1; Pause;"},
      {"L10", "TheThirdListThatFailsLosesItsVersion", state(listing(), failed),
       input::Refused{kInternal}, "pause, then Cycle | Fail: no; EndCycle; Freed 1; Pause;"},
      {"L11", "ARefusedListFails", state(listing()), input::Refused{kInternal},
       "pause, then Cycle | Fail: no; EndCycle; Freed 1; Pause;"},
      {"L11", "ADeniedListWaitsLonger", state(listing()), input::Refused{kForbidden},
       "pause, then Cycle | Fail: no; EndCycle; Freed 1; Pause (denied);"},
      {"L11", "AServerMayAskForAPause", state(listing()), input::Refused{kBusy},
       "pause, then Cycle | Fail: no; EndCycle; Freed 1; Pause of 3s;"},
      {"A1", "ASourceThatThrowsFailsTheList", state(listing()), input::Threw{kReset},
       "pause, then Cycle | Fail: reset; EndCycle; Freed 1; Pause;"},

      // ---- streaming
      {"S1", "AStreamOpens", state(Streaming{}), input::Opened{}, "Streaming 1 open | Accepted;"},
      {"S2", "TheEndOfTheInitialStateIsTaken", state(streaming()), input::Announced{"9"},
       "Streaming 1 open | Expect 325s; Replace 1 at 9, to be checked;"},
      {"S2", "AStreamInDoubtIsNotChecked", state(doubtful), input::Announced{"9"},
       "Streaming 1 open | Expect 325s; Replace 1 at 9;"},
      {"S3", "TheStreamBecomesTheWatch", state(announced), input::Replaced{},
       "Watching open | Synced;"},
      {"S4", "EvenWithoutAVersion", state(streaming()), input::Replaced{},
       "Watching open | Synced without a version;"},
      {"S5", "AStreamThatIsNotTakenIsListedInstead", state(announced), input::Replaced{kReset},
       "pace, then Listing 0 at '7' | Note: initial state could not be streamed, listing instead; "
       "Freed 0; WatchEnded; BeginList; Pace;"},
      {"S6", "AStreamThatBreaksOffFollowsAnother", state(streaming(2)), input::Ended{kReset},
       "pace, then Streaming 3 | Note: watch broke off; Freed 0; WatchEnded; BeginAnew; Pace;"},
      {"S7", "TheThirdIsListedInstead", state(streaming(3)), input::Ended{kReset},
       "pace, then Listing 0 at '7' | Note: initial state could not be streamed, listing instead; "
       "Freed 0; WatchEnded; BeginList; Pace;"},
      {"S7", "OneThatEndsAtOnceWithoutAnEventToo", state(nothing_came), input::Ended{},
       "pace, then Listing 0 at '7' | Note: initial state could not be streamed, listing instead; "
       "WatchEnded, short; BeginList; Pace;"},
      {"S18", "AStreamOfARetiredConnectionDoesNotCount", state(streaming(3)),
       input::Ended{transport::connection_retired()},
       "pace, then Streaming 3 | Freed 0; WatchEnded; BeginAnew; Pace;"},
      {"S18", "NeitherBeforeItIsOpen", state(Streaming{}),
       input::Ended{transport::connection_retired()}, "pace, then Streaming 1 | BeginAnew; Pace;"},
      {"S18", "NorRightAfter", state(nothing_came), input::Ended{transport::connection_retired()},
       "pace, then Streaming 1 | WatchEnded, short; BeginAnew; Pace;"},
      {"S8", "TheSourceIsAskedAboutARefusedStream", state(streaming(1, 5s, false)),
       input::Ended{kReset}, "Streaming 1 | Ask;"},
      {"S8", "AndAboutOneThatCanNotBeRead", state(streaming()), input::Ended{kGarbage},
       "Streaming 1 open | Ask;"},
      {"S9", "AndAboutAnErrorEvent", state(streaming()), input::ErrorEvent{kExpired},
       "Streaming 1 open | Ask;"},
      {"S10", "ASourceThatLearnsStreamsAgain", state(Streaming{}), input::Refused{kInternal, true},
       "pace, then Streaming 2 | BeginAnew; Pace;"},
      {"S11", "ABusyServerIsLeftAlone", state(Streaming{}), input::Refused{kBusy},
       "pause, then Streaming 2 | Fail: no; Pause of 3s;"},
      {"S11", "OneThatDoesNotAnswerToo", state(Streaming{}), input::Refused{kReset},
       "pause, then Streaming 2 | Fail: reset; Pause;"},
      {"S12", "AnExpiredVersionStreamsTheNewest", state(Streaming{}), input::Refused{kExpired},
       "pace, then Streaming 2 | BeginAnew; Pace;"},
      {"S14", "ALostVersionIsListedInstead", state(Streaming{}, lost), input::Refused{kExpired},
       "pace, then Listing 0 at '' by 500 | "
       "Note: initial state could not be streamed, listing instead; BeginList; Pace;"},
      {"S13", "ARefusedStreamIsListedInstead", state(Streaming{}, none),
       input::Refused{kBadRequest},
       "pace, then Listing 0 at '0' by 500 | Note: initial state could not be streamed, listing "
       "instead; "
       "BeginList; Pace;"},
      {"S15", "AStreamThatHasNotBegunIsExpectedForThreeMinutes", state(streaming(1, 10s, false)),
       input::Late{}, "Streaming 1 | Expect 170s;"},
      {"S15", "OneThatTheServerHasSentToForTenSecondsMore", state(streaming(1, 20s)),
       input::Late{kNow - 4s}, "Streaming 1 open | Expect 6s;"},
      {"S16", "ASilentOneIsListedInstead", state(streaming(1, 20s)), input::Late{kNow - 10s},
       "pace, then Listing 0 at '7' | Note: initial state could not be streamed, listing instead; "
       "Freed 0; WatchEnded; BeginList; Pace;"},
      {"S17", "ASourceThatThrowsIsListedInstead", state(Streaming{}), input::Threw{kReset},
       "pace, then Listing 0 at '7' | Note: initial state could not be streamed, listing instead; "
       "BeginList; Pace;"},

      // ---- watching
      {"W1", "AWatchOpens", state(Watching{}), input::Opened{}, "Watching open | Accepted;"},
      {"W2", "AWatchFollowsAWatch", state(watching()), input::Ended{},
       "pace, then Watching | CredentialsWork; WatchEnded; Pace;"},
      {"W4", "AlsoAfterOneThatBreaksOff", state(watching()), input::Ended{kReset},
       "pace, then Watching | Note: watch broke off; CredentialsWork; WatchEnded; Pace;"},
      {"W2", "AtOnceWhenItsConnectionIsRetired", state(short_one),
       input::Ended{transport::connection_retired()},
       "pace, then Watching | CredentialsWork; WatchEnded, short; Pace;"},
      {"W3", "AListFollowsAWatchInDoubt", state(watching(), doubted), input::Ended{},
       "pause, then Cycle | CredentialsWork; Note: a list follows the watch, because an object in "
       "it could not be read; EndCycle; WatchEnded; Pause;"},
      {"W5", "AndOneInDoubtThatBreaksOff", state(watching(), doubted), input::Ended{kReset},
       "pause, then Cycle | Note: watch broke off; CredentialsWork; Note: a list follows the "
       "watch, "
       "because an object in it could not be read; EndCycle; WatchEnded; Pause;"},
      {"W6", "AListFollowsAShortWatch", state(short_one), input::Ended{},
       "pause, then Cycle | Note: watch ended with an error; EndCycle; WatchEnded, short; Pause;"},
      {"W6", "EventsWithoutProgressMakeItNoLonger", state(watching(500ms, 3)), input::Ended{},
       "pause, then Cycle | Note: watch ended with an error; EndCycle; WatchEnded, short; Pause;"},
      {"W6", "AListFollowsGarbage", state(watching()), input::Ended{kGarbage},
       "pause, then Cycle | Note: watch ended with an error; EndCycle; WatchEnded; Pause;"},
      {"W7", "TheSourceIsAskedAboutARefusedWatch", state(unopened()), input::Ended{kInternal},
       "Watching | Ask;"},
      {"W8", "ASourceThatLearnsWatchesAgain", state(unopened()), input::Refused{kInternal, true},
       "pace, then Watching | Pace;"},
      {"W9", "AServerThatIsNotThereIsTriedAgain", state(unopened()), input::Refused{kReset},
       "pause, then Watching | Unopened; Pause;"},
      {"W10", "RefusedCredentialsAreTriedAgain", state(unopened()), input::Refused{kUnauthorized},
       "pause, then Watching | Fail: no; Pause (credentials);"},
      {"W12", "ARefusedWatchFails", state(unopened()), input::Refused{kInternal},
       "pause, then Cycle | Fail: no; EndCycle; Pause;"},
      {"W11", "AVersionThatIsNotAcceptedFailsTheWatch", state(unopened()),
       input::Refused{kBadRequest}, "pause, then Cycle | Fail: no; EndCycle; Pause;"},
      {"W13", "CredentialsThatWereAcceptedStartOver", state(watching()),
       input::ErrorEvent{kUnauthorized},
       "pause, then Watching | CredentialsWork; Fail: no; WatchEnded; Pause (credentials);"},
      {"W14", "ThoseOfAVeryShortWatchDoNot", state(short_one), input::ErrorEvent{kUnauthorized},
       "pause, then Watching | Fail: no; WatchEnded, short; Pause (credentials);"},
      {"W15", "ABusyServersWatchIsOpenedLater", state(watching()), input::ErrorEvent{kBusy},
       "pause, then Watching | Note; WatchEnded; Pause of 3s;"},
      {"W16", "AnInternalErrorMayBeRetried", state(watching()), input::ErrorEvent{kInternal, true},
       "pace, then Watching | Note: watch ended with an error; WatchEnded; Pace;"},
      {"W17", "UnlessNoVersionIsKnown", state(watching(), none), input::ErrorEvent{kInternal, true},
       "pace, then Cycle | Note: watch ended with an error; WatchEnded; EndCycle; Begin;"},
      {"W19", "OrAListFollows", state(watching()), input::ErrorEvent{kInternal},
       "pause, then Cycle | Note: watch ended with an error; EndCycle; WatchEnded; Pause;"},
      {"W19", "AListFollowsAnExpiredWatch", state(watching()), input::ErrorEvent{kExpired},
       "pause, then Cycle | Note: watch expired; EndCycle; WatchEnded; Pause;"},
      {"W18", "AndOneWhoseVersionIsNotAccepted", state(watching()), input::ErrorEvent{kBadRequest},
       "pause, then Cycle | Note: watch ended with an error; EndCycle; WatchEnded; Pause;"},
      {"W20", "ALateWatchIsOpenedAgain", state(watching()), input::Late{},
       "pace, then Watching | Note: watch is reopened; CredentialsWork; WatchEnded; Pace;"},
      {"W21", "AListFollowsALateOneInDoubt", state(watching(), doubted), input::Late{},
       "pause, then Cycle | Note: watch is reopened; CredentialsWork; Note: a list follows the "
       "watch, "
       "because an object in it could not be read; EndCycle; WatchEnded; Pause;"},
      {"A1", "ASourceThatThrowsFailsTheWatch", state(Watching{}), input::Threw{kReset},
       "pause, then Cycle | Fail: reset; EndCycle; Pause;"},

      // ---- any state
      {"A2", "AFaultEndsTheCycle", state(streaming()), input::Fault{kReset},
       "pause, then Cycle | Fail: reset; EndCycle; Freed 0; WatchEnded; Pause;"},
      {"A3", "AFailedResyncEndsTheCycle", state(watching()), input::ResyncFailed{kReset},
       "pause, then Cycle | Note: watch ended with an error; EndCycle; WatchEnded; Pause;"},
      {"A4", "AStopEndsAWatch", state(watching()), input::Stop{}, "Stopped | WatchEnded;"},
      {"A4", "AStopEndsAWait", state(paced(listing())), input::Stop{}, "Stopped |"},
      {"", "NothingFollowsAStop", state(Stopped{}), input::Fault{kReset}, "Stopped |"},
      {"", "WhatMeansNothingChangesNothing", state(listing()), input::Late{},
       "Listing 1 at '7' by 5 |"},
  };
}

class ReflectorStates : public ::testing::TestWithParam<Row> {};
TEST_P(ReflectorStates, OneInputInOneState) {
  const Row& row = GetParam();
  EXPECT_EQ(show(next(row.state, row.input, kNow)), row.follows);
}

TEST(ReflectorTable, SaysWhatFollowsAndHasEachRowTried) {
  const std::map<std::string, std::string> table = read_table();
  ASSERT_FALSE(table.empty()) << KUBE_REFLECTOR_STATES;
  std::set<std::string> tried;
  for (const Row& row : rows()) {
    const std::string id = row.id;
    if (id.empty()) continue;
    tried.insert(id);
    ASSERT_TRUE(table.contains(id)) << row.name;
    EXPECT_EQ(table.at(id), in_table(row.state, row.input, next(row.state, row.input, kNow)))
        << id << ' ' << row.name;
    EXPECT_TRUE(id[0] == 'A' || id[0] == "PRLSW"[row.state.phase.index()]) << row.name;
  }
  for (const auto& [id, follows] : table) EXPECT_TRUE(tried.contains(id)) << id << ' ' << follows;
}
INSTANTIATE_TEST_SUITE_P(Table, ReflectorStates, ::testing::ValuesIn(rows()),
                         [](const auto& tested) { return std::string(tested.param.name); });

// ---- what the rows do not show

TEST(ReflectorVersions, OfAListIsThatOfItsFirstPage) {
  const Step step =
      next(state(listing(), {.last = "7", .in_doubt = true}), input::Replaced{}, kNow);
  EXPECT_EQ(step.state.versions.last, "9");
  EXPECT_FALSE(step.state.versions.in_doubt);
}

TEST(ReflectorVersions, StayWhenNoneCanBeWatchedFrom) {
  Versions versions{.last = "7"};
  for (const char* bad : {"", "0", "000"}) versions.came(bad);
  EXPECT_EQ(versions.last, "7");
  versions.came("abc");
  EXPECT_EQ(versions.last, "abc");
}

TEST(ReflectorVersions, EndWithAStreamedStateThatHasNone) {
  const Step step = next(state(streaming()), input::Replaced{}, kNow);
  EXPECT_EQ(step.state.versions.last, "") << "that was of the state before";
  EXPECT_TRUE(step.state.versions.unavailable) << "nothing older may follow";
  EXPECT_TRUE(step.state.versions.in_doubt) << "a list follows the watch";
}

TEST(ReflectorVersions, AreLostByThreeListsThatFail) {
  ReflectorState now = state(listing());
  for (int i = 1; i <= kMaxListsAtVersion; ++i) {
    EXPECT_FALSE(now.versions.unavailable);
    now = next(state(listing(), now.versions), input::Refused{kInternal}, kNow).state;
  }
  EXPECT_TRUE(now.versions.unavailable);
  const Step step = next(state(listing(), now.versions), page("10"), kNow);
  EXPECT_FALSE(step.state.versions.unavailable) << "until a list is complete";
  EXPECT_EQ(step.state.versions.failed_lists, 0);
}

TEST(ReflectorVersions, AreLostByAWatchThatIsNotAccepted) {
  for (const Input& input :
       {Input(input::Refused{kBadRequest}), Input(input::ErrorEvent{kBadRequest})}) {
    EXPECT_TRUE(next(state(watching()), input, kNow).state.versions.unavailable);
  }
  EXPECT_FALSE(
      next(state(watching()), input::ErrorEvent{kExpired}, kNow).state.versions.unavailable)
      << "the next list requests at least our version";
}

TEST(ReflectorLists, OfASourceThatLearnsHaveNothingOfTheBrokenPage) {
  Listing page = listing("7", "t1");
  page.refusals.add(kGarbage);
  ReflectorState now = next(state(paced(page)), input::Due{}, kNow).state;
  auto& sent = std::get<Listing>(now.phase);
  sent.items.push_back(make_cell("x/b", "6"));
  sent.bytes += 50;
  sent.refusals.add(kGarbage);
  now = next(std::move(now), input::Refused{kReset, true}, kNow).state;
  const auto& again = std::get<Listing>(std::get<Waiting>(now.phase).then);
  EXPECT_EQ(again.items.size(), 1U);
  EXPECT_EQ(again.bytes, page.bytes);
  EXPECT_EQ(again.refusals.count, 1U) << "of the page before";
}

TEST(ReflectorStreams, AreNotTriedForAnHourAfterOneThatHadNoEnd) {
  EXPECT_EQ(next(state(streaming(3)), input::Ended{}, kNow).state.no_streams_before, kNow + 1h);
  EXPECT_EQ(next(state(streaming()), input::Refused{kInternal}, kNow).state.no_streams_before,
            TimePoint::min());
}

}  // namespace transitions
}  // namespace
}  // namespace kube::cache
