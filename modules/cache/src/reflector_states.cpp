// SPDX-License-Identifier: Apache-2.0
#include "reflector_states.hpp"

#include <algorithm>
#include <type_traits>

#include <kube/transport/connection_retired.hpp>

#include "reflector_errors.hpp"

namespace kube::cache {
namespace {

using Phase = decltype(ReflectorState::phase);
using Then = decltype(Waiting::then);
using Why = effect::Pause::Why;

constexpr Duration kShortWatch = std::chrono::seconds(1);

/// One call of next(). Each on() is one state with one input, and returns the next state.
class Transition {
 public:
  Transition(ReflectorState state, TimePoint now)
      : state_(std::move(state)), versions_(state_.versions), now_(now) {}
  Transition(const Transition&) = delete;
  Transition& operator=(const Transition&) = delete;

  Step run(Input input) {
    Phase phase = std::move(state_.phase);
    state_.phase = std::visit(On{*this}, std::move(phase), std::move(input));
    return {std::move(state_), std::move(effects_)};
  }

 private:
  // Clang 14 does not instantiate what a generic lambda calls here.
  struct On {
    Transition& transition;
    template <class P, class I>
    Phase operator()(P&& phase, I&& input) const {
      return transition.on(std::forward<P>(phase), std::forward<I>(input));
    }
  };

  // ---- in any state

  template <class P, class I>
  Phase on(P phase, const I&) {
    return phase;
  }
  template <class P>
  Phase on(P phase, input::Fault fault) {
    return fail(phase, std::move(fault.error));
  }
  template <class P>
  Phase on(P phase, input::Threw threw) {
    return fail(phase, std::move(threw.error));
  }
  template <class P>
  Phase on(P phase, input::ResyncFailed failed) {
    watch_ended_with(std::move(failed.error));
    return end_cycle(phase);
  }
  template <class P>
  Phase on(P phase, input::Stop) {
    leave(phase);
    return Stopped{};
  }

  // ---- waiting

  Phase on(Waiting, input::Begin begin) { return begin.may_stream ? anew(Streaming{}) : list(); }
  Phase on(Waiting, input::Saved saved) {
    versions_.last = std::move(saved.state.version);
    return pace(Resuming{{}, std::move(saved.state.objects)});
  }
  Phase on(Waiting waiting, input::Due due) {
    const bool sends = !waiting.paused;
    return std::visit(
        [&](auto&& then) { return sends ? send(std::move(then), due.time) : ask(std::move(then)); },
        std::move(waiting.then));
  }

  Phase ask(Cycle) { return begin(); }
  Phase ask(Watching) { return watch(); }
  Phase ask(Resuming resuming) { return pace(std::move(resuming)); }
  template <class P>
  Phase ask(P then) {
    return anew(std::move(then));
  }

  Phase send(Cycle, Duration) { return begin(); }
  Phase send(Listing listing, Duration) {
    listing.page_items = 0;
    listing.before_page = {listing.items.size(), listing.bytes, listing.refusals};
    emit(effect::Send{});
    return listing;
  }
  template <class P>
  Phase send(P then, Duration time) {
    then.request = {now_, time, versions_.last};
    Duration until_end = time + kWatchGrace;
    if constexpr (std::is_same_v<P, Streaming>) {
      then.heard = now_;
      until_end = kInitialStreamSilence;
    }
    emit(effect::Expect{now_ + until_end});
    emit(effect::Send{});
    return then;
  }

  // ---- resuming from a saved state

  Phase on(Resuming resuming, input::Opened) {
    emit(effect::Expect{now_ + kResumeSilence});
    return accepted(std::move(resuming));
  }
  Phase on(Resuming resuming, input::Event) { return hand_out(std::move(resuming)); }
  Phase on(Resuming resuming, input::Late) {
    return resuming.request.is_open ? hand_out(std::move(resuming)) : resume_again(resuming);
  }
  Phase on(Resuming resuming, input::Replaced replaced) {
    if (!replaced.result) return fail(resuming, named("watch", replaced.result.error()));
    emit(effect::Synced{.flush = true});
    return Watching{std::move(resuming.request)};
  }
  Phase on(Resuming resuming, input::Ended ended) {
    const Optional<Error>& error = ended.error;
    if (error && transport::is_connection_retired(*error)) return resume_again(resuming);
    if (error && !resuming.request.is_open) {
      emit(effect::Ask{*error});
      return resuming;
    }
    const Error closed(ErrorCode::Unreachable, "the watch ended before anything came");
    return resume_later(resuming, error ? *error : named("watch", closed));
  }
  Phase on(Resuming resuming, input::Refused refused) {
    return refused.learned ? resume_again(resuming) : resume_refused(resuming, refused.error);
  }
  Phase on(Resuming resuming, input::ErrorEvent event) {
    return event.retry ? resume_again(resuming) : resume_refused(resuming, event.error);
  }

