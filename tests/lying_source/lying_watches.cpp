// SPDX-License-Identifier: Apache-2.0
//
// Watches: their first events, what becomes of them, and what happens meanwhile.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>

#include "lying_source.hpp"

namespace kube::lying {

std::vector<EventStatement> LyingSource::events_of(const Truth::Change& change) {
  const bool was = change.before && client_.scope.includes(*change.before);
  const bool is = change.after && client_.scope.includes(*change.after);
  if (!was && !is) return {};
  TrueObject object = is ? *change.after : *change.before;
  object.version = change.version;
  EventStatement event = event_of(!was ? "ADDED" : is ? "MODIFIED" : "DELETED", object);
  if (lying_) return liar_.change_event(object, std::move(event));
  return {std::move(event)};
}

namespace {

// What a client goes no further than.
bool ends_watch(const EventStatement& event) {
  constexpr std::string_view kTypes[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"};
  return event.status || std::ranges::find(kTypes, event.type.text) == std::end(kTypes);
}

}  // namespace

std::vector<EventStatement> LyingSource::initial_events(bool with_end) {
  std::vector<EventStatement> events;
  const auto add = [&](std::vector<EventStatement> more) {
    std::move(more.begin(), more.end(), std::back_inserter(events));
  };
  const bool odd_end = with_end && tells(Lie::InitialEndIsOdd);
  const Said version = Said::words(std::to_string(truth_.version()));
  if (odd_end && draw_.one_in(3)) {
    steady_holds_ = false;  // what comes behind it is a change
    events.push_back(bookmark_of(version, "true"));
  }
  for (const auto& [key, object] : truth_.now()) {
    if (!client_.scope.includes(object)) continue;
    EventStatement event = event_of("ADDED", object);
    if (lying_) {
      add(liar_.change_event(object, std::move(event)));
    } else {
      events.push_back(std::move(event));
    }
  }
  if (!with_end || (odd_end && draw_.one_in(2))) return events;
  events.push_back(bookmark_of(version, odd_end ? (draw_.one_in(2) ? "false" : "TRUE") : "true"));
  if (lying_) liar_.change_bookmark(events.back());
  return events;
}

LyingSource::Or<std::vector<EventStatement>> LyingSource::first_events(const Delivery& to) {
  const std::string asked = to.call().query("resourceVersion").value_or("");
  const auto version = asked.empty() ? 0 : version_of(asked);
  const bool any = lying_ && takes_any_version_;
  if (!version) return status_of(400, "BadRequest");
  if (to.call().query("sendInitialEvents")) {
    if (!has_watch_list_ || to.call().query("resourceVersionMatch") != "NotOlderThan") {
      return status_of(422, "Invalid");
    }
    if (*version > truth_.version() && !any) return too_large_version();
    return initial_events(true);
  }
  if (*version == 0) return initial_events(false);
  if (*version > truth_.version() && !any) {
    // As a server does whose data came from a backup.
    return draw_.one_in(2) ? too_large_version() : status_of(410, "Expired");
  }
  if (*version < oldest_ && !any) return status_of(410, "Expired");
  std::vector<EventStatement> events;
  for (const Truth::Change& change : truth_.history()) {
    if (change.version <= *version) continue;
    std::vector<EventStatement> more = events_of(change);
    std::move(more.begin(), more.end(), std::back_inserter(events));
  }
  return events;
}

// What is sent instead of events.
bool LyingSource::lies_by_watch(Watch& watch, bool initial) {
  const bool protobuf = watch.to.encoding() == Encoding::Protobuf;
  if (tells(Lie::ClosesAtOnce)) {
    watch.to.begin("", true, true);
    return true;
  }
  if (tells(Lie::VersionsAlternate) && !initial) {
    given_.clear();
    alternates_ = !alternates_;
    EventStatement event =
        alternates_ ? bookmark_of(Said::words("4")) : bookmark_of(Said::words("5"));
    if (draw_.one_in(2)) {
      event.type = Said::words("MODIFIED");
      event.object = liar_.ghost();
      event.object->version = Said::words(alternates_ ? "4" : "5");
    }
    state(event.object->version);
    watch.to.begin(write(event, watch.to.encoding()), true, true);
    return true;
  }
  if (tells(Lie::Heartbeats)) {
    std::string beats(3, '\n');
    if (protobuf) beats.clear();
    EventStatement unknown;
    unknown.type = Said::words("HEARTBEAT");
    unknown.object.emplace();
    if (draw_.one_in(2)) beats += write(unknown, watch.to.encoding());
    watch.to.begin(std::move(beats), draw_.one_in(4), true);
    return true;
  }
  if (tells(Lie::FrameIsTooLarge)) {
    watch.to.begin(protobuf ? std::string("\x40\x00\x00\x00z", 5) : R"({"type":"ADDED","object":)",
                   draw_.one_in(2), true);
    return true;
  }
  return false;
}

void LyingSource::watch(Delivery to) {
  const bool initial = to.call().query("sendInitialEvents").has_value();
  Or<std::vector<EventStatement>> answer = first_events(to);
  auto watch = std::make_shared<Watch>(Watch{to});
  if (const auto* status = std::get_if<StatusStatement>(&answer)) {
    if (status->code == 410 && versions_are_clear())
      expired_ = to.call().query("resourceVersion").value_or("");
    if (initial || status->code == 400 || draw_.one_in(2)) {
      refuse(to, *status);
    } else {
      watch->to.begin(write(error_event(*status), to.encoding()), draw_.one_in(2), true);
    }
    return;
  }
  watch->begun = executor_->clock()->now();
  watch->initial = initial;
  if (initial) {
    expired_.clear();
    mirror_.begin_stream();
  }
  watches_.push_back(watch);
  if (lying_ && lies_by_watch(*watch, initial)) {
    watch->closed = lies_.leaves_objects_clear();
    return;
  }
  watch->closes_after_one = tells(Lie::ClosesAfterOneEvent);
  if (!initial) watched_ = true;
  watch->to.begin("", false, true);
  auto& events = std::get<std::vector<EventStatement>>(answer);
  if (watch->closes_after_one && events.empty()) {
    // Each brings something new: nothing that the client has could tell it from the truth.
    truth_.pass_over();
    EventStatement event;
    event.type = Said::words("MODIFIED");
    event.object = liar_.ghost();
    event.object->version = Said::words(std::to_string(truth_.version()));
    events.push_back(std::move(event));
  }
  send(*watch, std::move(events));
  if (lying_) send(*watch, liar_.chatter());
  if (const auto timeout = number(to.call().query("timeoutSeconds").value_or(""))) {
    watch->timeout =
        executor_->submit_after(std::chrono::seconds(std::min<std::uint64_t>(*timeout, 600)),
                                [weak = std::weak_ptr(watch)] {
                                  if (const std::shared_ptr<Watch> self = weak.lock())
                                    self->to.end();
                                });
  }
}

void LyingSource::give(const EventStatement& event, bool initial) {
  if (!event.object || event.type.text == "ERROR") return;
  state(event.object->version);
  const TimePoint now = executor_->clock()->now();
  if (event.initial_events_end == "true" && initial) {
    given_.restart(event.object->version.text, now);
  } else if (!initial && event.object->version.as == Said::As::Text) {
    given_.add(event.object->version.text, now);
  }
}

std::vector<EventStatement> LyingSource::poison_steady() {
  std::vector<EventStatement> events;
  if (!client_.transforms || !watched_ || !tells(Lie::PoisonsUserCode)) return events;
  for (const auto& [key, object] : truth_.now()) {
    if (!object.steady || !client_.scope.includes(object)) continue;
    truth_.pass_over();
    TrueObject poisoned = object;
    poisoned.version = truth_.version();
    poisoned.app = draw_.one_in(2) ? "poison" : "fail";
    events.push_back(event_of("MODIFIED", poisoned));
  }
  return events;
}

void LyingSource::send(Watch& watch, std::vector<EventStatement> events) {
  if (watch.closed) return;
  const bool goes_on = draw_.one_in(2) && !lies_.leaves_objects_clear();
  if (tells(Lie::ErrorEvent)) {
    constexpr std::pair<int, const char*> kErrors[] = {
        {410, "Expired"},      {410, "Gone"},         {500, "InternalError"},
        {400, "BadRequest"},   {504, "Timeout"},      {429, "TooManyRequests"},
        {403, "Forbidden"},    {401, "Unauthorized"}, {503, "ServiceUnavailable"},
        {406, "NotAcceptable"}};
    const auto& [code, reason] = draw_.of(kErrors);
    events.push_back(error_event(status_of(code, reason)));
  }
  if (tells(Lie::ErrorEventIsOdd)) events.push_back(liar_.odd_error_event());
  if (tells(Lie::ErrorEventAsksForAYear)) events.push_back(liar_.asks_for_a_year_event());
  if (events.empty()) return;
  std::string bytes;
  bool closes = false;
  for (const EventStatement& event : events) {
    give(event, watch.initial);
    mirror_.event(event, watch.to.encoding(), watch.initial);
    if (event.initial_events_end == "true") watch.initial = false;
    bytes += write(event, watch.to.encoding());
    findings_.note([&] { return "-> " + printable(write(event, Encoding::Json), 1000); });
    closes = watch.closes_after_one;
    watch.closed = closes || (ends_watch(event) && !goes_on);
    if (watch.closed) break;
  }
  watch.to.more(std::move(bytes));
  if (closes) watch.to.end();
}

// ---- what happens meanwhile

void LyingSource::change_something() {
  const Truth::Change change = truth_.change_something(draw_);
  forget_ended();
  for (const std::shared_ptr<Watch>& watch : watches_) send(*watch, events_of(change));
}

void LyingSource::chatter() {
  if (!lying_) return;
  forget_ended();
  for (const std::shared_ptr<Watch>& watch : watches_) {
    std::vector<EventStatement> events = liar_.chatter();
    if (!watch->initial) {
      std::vector<EventStatement> refused = poison_steady();
      std::move(refused.begin(), refused.end(), std::back_inserter(events));
    }
    if (tells(Lie::InitialEndIsOdd)) {
      if (watch->initial) steady_holds_ = false;  // there may be more
      events.push_back(bookmark_of(Said::words(std::to_string(truth_.version())), "true"));
    }
    send(*watch, std::move(events));
  }
}

void LyingSource::send_bookmarks(bool others_wrote) {
  forget_ended();
  if (others_wrote) truth_.pass_over();
  for (const std::shared_ptr<Watch>& watch : watches_) {
    EventStatement bookmark = bookmark_of(Said::words(std::to_string(truth_.version())));
    if (lying_) liar_.change_bookmark(bookmark);
    send(*watch, {std::move(bookmark)});
  }
  if (!watches_.empty()) last_bookmark_ = truth_.version();
}

bool LyingSource::watch_has_begun(Duration ago) {
  forget_ended();
  return watches_.size() == 1 && executor_->clock()->now() - watches_.front()->begun >= ago;
}

void LyingSource::drop_watches() {
  forget_ended();
  for (const std::shared_ptr<Watch>& watch : watches_) {
    if (draw_.one_in(2)) {
      watch->to.end();
    } else {
      watch->to.reset();
    }
  }
  watches_.clear();
}

void LyingSource::compact() {
  oldest_ = lying_ ? oldest_ + draw_.below(truth_.version() - oldest_ + 1) : last_bookmark_;
}

}  // namespace kube::lying
