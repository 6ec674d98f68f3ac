// SPDX-License-Identifier: Apache-2.0
//
// The reflector's other way to the initial state: as a stream of events, on the stream that then
// continues as the watch (docs/reference/informers-and-queues.md ch. 12).
#include <algorithm>
#include <utility>

#include "reflector.hpp"
#include "reflector_bounds.hpp"
#include "reflector_errors.hpp"

namespace kube::cache {

bool Reflector::may_stream() {
  if (!options_.watch_list || runtime_.clock()->now() < no_streams_before_) return false;
  const Result<bool> unsupported = call_user_code("the source", [&]() -> Result<bool> {
    return source_->is_watch_list_semantics_unsupported();
  });
  return unsupported && !*unsupported;
}

void Reflector::drop_initial() {
  initial_.objects = {};
  if (const std::size_t bytes = std::exchange(initial_.bytes, 0); bytes > 0) target_.freed(bytes);
}

void Reflector::stream_initial_state() {
  drop_initial();
  initial_.in_doubt = false;
  begin_refusals();
  initial_.streaming = true;
  ++initial_.streams;
  when_paced(&Reflector::start_initial_stream);
}

void Reflector::start_initial_stream() {
  const std::chrono::seconds time = watch_time();
  ListOptions options;
  options.resource_version = version_unavailable_ ? "" : last_version_;
  options.resource_version_match = "NotOlderThan";
  options.send_initial_events = true;
  options.allow_watch_bookmarks = true;
  options.timeout_seconds = time.count();
  report(InformerState::Listing);
  open_watch(options, kInitialStreamSilence, &Reflector::on_initial_stream_late);
  initial_.heard = watch_.opened;
  watch_.time = time;
}

bool Reflector::handle_initial(WatchEvent& event) {
  switch (event.type) {
    case WatchEventType::Error:
      on_initial_stream_failed(event.refused->error.with_context("watch " + subject()));
      return false;
    case WatchEventType::Added:
    case WatchEventType::Modified: {
      ++watch_.events;
      if (event.refused) {
        refuse_initial_event(event);
        return true;
      }
      keep_initial(std::move(event.cell));
      if (options_.max_list_bytes == 0 || initial_.bytes <= options_.max_list_bytes) return true;
      on_initial_stream_failed(list_too_large().with_context("watch " + subject()));
      return false;
    }
    case WatchEventType::Deleted:
      ++watch_.events;
      if (event.refused) {
        refuse_initial_event(event);
        return true;
      }
      drop_initial_object(event.cell->key());
      target_.initial_lacks(event.cell->key());
      return true;
    case WatchEventType::Bookmark:
      ++watch_.events;
      return !event.initial_events_end || take_over_initial_state(*event.cell);
  }
  return true;
}

void Reflector::drop_initial_object(std::string_view key) {
  const auto at = initial_.objects.find(key);
  if (at == initial_.objects.end()) return;
  initial_.bytes -= at->second->memory();
  initial_.objects.erase(at);  // also destroys the key, which the map refers to
}

void Reflector::refuse_initial_event(const WatchEvent& event) {
  initial_.in_doubt = initial_.in_doubt || (event.type != WatchEventType::Added &&
                                            event.refused->error.code() == ErrorCode::Decode);
  refuse_initial(event.refused->error, event.cell);
  if (!event.cell || initial_.objects.contains(event.cell->key())) return;
  if (CellRef known = target_.known(event.cell->key())) keep_initial_object(std::move(known));
}

void Reflector::keep_initial(CellRef object) {
  auto accepted = target_.accept(object, Origin::List);
  if (!accepted) {
    refuse_initial(accepted.error(), object);
    return;
  }
  const std::string_view key = accepted->cell ? accepted->cell->key() : std::string_view();
  if (accepted->refused) {
    refuse_initial(*accepted->refused, object);
    // The stream's own state of the object is newer than what was known before.
    if (!accepted->cell || initial_.objects.contains(key)) return;
  }
  keep_initial_object(std::move(accepted->cell));
}

void Reflector::keep_initial_object(CellRef object) {
  const std::string_view key = object->key();
  drop_initial_object(key);
  initial_.bytes += object->memory();
  initial_.objects.emplace(key, std::move(object));
}

bool Reflector::take_over_initial_state(const Cell& bookmark) {
  // The same stream continues as the watch.
  watch_deadline_ = strand_.submit_at(watch_.opened + watch_.time + kWatchGrace,
                                      for_this_request(&Reflector::on_watch_late));
  version_unavailable_ = false;
  report_answer(&Progress::lists);
  note_received(0, std::nullopt);
  std::string version(bookmark.resource_version());
  std::vector<CellRef> items;
  items.reserve(initial_.objects.size());
  for (auto& [key, cell] : initial_.objects) items.push_back(std::move(cell));
  initial_.bytes = 0;  // the target counts them now
  drop_initial();
  const bool checked = options_.detect_inconsistency && refusals_.count == 0 && !initial_.in_doubt;
  std::vector<CellRef> received = checked ? items : std::vector<CellRef>();
  if (auto replaced = target_.replace(std::move(items), version); !replaced) {
    list_instead(replaced.error(), false);
    return false;
  }
  if (checked) check_consistency({}, version, std::move(received));
  // Without a version the stream continues to work, but no watch can continue from its end.
  const auto problem = version_problem(version);
  if (problem) note_refusal(problem->with_context("watch " + subject()));
  if (!problem) last_version_ = std::move(version);
  in_doubt_ = initial_.in_doubt || problem.has_value();
  if (!report_refusals()) return false;
  initial_.streaming = false;
  arm_resync();
  report(InformerState::Watching);
  return true;
}

void Reflector::on_initial_stream_failed(const Error& error) {
  if (note_response(error)) {
    stream_initial_state();
    return;
  }
  if (is_too_many_requests(error) || (error.code() == ErrorCode::Unreachable && !watch_.is_open)) {
    note_failure(error);
    if (!note_condition(condition_of(error), error)) return;
    const std::uint64_t generation = generation_;
    target_.watch_error(error);                         // a failed list is reported, too
    if (generation != generation_ || stopped_) return;  // the handler stopped us
    after(std::max(backoff_.next(), asked_delay(error)), &Reflector::stream_initial_state);
    return;
  }
  if (!version_unavailable_ && (version_gone(error) || is_too_large_resource_version(error) ||
                                (may_refuse_version(error) && !last_version_.empty()))) {
    version_unavailable_ = true;
    stream_initial_state();
    return;
  }
  list_instead(error, refuses_streams(error));
}

void Reflector::on_initial_stream_end(const Result<void>& result) {
  if (!result && (!watch_.is_open || result.error().code() == ErrorCode::Decode)) {
    on_initial_stream_failed(result.error());
    return;
  }
  const std::string too_early = "the stream ended before the initial state was complete";
  const Error early =
      (result ? Error(ErrorCode::Unreachable, too_early) : result.error().with_context(too_early))
          .with_context("watch " + subject());
  const bool very_short =
      watch_.events == 0 && runtime_.clock()->now() - watch_.opened < kShortWatch;
  if (very_short || initial_.streams >= kMaxInitialStreams) {
    list_instead(early, true);
    return;
  }
  KUBE_LOG(runtime_.logger, LogLevel::Info, "reflector", "watch broke off", {"informer", subject()},
           {"error", early.to_string()});
  note_failure(early);
  stream_initial_state();
}

// What has not begun is waited for until the deadline: a busy server may let a request wait.
void Reflector::on_initial_stream_late() {
  const TimePoint now = runtime_.clock()->now();
  const TimePoint deadline = watch_.opened + kInitialStreamDeadline;
  const TimePoint silent =
      watch_.is_open ? std::max(initial_.heard, life_->last()) + kInitialStreamSilence : deadline;
  if (const TimePoint next = std::min(silent, deadline); now < next) {
    watch_deadline_ = strand_.submit_at(next, for_this_request(&Reflector::on_initial_stream_late));
    return;
  }
  list_instead(Error(ErrorCode::Timeout, "the end of the initial state was not announced in time")
                   .with_context("watch " + subject()),
               true);
}

void Reflector::list_instead(const Error& why, bool no_streams) {
  if (no_streams) no_streams_before_ = runtime_.clock()->now() + kNoStreamsFor;
  KUBE_LOG(runtime_.logger, LogLevel::Info, "reflector",
           "initial state could not be streamed, listing instead", {"informer", subject()},
           {"error", why.to_string()});
  note_failure(why);
  initial_.streaming = false;
  drop_initial();
  note_received(0, std::nullopt);
  list(list_version());
}

}  // namespace kube::cache