  Phase hand_out(Resuming resuming) {
    // The same response continues as the watch.
    emit(effect::Expect{resuming.request.opened + resuming.request.time + kWatchGrace});
    effect::Replace replace{std::exchange(resuming.objects, {}), versions_.last, {}, {}, true};
    emit(std::move(replace));
    return resuming;
  }
  Phase resume_refused(Resuming& resuming, const Error& error) {
    if (needs_credentials(error) || worth_another_watch(error)) {
      return resume_later(resuming, error);
    }
    const bool refuses = may_refuse_version(error) || is_too_large_resource_version(error);
    if (!refuses && !version_gone(error)) return fail(resuming, error);
    versions_.unavailable = versions_.unavailable || refuses;
    emit(effect::Note{LogLevel::Info, "the server does not resume from the saved state", error,
                      true});
    drop(resuming);
    return begin();
  }
  // Reported: nothing is in the cache yet.
  Phase resume_later(Resuming& resuming, const Error& error) {
    emit(effect::Fail{error});
    leave(resuming);
    return pause(needs_credentials(error) ? Why::Credentials : Why::Failure, asked_delay(error),
                 Resuming{{}, std::move(resuming.objects)});
  }
  Phase resume_again(Resuming& resuming) {
    leave(resuming);
    return pace(Resuming{{}, std::move(resuming.objects)});
  }

  // ---- listing

  Phase on(Listing listing, input::Page page) {
    ListInfo& info = page.info;
    if (listing.token.empty()) {
      if (const auto problem = version_problem(info.resource_version)) {
        return fail(listing, named("list", *problem));
      }
      listing.version = std::move(info.resource_version);
    }
    if (!info.continue_.empty()) {
      if (auto added = listing.tokens.add(info.continue_); !added) {
        return fail(listing, named("list", added.error()));
      }
      listing.bytes += info.continue_.size();
      if (listing.asked == "0") versions_.zero_was_paged = true;
      listing.token = std::move(info.continue_);
      if (const auto remaining = info.remaining_item_count; remaining && *remaining >= 0) {
        listing.expected = listing.items.size() + static_cast<std::size_t>(*remaining);
      }
      return pace(std::move(listing));
    }
    versions_.unavailable = false;
    versions_.failed_lists = 0;
    effect::Replace replace{std::exchange(listing.items, {}), listing.version, listing.begun, {}};
    // Only a list of any version comes from a server's cache. What was refused is not compared.
    if (listing.asked == "0" && listing.refusals.count == 0) {
      replace.checks = ListOptions{.resource_version = listing.asked, .limit = listing.limit};
    }
    listing.bytes = 0;  // the target counts them now
    emit(std::move(replace));
    return listing;
  }
  Phase on(Listing listing, input::Replaced replaced) {
    if (!replaced.result) return fail(listing, named("list", replaced.result.error()));
    versions_.last = std::move(listing.version);
    versions_.in_doubt = false;
    emit(effect::Synced{.refusals = std::move(listing.refusals), .flush = true});
    return watch();
  }
  Phase on(Listing listing, input::Ended ended) {
    if (ended.error) emit(effect::Ask{*std::move(ended.error)});
    return listing;
  }
  Phase on(Listing listing, input::Refused refused) {
    const Error& error = refused.error;
    if (refused.learned) return same_page(std::move(listing));
    const bool first_page = listing.token.empty();
    if (!first_page && !listing.whole && version_gone(error)) {
      // The continue token has expired: list everything at once, at the version of the first page.
      drop(listing);
      return anew(Listing{
          .begun = listing.begun, .asked = listing.asked, .whole = true, .newest = listing.newest});
    }
    const bool at_version = first_page && !listing.asked.empty() && listing.asked != "0";
    if (!listing.newest && (version_gone(error) || is_too_large_resource_version(error) ||
                            (at_version && may_refuse_version(error)))) {
      versions_.unavailable = true;
      drop(listing);
      return anew(Listing{.begun = listing.begun, .limit = listing.limit, .newest = true});
    }
    // A server that fails because of the version itself would fail for ever.
    if (at_version && is_internal_error(error) && ++versions_.failed_lists >= kMaxListsAtVersion) {
      versions_.unavailable = true;
    }
    return fail(listing, error);
  }

