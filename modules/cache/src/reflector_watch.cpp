// SPDX-License-Identifier: Apache-2.0
//
// How a reflector watches: what each event means, and what follows the end of a watch.
#include "reflector.hpp"

#include <algorithm>
#include <utility>

#include <kube/transport/connection_retired.hpp>

#include "reflector_bounds.hpp"
#include "reflector_errors.hpp"

namespace kube::cache {

std::chrono::seconds Reflector::watch_time() const {
  const auto least = std::max(options_.min_watch_timeout, kMinWatchTimeout).count();
  return std::chrono::seconds(
      static_cast<std::int64_t>(static_cast<double>(least) * (1 + runtime_.random())));
}

void Reflector::watch() {
  if (last_version_.empty()) {  // the streamed initial state had no version
    begin_cycle();
    return;
  }
  initial_.streaming = false;
  when_paced(&Reflector::start_watch);
}

void Reflector::start_watch() {
  const std::chrono::seconds time = watch_time();
  ListOptions options;
  options.resource_version = last_version_;
  options.allow_watch_bookmarks = true;
  options.timeout_seconds = time.count();
  report(InformerState::Watching);
  open_watch(options, time + kWatchGrace, &Reflector::on_watch_late);
}

void Reflector::open_watch(const ListOptions& options, Duration time, void (Reflector::*late)()) {
  watch_ = {};
  watch_.version_at_start = last_version_;
  watch_.opened = runtime_.clock()->now();
  watch_deadline_ = strand_.submit_after(time, for_this_request(late));
  auto stream = std::make_shared<WatchStream>(
      strand_, life_,
      WatchStream::Receiver{for_this_request(&Reflector::on_watch_open),
                            for_this_request(&Reflector::on_watch_events),
                            for_this_request(&Reflector::on_watch_end)},
      "watch " + subject(), form_.type, options_.storage, form_.changes, form_.max_object_bytes);
  start_request(std::move(stream), &Reflector::on_watch_threw,
                [&](const std::shared_ptr<WatchStream>& to) {
                  return source_->watch(options, options_.watch_idle_timeout, to, stop_);
                });
}

void Reflector::on_watch_threw(Error error) {
  const Error named = error.with_context("watch " + subject());
  if (initial_.streaming) {
    list_instead(named, false);
  } else {
    cycle_failed(named);
  }
}

void Reflector::on_watch_open() {
  watch_.is_open = true;
  report_answer(&Progress::watches);
  denied_backoff_.reset();
  note_condition(InformerCondition::Healthy);
}

void Reflector::on_watch_events(std::vector<WatchEvent> events) {
  if (initial_.streaming) initial_.heard = runtime_.clock()->now();
  const std::uint64_t generation = generation_;
  for (WatchEvent& event : events) {
    const bool goes_on = initial_.streaming ? handle_initial(event) : handle(event);
    if (!goes_on || generation != generation_) break;
  }
  if (initial_.streaming) note_received(initial_.objects.size(), std::nullopt);
  metrics_.reached(last_version_);
  {
    const MutexLock lock(progress_mutex_);
    progress_.events += events.size();
    progress_.version = last_version_;
  }
  target_.flush();
}

bool Reflector::handle(WatchEvent& event) {
  if (event.type == WatchEventType::Error) {
    handle_error_event(event.refused->error.with_context("watch " + subject()));
    return false;
  }
  ++watch_.events;
  const bool deletes = event.type == WatchEventType::Deleted;
  const Origin origin = deletes ? Origin::Deletion : Origin::Watch;
  // The cell may be moved; its version counts in any case, for refused objects too.
  std::string version;
  if (event.cell) {
    version = event.cell->resource_version();
  } else if (event.refused) {
    version = event.refused->version;
  }
  if (event.refused) {
    // The event may have been a change of any object.
    in_doubt_ = in_doubt_ || event.refused->error.code() == ErrorCode::Decode;
    refuse_event(event.refused->error, event.cell, origin);
  } else if (event.type == WatchEventType::Bookmark) {
    target_.bookmark(std::move(event.cell));
  } else if (auto accepted = target_.accept(event.cell, origin); !accepted) {
    refuse_event(accepted.error(), event.cell, origin);
  } else if (accepted->refused) {
    refuse_event(*accepted->refused, event.cell, origin);  // the known state remains
  } else if (event.type == WatchEventType::Added) {
    target_.add(std::move(accepted->cell));
  } else if (event.type == WatchEventType::Modified) {
    target_.update(std::move(accepted->cell));
  } else {
    target_.remove(std::move(accepted->cell));
  }
  if (!version_problem(version)) last_version_ = std::move(version);
  return true;
}

void Reflector::refuse_event(const Error& why, const CellRef& object, Origin origin) {
  const Error error = why.with_context("watch " + subject());
  note_refusal(error);
  target_.refused(error, key_or_none(object), origin);
  refused_events_.add(why);
  if (refusal_reports_.try_accept()) report_refused_events();
}

bool Reflector::report_refused_events() {
  const Refusals refused = std::exchange(refused_events_, {});
  if (!refused.first) return true;
  const std::uint64_t generation = generation_;
  const std::string from = "watch " + subject();
  target_.incomplete(refused.count == 1 ? refused.first->with_context(from) : refused.sum(from));
  return generation == generation_ && !stopped_ && !stop_.stop_requested();
}

void Reflector::handle_error_event(const Error& error) {
  if (needs_credentials(error)) {
    wait_for_credentials(error);
    return;
  }
  if (is_too_many_requests(error)) {
    note_failure(error);
    after(std::max(backoff_.next(), asked_delay(error)), &Reflector::watch);
    return;
  }
  internal_errors_.after(error);
  if (is_internal_error(error) && internal_errors_.should_retry()) {
    watch_ended_with(error);
    watch();
    return;
  }
  if (may_refuse_version(error)) version_unavailable_ = true;
  if (version_gone(error)) {
    // The next list requests at least our version, which the server may well have.
    note_failure(error);
    KUBE_LOG(runtime_.logger, LogLevel::Info, "reflector", "watch expired", {"informer", subject()},
             {"resource_version", last_version_}, {"error", error.to_string()});
  } else {
    watch_ended_with(error);
  }
  end_cycle(asked_delay(error));
}

void Reflector::watch_ended_with(const Error& error) {
  KUBE_LOG(runtime_.logger, LogLevel::Warning, "reflector", "watch ended with an error",
           {"informer", subject()}, {"error", error.to_string()});
  note_failure(error);
}

void Reflector::on_watch_end(Result<void> result) {
  if (stop_.stop_requested()) return;
  if (initial_.streaming) {
    on_initial_stream_end(result);
    return;
  }
  if (!result && transport::is_connection_retired(result.error())) {
    after_watch();
    return;
  }
  if (!watch_.is_open && !result) {
    on_watch_refused(result.error());
    return;
  }
  if (!result && result.error().code() == ErrorCode::Decode) {
    watch_ended_with(result.error());
    end_cycle();
    return;
  }
  // However the stream ended, the events before its end are complete, and the next watch continues
  // from them.
  if (is_very_short()) {
    watch_ended_with(!result ? result.error()
                             : Error(ErrorCode::Unreachable,
                                     "very short watch: closed at once without anything new")
                                   .with_context("watch " + subject()));
    end_cycle();
    return;
  }
  if (!result) {
    KUBE_LOG(runtime_.logger, LogLevel::Info, "reflector", "watch broke off",
             {"informer", subject()}, {"resource_version", last_version_},
             {"error", result.error().to_string()});
    note_failure(result.error());
  }
  after_watch();
}

void Reflector::on_watch_late() {
  const Error late =
      Error(ErrorCode::Timeout, "the watch did not end after the time in its request")
          .with_context("watch " + subject());
  KUBE_LOG(runtime_.logger, LogLevel::Info, "reflector", "watch is reopened",
           {"informer", subject()}, {"error", late.to_string()});
  note_failure(late);
  abandon();
  after_watch();
}

void Reflector::after_watch() {
  credentials_backoff_.reset();
  if (!in_doubt_) {
    watch();
    return;
  }
  KUBE_LOG(runtime_.logger, LogLevel::Info, "reflector",
           "a list follows the watch, because an object in it could not be read",
           {"informer", subject()});
  end_cycle();
}

bool Reflector::is_very_short() const {
  // Events without progress must not cause a loop without a pause either.
  const bool nothing_came = watch_.events == 0 || last_version_ == watch_.version_at_start;
  return nothing_came && runtime_.clock()->now() - watch_.opened < kShortWatch;
}

// Reported, unlike other reasons to try a watch again: the user may have to act.
void Reflector::wait_for_credentials(const Error& error) {
  if (watch_.is_open && !is_very_short()) credentials_backoff_.reset();
  note_failure(error);
  if (!note_condition(condition_of(error), error)) return;
  const std::uint64_t generation = generation_;
  target_.watch_error(error);
  if (generation != generation_ || stopped_) return;  // the handler stopped us
  after(std::max(credentials_backoff_.next(), asked_delay(error)), &Reflector::watch);
}

void Reflector::on_watch_refused(const Error& error) {
  if (note_response(error)) {
    watch();
    return;
  }
  if (needs_credentials(error)) {
    wait_for_credentials(error);
    return;
  }
  if (worth_another_watch(error)) {
    if (!note_condition(condition_of(error), error)) return;
    if (unopened_lines_.try_accept()) {
      KUBE_LOG(runtime_.logger, LogLevel::Info, "reflector", "watch could not be opened",
               {"informer", subject()}, {"error", error.to_string()});
    }
    note_failure(error);
    after(std::max(backoff_.next(), asked_delay(error)), &Reflector::watch);
    return;
  }
  if (may_refuse_version(error)) version_unavailable_ = true;
  cycle_failed(error);
}

}  // namespace kube::cache
