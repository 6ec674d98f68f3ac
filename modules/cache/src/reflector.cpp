// SPDX-License-Identifier: Apache-2.0
//
// The effects of a reflector's states.
#include "reflector.hpp"

#include <algorithm>
#include <utility>

#include "reflector_errors.hpp"

namespace kube::cache {
namespace {

// A server may take a minute before the first byte; after that bytes flow.
constexpr std::chrono::milliseconds kListSilence{90'000};

std::string subject_of(const ListerWatcher& source) {
  return call_user_code("the source", [&]() -> Result<std::string> { return source.to_string(); })
      .value_or("a source without a name");
}

/// When the program's source of randomness throws, jitter uses a fixed value.
Runtime with_safe_random(Runtime runtime) {
  runtime.random = [random = std::move(runtime.random)] {
    try {
      return random();
    } catch (...) {
      return 0.5;
    }
  };
  return runtime;
}

/// Returns the time to ask of a watch.
std::chrono::seconds watch_time(const ReflectorOptions& options, const RandomSource& random) {
  const auto least = std::max(options.min_watch_timeout, kMinWatchTimeout).count();
  return std::chrono::seconds(
      static_cast<std::int64_t>(static_cast<double>(least) * (1 + random())));
}

InformerState shown(const ReflectorState& state) {
  if (std::holds_alternative<Waiting>(state.phase)) return InformerState::BackingOff;
  if (std::holds_alternative<Watching>(state.phase)) return InformerState::Watching;
  return std::holds_alternative<Stopped>(state.phase) ? InformerState::Stopped
                                                      : InformerState::Listing;
}

/// Returns the list that is under way, if there is one.
const Listing* listing_of(const ReflectorState& state) {
  const auto* waiting = std::get_if<Waiting>(&state.phase);
  return waiting == nullptr ? std::get_if<Listing>(&state.phase)
                            : std::get_if<Listing>(&waiting->then);
}

/// Returns the number of objects of the initial state that is under way.
std::size_t received_objects(const ReflectorState& state) {
  if (const Listing* listing = listing_of(state)) return listing->items.size();
  const auto* streaming = std::get_if<Streaming>(&state.phase);
  return streaming == nullptr ? 0 : streaming->objects.size();
}

}  // namespace

Reflector::Reflector(Runtime runtime, Strand strand, std::shared_ptr<ListerWatcher> source,
                     ObjectForm form, ReflectorOptions options, ReflectorTarget& target)
    : runtime_(with_safe_random(std::move(runtime))),
      strand_(std::move(strand)),
      source_(std::move(source)),
      form_(std::move(form)),
      options_(std::move(options)),
      target_(target),
      state_{.versions = {.page_size = options_.page_size}},
      metrics_(runtime_.metrics, options_.name.empty() ? subject_of(*source_) : options_.name),
      pauses_(options_, runtime_) {}

void Reflector::start(const std::shared_ptr<Reflector>& self, std::stop_token stop,
                      std::optional<SavedState> saved) {
  self_ = self;
  stop_ = std::move(stop);
  state_.subject = subject_of(*source_);
  if (!saved) return step([this] { run(effect::Begin{}); });
  saved_age_ = saved->age;
  step([&] { take(input::Saved{*std::move(saved)}); });
}

void Reflector::abandon() {
  ++generation_;
  timer_.cancel();
  deadline_.cancel();
  if (auto cancel = std::exchange(cancel_request_, nullptr)) cancel();
}

void Reflector::stop() {
  // A stop needs no memory.
  if (caught([this] { take(input::Stop{}); })) state_.phase = Stopped{};
  abandon();
  list_deadline_.cancel();
  resync_timer_.cancel();
  if (check_) check_->stop();
  check_ = nullptr;
}

void Reflector::fail_cycle(const std::exception_ptr& thrown) {
  const auto fault = [&] {
    const Result<void> done =
        call_user_code("the reflector", [&] { std::rethrow_exception(thrown); });
    take(input::Fault{done.error().with_context(subject())});
  };
  if (!caught(fault)) return;
  // A state without a request and a timer is left by nothing. The thread is kept until there is
  // memory for one; what else belongs to a failure is given up.
  const auto pause = [this] {
    state_.phase = Waiting{Cycle{}, true};
    run(effect::EndCycle{});
    run(effect::Pause{});
    publish();
  };
  while (caught(pause) && !stop_.stop_requested()) {
    Mutex mutex;
    MutexLock lock(mutex);
    const TimePoint end = deadline_after(runtime_.clock()->now(), kMemoryPause);
    runtime_.clock()->wait_until(lock, memory_, end, stop_, [] { return false; });
  }
}

void Reflector::take(Input input) {
  // What is copied remains when a step fails for lack of memory.
  ReflectorState before{std::move(state_.phase), state_.versions, state_.no_streams_before,
                        state_.subject};
  Step step = next(std::move(before), std::move(input), runtime_.clock()->now());
  state_ = std::move(step.state);
  for (Effect& effect : step.effects) std::visit([this](auto& each) { run(each); }, effect);
  publish();
}

// ---- waits

void Reflector::run(effect::Begin) {
  abandon();
  if (stop_.stop_requested()) return;
  bool streams = options_.watch_list && runtime_.clock()->now() >= state_.no_streams_before;
  if (streams) {
    const Result<bool> unsupported = call_user_code("the source", [&]() -> Result<bool> {
      return source_->is_watch_list_semantics_unsupported();
    });
    streams = unsupported && !*unsupported;
  }
  take(input::Begin{streams});
}

void Reflector::run(effect::Pace) {
  abandon();
  report_refused_events();  // those of a watch that has ended
  if (stop_.stop_requested()) return;
  const auto due = [](Reflector& self) {
    const bool lists = listing_of(self.state_) != nullptr;
    self.take(
        input::Due{lists ? Duration::zero() : watch_time(self.options_, self.runtime_.random)});
  };
  const Duration wait = pauses_.pace.next();
  const bool was_slowed = std::exchange(is_slowed_, wait > Duration::zero());
  if (!is_slowed_) return due(*this);
  const Error slowed(ErrorCode::Server,
                     "requests are limited, because responses end early or have few objects; the "
                     "next request waits");
  if (!was_slowed) {
    KUBE_LOG(runtime_.logger, LogLevel::Warning, "reflector", "requests are slowed down",
             {"informer", subject()}, {"error", slowed.to_string()});
  }
  if (!progress().last_error) progress_.failed(slowed.with_context(subject()));
  timer_ = strand_.submit_after(wait, for_this_request(due));
}

void Reflector::run(effect::Pause pause) {
  const Duration delay = pauses_.next(pause);
  abandon();
  timer_ = strand_.submit_after(delay,
                                for_this_request([](Reflector& self) { self.take(input::Due{}); }));
}

// ---- requests

void Reflector::run(effect::BeginList) {
  target_.initial_begins();
  metrics_.list_begins();
  list_deadline_ = strand_.submit_after(
      kMaxListTime, while_running([](Reflector& self) {
        self.abandon();
        const Error late(ErrorCode::Timeout, "the list did not end within an hour: " +
                                                 std::to_string(received_objects(self.state_)) +
                                                 " objects received");
        self.take(input::Fault{late.with_context("list " + self.subject())});
      }));
}

void Reflector::run(effect::Expect expect) {
  deadline_ = strand_.submit_at(expect.end, for_this_request([](Reflector& self) {
                                  self.take(input::Late{self.life_->last()});
                                }));
}

void Reflector::run(effect::Send) {
  ListOptions options;
  if (const auto* list = std::get_if<Listing>(&state_.phase)) {
    options.limit = list->limit;
    if (list->token.empty()) {
      options.resource_version = list->asked;
    } else {
      options.continue_ = list->token;
    }
    send<ListStream>(
        "list",
        {[] {}, for_this_request(std::mem_fn(&Reflector::on_list_items)),
         for_this_request(std::mem_fn(&Reflector::on_list_end))},
        [&](const auto& to) { return source_->list(options, kListSilence, to, stop_); });
    return;
  }
  const auto* streaming = std::get_if<Streaming>(&state_.phase);
  const auto* resuming = std::get_if<Resuming>(&state_.phase);
  const Duration time = streaming != nullptr  ? streaming->request.time
                        : resuming != nullptr ? resuming->request.time
                                              : std::get<Watching>(state_.phase).request.time;
  options.resource_version = state_.versions.last;
  options.allow_watch_bookmarks = true;
  options.timeout_seconds = std::chrono::floor<std::chrono::seconds>(time).count();
  if (streaming != nullptr) {
    if (state_.versions.unavailable) options.resource_version.clear();
    options.resource_version_match = "NotOlderThan";
    options.send_initial_events = true;
  }
  send<WatchStream>("watch",
                    {for_this_request([](Reflector& self) { self.take(input::Opened{}); }),
                     for_this_request(std::mem_fn(&Reflector::on_watch_events)),
                     for_this_request(std::mem_fn(&Reflector::on_watch_end)), streaming != nullptr},
                    [&](const auto& to) {
                      return source_->watch(options, options_.watch_idle_timeout, to, stop_);
                    });
}

void Reflector::on_list_end(Result<ListInfo> result) {
  if (result) {
    const auto& listing = std::get<Listing>(state_.phase);
    pauses_.pace.page_came(listing.page_items, listing.limit);
    take(input::Page{*std::move(result)});
  } else if (!stop_.stop_requested()) {
    take(input::Ended{result.error()});
  }
}

void Reflector::on_watch_end(const Result<void>& result) {
  if (!stop_.stop_requested()) take(result ? input::Ended{} : input::Ended{result.error()});
}

void Reflector::run(effect::Ask& ask) {
  const Result<bool> learned = call_user_code(
      "the source", [&]() -> Result<bool> { return source_->note_response(ask.error); });
  if (!learned) {
    KUBE_LOG(runtime_.logger, LogLevel::Warning, "reflector",
             "could not report the refusal to the source", {"informer", subject()},
             {"error", learned.error().to_string()});
  }
  take(input::Refused{std::move(ask.error), learned.value_or(false)});
}

void Reflector::run(effect::Accepted) {
  metrics_.watch_begins();
  progress_.write([](Progress& progress) {
    ++progress.watches;
    progress.last_error.reset();
  });
  pauses_.denied.reset();
  note_condition(InformerCondition::Healthy);
}

// ---- the target

void Reflector::run(effect::Replace& replace) {
  list_deadline_.cancel();
  progress_.write([&](Progress& progress) {
    if (replace.saved) {
      progress.resumed = saved_age_;
    } else {
      ++progress.lists;
    }
    progress.last_error.reset();
    progress.refusal.reset();
  });
  publish();
  if (replace.begun) {
    metrics_.list_came(replace.items.size(), runtime_.clock()->now() - *replace.begun);
  }
  const bool checked = options_.detect_inconsistency && replace.checks;
  std::vector<CellRef> received = checked ? replace.items : std::vector<CellRef>();
  const Result<void> replaced = target_.replace(std::move(replace.items), replace.version);
  if (replaced && checked) {
    check_consistency(*replace.checks, replace.version, std::move(received));
  }
  take(input::Replaced{replaced});
}

void Reflector::run(effect::Synced& synced) {
  if (synced.flush) target_.flush();
  if (synced.problem) progress_.refused(*synced.problem);
  if (synced.refusals.first) {
    const Error error = synced.refusals.sum("list " + subject());
    progress_.refused(error);
    target_.incomplete(error);
  }
  arm_resync();
}

void Reflector::run(effect::EndCycle) {
  resync_timer_.cancel();
  list_deadline_.cancel();
  pauses_.internal_errors.reset();
}

void Reflector::run(effect::Freed freed) {
  if (options_.storage == StoragePolicy::Decoded) {
    freed.bytes += freed.objects * form_.type.object_size;
  }
  target_.freed(freed.bytes);
}

void Reflector::arm_resync() {
  const Duration period = target_.resync_period();
  if (period <= Duration::zero()) return;
  resync_timer_ = strand_.submit_after(
      period, while_running([](Reflector& self) {
        const Result<void> done = self.target_.resync();
        if (!done) {
          self.take(input::ResyncFailed{done.error().with_context("resync " + self.subject())});
        } else {
          self.arm_resync();
        }
      }));
}

void Reflector::check_consistency(const ListOptions& asked, std::string_view version,
                                  std::vector<CellRef> received) {
  auto options = consistent_list_options(asked, version, received.size());
  if (!options) return;
  KUBE_LOG(runtime_.logger, LogLevel::Warning, "reflector",
           "another list checks what was received, as it was asked to", {"informer", subject()});
  if (check_) check_->stop();
  check_ = std::make_shared<ConsistencyCheck>(
      runtime_, strand_, source_, form_.type, form_.changes, *std::move(options),
      ConsistencyCheck::Received{std::move(received), target_.transforms()},
      while_running(std::mem_fn(&Reflector::on_inconsistency)));
  check_->start(stop_);
}

void Reflector::on_inconsistency(const Error& error) {
  const Error named = error.with_context("check " + subject());
  KUBE_LOG(runtime_.logger, LogLevel::Error, "reflector", "the server is inconsistent",
           {"informer", subject()}, {"error", named.to_string()});
  progress_.refused(named);
  target_.watch_error(named);
}

// ---- reports

void Reflector::run(const effect::Note& note) {
  if (!note.error) {
    KUBE_LOG(runtime_.logger, note.level, "reflector", note.line, {"informer", subject()});
    return;
  }
  progress_.failed(*note.error);
  if (note.line == nullptr) return;
  if (note.version) {
    KUBE_LOG(runtime_.logger, note.level, "reflector", note.line, {"informer", subject()},
             {"resource_version", state_.versions.last}, {"error", note.error->to_string()});
  } else {
    KUBE_LOG(runtime_.logger, note.level, "reflector", note.line, {"informer", subject()},
             {"error", note.error->to_string()});
  }
}

void Reflector::run(const effect::Fail& fail) {
  progress_.failed(fail.error);
  note_condition(condition_of(fail.error), fail.error);
  target_.watch_error(fail.error);
}

void Reflector::run(const effect::Unopened& unopened) {
  note_condition(condition_of(unopened.error), unopened.error);
  if (unopened_lines_.try_accept()) {
    KUBE_LOG(runtime_.logger, LogLevel::Info, "reflector", "watch could not be opened",
             {"informer", subject()}, {"error", unopened.error.to_string()});
  }
  progress_.failed(unopened.error);
}

void Reflector::note_condition(InformerCondition condition, const Optional<Error>& error) {
  const bool changed = progress_.write([&](Progress& progress) {
    return std::exchange(progress.condition, condition) != condition;
  });
  if (!changed) return;
  unopened_lines_.give_back(1);
  target_.condition_changed(condition, error);
}

void Reflector::publish() {
  const Versions& versions = state_.versions;
  const Listing* listing = listing_of(state_);
  metrics_.reached(versions.last);
  progress_.write([&](Progress& progress) {
    progress.state = shown(state_);
    progress.received = received_objects(state_);
    progress.expected = listing == nullptr ? std::nullopt : listing->expected;
    progress.version = versions.last;
    progress.version_unavailable = versions.unavailable;
    progress.in_doubt = versions.in_doubt;
  });
}

}  // namespace kube::cache