  Phase same_page(Listing listing) {
    const auto& before = listing.before_page;
    free({listing.bytes - before.bytes, listing.items.size() - before.items});
    listing.items.resize(before.items);
    listing.bytes = before.bytes;
    listing.refusals = before.refusals;
    return pace(std::move(listing));
  }

  // ---- streaming the initial state

  Phase on(Streaming streaming, input::Opened) { return accepted(std::move(streaming)); }
  Phase on(Streaming streaming, input::ErrorEvent event) {
    emit(effect::Ask{std::move(event.error)});
    return streaming;
  }
  Phase on(Streaming streaming, input::Announced announced) {
    // The same stream continues as the watch.
    emit(effect::Expect{streaming.request.opened + streaming.request.time + kWatchGrace});
    versions_.unavailable = false;
    streaming.version = std::move(announced.version);
    effect::Replace replace{streaming.objects.take(), streaming.version, {}, {}};
    if (streaming.refusals.count == 0 && !streaming.in_doubt) replace.checks.emplace();
    emit(std::move(replace));
    return streaming;
  }
  Phase on(Streaming streaming, input::Replaced replaced) {
    if (!replaced.result) return list_instead(streaming, replaced.result.error(), false);
    // Without a version the stream continues to work, but no watch can continue from its end.
    effect::Synced synced{.refusals = std::move(streaming.refusals)};
    if (const auto problem = version_problem(streaming.version)) {
      synced.problem = named("watch", *problem);
      versions_.last.clear();  // what it was is not that of the target any more
      versions_.unavailable = true;
    } else {
      versions_.last = std::move(streaming.version);
    }
    versions_.in_doubt = streaming.in_doubt || synced.problem.has_value();
    emit(std::move(synced));
    return Watching{std::move(streaming.request)};
  }
  Phase on(Streaming streaming, input::Ended ended) {
    const WatchRequest& request = streaming.request;
    if (ended.error && transport::is_connection_retired(*ended.error)) {
      drop(streaming);
      return anew(Streaming{streaming.streams});  // nothing has failed
    }
    if (ended.error && (!request.is_open || ended.error->code() == ErrorCode::Decode)) {
      emit(effect::Ask{*std::move(ended.error)});
      return streaming;
    }
    const std::string too_early = "the stream ended before the initial state was complete";
    Error early = named("watch", ended.error ? ended.error->with_context(too_early)
                                             : Error(ErrorCode::Unreachable, too_early));
    const bool very_short = request.events == 0 && now_ - request.opened < kShortWatch;
    if (very_short || streaming.streams >= kMaxInitialStreams) {
      return list_instead(streaming, std::move(early), true);
    }
    emit(effect::Note{LogLevel::Info, "watch broke off", std::move(early)});
    return stream_again(streaming);
  }
  Phase on(Streaming streaming, input::Refused refused) {
    const Error& error = refused.error;
    if (refused.learned) return stream_again(streaming);
    const bool no_answer = error.code() == ErrorCode::Unreachable && !streaming.request.is_open;
    if (is_too_many_requests(error) || no_answer) {
      emit(effect::Fail{error});  // a failed list is reported, too
      drop(streaming);
      return pause(Why::Failure, asked_delay(error), Streaming{streaming.streams + 1});
    }
    if (!versions_.unavailable && (version_gone(error) || is_too_large_resource_version(error) ||
                                   (may_refuse_version(error) && !versions_.last.empty()))) {
      versions_.unavailable = true;
      return stream_again(streaming);
    }
    return list_instead(streaming, error, refuses_streams(error));
  }
  // What has not begun is waited for until the deadline: a busy server may let a request wait.
  Phase on(Streaming streaming, input::Late late) {
    TimePoint end = streaming.request.opened + kInitialStreamDeadline;
    if (streaming.request.is_open) {
      end = std::min(end, std::max(streaming.heard, late.heard) + kInitialStreamSilence);
    }
    if (now_ < end) {
      emit(effect::Expect{end});
      return streaming;
    }
    const Error error(ErrorCode::Timeout, "the end of the initial state was not announced in time");
    return list_instead(streaming, named("watch", error), true);
  }
  Phase on(Streaming streaming, input::Threw threw) {
    return list_instead(streaming, std::move(threw.error), false);
  }

  Phase stream_again(Streaming& streaming) {
    drop(streaming);
    return anew(Streaming{streaming.streams + 1});
  }
  Phase list_instead(Streaming& streaming, Error why, bool no_streams) {
    if (no_streams) state_.no_streams_before = now_ + kNoStreamsFor;
    emit(effect::Note{LogLevel::Info, "initial state could not be streamed, listing instead",
                      std::move(why)});
    drop(streaming);
    return list();
  }

  // ---- watching

  Phase on(Watching watching, input::Opened) { return accepted(std::move(watching)); }
  Phase on(Watching watching, input::ErrorEvent event) {
    const Error& error = event.error;
    if (needs_credentials(error)) return wait_for_credentials(watching, error);
    if (is_too_many_requests(error)) {
      emit(effect::Note{.error = error});
      return watch_after_pause(watching, Why::Failure, error);
    }
    if (event.retry) {
      watch_ended_with(error);
      return watch_again(watching);
    }
    if (may_refuse_version(error)) versions_.unavailable = true;
    if (version_gone(error)) {
      // The next list requests at least our version, which the server may well have.
      emit(effect::Note{LogLevel::Info, "watch expired", error, true});
    } else {
      watch_ended_with(error);
    }
    return end_cycle(watching, Why::Failure, asked_delay(error));
  }
  Phase on(Watching watching, input::Ended ended) {
    const Optional<Error>& error = ended.error;
    if (error && transport::is_connection_retired(*error)) return after_watch(watching);
    if (error && !watching.request.is_open) {
      emit(effect::Ask{*error});
      return watching;
    }
    if (error && error->code() == ErrorCode::Decode) {
      watch_ended_with(*error);
      return end_cycle(watching);
    }
    // However the stream ended, the events before its end are complete, and the next watch
    // continues from them.
    if (is_very_short(watching.request)) {
      const Error closed(ErrorCode::Unreachable,
                         "very short watch: closed at once without anything new");
      watch_ended_with(error ? *error : named("watch", closed));
      return end_cycle(watching);
    }
    if (error) emit(effect::Note{LogLevel::Info, "watch broke off", error, true});
    return after_watch(watching);
  }
  Phase on(Watching watching, input::Refused refused) {
    const Error& error = refused.error;
    if (refused.learned) return watch_again(watching);
    if (needs_credentials(error)) return wait_for_credentials(watching, error);
    if (worth_another_watch(error)) {
      emit(effect::Unopened{error});
      return watch_after_pause(watching, Why::Failure, error);
    }
    if (may_refuse_version(error)) versions_.unavailable = true;
    return fail(watching, error);
  }
  Phase on(Watching watching, input::Late) {
    const Error late(ErrorCode::Timeout, "the watch did not end after the time in its request");
    emit(effect::Note{LogLevel::Info, "watch is reopened", named("watch", late)});
    return after_watch(watching);
  }

  // Reported, unlike other reasons to try a watch again: the user may have to act.
  Phase wait_for_credentials(Watching& watching, const Error& error) {
    if (watching.request.is_open && !is_very_short(watching.request)) {
      emit(effect::CredentialsWork{});
    }
    emit(effect::Fail{error});
    return watch_after_pause(watching, Why::Credentials, error);
  }
  Phase watch_after_pause(Watching& watching, Why why, const Error& error) {
    leave(watching);
    return pause(why, asked_delay(error), Watching{});
  }
  /// After a watch that ended normally.
  Phase after_watch(Watching& watching) {
    emit(effect::CredentialsWork{});
    if (!versions_.in_doubt) return watch_again(watching);
    emit(effect::Note{LogLevel::Info,
                      "a list follows the watch, because an object in it could not be read"});
    return end_cycle(watching);
  }
  Phase watch_again(Watching& watching) {
    leave(watching);
    return watch();
  }
  void watch_ended_with(Error error) {
    emit(effect::Note{LogLevel::Warning, "watch ended with an error", std::move(error)});
  }

  // ---- what several do

  void emit(Effect effect) { effects_.push_back(std::move(effect)); }

  template <class P>
  Phase accepted(P phase) {
    phase.request.is_open = true;
    emit(effect::Accepted{});
    return phase;
  }
  Phase pace(Then then) {
    emit(effect::Pace{});
    return Waiting{std::move(then)};
  }
  Phase anew(Then then) {
    emit(effect::BeginAnew{});
    return pace(std::move(then));
  }
  Phase pause(Why why, Duration at_least, Then then) {
    emit(effect::Pause{why, at_least});
    return Waiting{std::move(then), true};
  }
  Phase begin() {
    emit(effect::Begin{});
    return Waiting{};
  }
  Phase list() {
    std::string version = versions_.to_list();
    const std::int64_t limit = versions_.limit(version);
    emit(effect::BeginList{});
    return pace(Listing{.begun = now_, .asked = std::move(version), .limit = limit});
  }
  Phase watch() {
    if (!versions_.last.empty()) return pace(Watching{});
    // A streamed initial state may have had no version.
    emit(effect::EndCycle{});
    return begin();
  }
  template <class P>
  Phase end_cycle(P& phase, Why why = Why::Failure, Duration at_least = Duration::zero()) {
    emit(effect::EndCycle{});
    drop(phase);
    return pause(why, at_least, Cycle{});
  }
  template <class P>
  Phase fail(P& phase, Error error) {
    const Why why = is_denied(error) ? Why::Denied : Why::Failure;
    const Duration asked = asked_delay(error);
    emit(effect::Fail{std::move(error)});
    return end_cycle(phase, why, asked);
  }
  /// Says what was requested, which the error does not.
  Error named(std::string request, const Error& error) const {
    return error.with_context(std::move(request) + ' ' + state_.subject);
  }

  // ---- what ends with a state

  template <class P>
  void drop(P& phase) {
    effect::Freed freed;
    if constexpr (std::is_same_v<P, Waiting>) {
      std::visit([this](auto& then) { this->drop(then); }, phase.then);
    } else if constexpr (std::is_same_v<P, Listing>) {
      freed = {phase.bytes, phase.items.size()};
      phase.items = {};
    } else if constexpr (std::is_same_v<P, Resuming>) {
      for (const CellRef& each : phase.objects) freed.bytes += each->memory();
      phase.objects = {};
    } else if constexpr (std::is_same_v<P, Streaming>) {
      freed = {phase.objects.bytes(), 0};
      phase.objects = {};
    }
    free(freed);
    leave(phase);
  }
  void free(effect::Freed freed) {
    if (freed.bytes > 0) emit(freed);
  }
  template <class P>
  void leave(P& phase) {
    if constexpr (requires { phase.request; }) {
      const WatchRequest& request = phase.request;
      if (!std::exchange(phase.request.is_open, false)) return;
      emit(effect::WatchEnded{request.events, now_ - request.opened, is_very_short(request)});
    }
  }
  // Events without progress must not cause a loop without a pause either.
  bool is_very_short(const WatchRequest& request) const {
    const bool nothing_came = request.events == 0 || versions_.last == request.from;
    return nothing_came && now_ - request.opened < kShortWatch;
  }

  ReflectorState state_;
  Versions& versions_;
  const TimePoint now_;
  std::vector<Effect> effects_;
};

}  // namespace

Step next(ReflectorState state, Input input, TimePoint now) {
  if (std::holds_alternative<Stopped>(state.phase)) return {std::move(state), {}};
  return Transition(std::move(state), now).run(std::move(input));
}

}  // namespace kube::cache
