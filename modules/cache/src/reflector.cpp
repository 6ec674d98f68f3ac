// SPDX-License-Identifier: Apache-2.0
#include "reflector.hpp"

#include <algorithm>
#include <utility>

#include "reflector_errors.hpp"

namespace kube::cache {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kPageSize = 500;
constexpr Duration kBackoffReset = std::chrono::minutes(2);
// A server may take a minute to begin; after that bytes flow.
constexpr milliseconds kListSilence{90'000};

/// Jitter goes on without the program's randomness if that throws.
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

}  // namespace

Reflector::Reflector(Runtime runtime, Strand strand, std::shared_ptr<ListerWatcher> source,
                     const CellType& type, Options options, ReflectorTarget& target)
    : runtime_(with_safe_random(std::move(runtime))),
      strand_(std::move(strand)),
      source_(std::move(source)),
      type_(type),
      options_(std::move(options)),
      target_(target),
      backoff_({}, kBackoffReset, runtime_.clock(), runtime_.random) {}

void Reflector::start(const std::shared_ptr<Reflector>& self, std::stop_token stop) {
  self_ = self;
  stop_ = std::move(stop);
  step([this] { begin_cycle(); });
}

void Reflector::stop() {
  stopped_ = true;
  abandon();
  resync_timer_.cancel();
  list_ = {};
  initial_ = {};
  report(InformerState::Stopped);
}

void Reflector::abandon() {
  ++generation_;
  timer_.cancel();
  initial_deadline_.cancel();
  if (auto cancel = std::exchange(cancel_request_, nullptr)) cancel();
}

template <class Stream, class Ask>
void Reflector::start_request(std::shared_ptr<Stream> stream, void (Reflector::*failed)(Error),
                              Ask&& ask) {
  cancel_request_ = [stream] { stream->cancel(); };
  const Result<void> asked = guarded("the source", [&]() -> Result<void> {
    stream->attach(ask(stream));
    return {};
  });
  if (asked) return;
  strand_.submit([fail = for_this_request(failed), error = asked.error()] { fail(error); });
}

bool Reflector::learn(const Error& error) {
  const Result<bool> learned =
      guarded("the source", [&]() -> Result<bool> { return source_->learn(error); });
  if (learned) return *learned;
  KUBE_LOG(runtime_.logger, LogLevel::Warning, "reflector", "source learned nothing of a refusal",
           {"resource", subject()}, {"error", learned.error().to_string()});
  return false;
}

std::string Reflector::subject() const {
  return guarded("the source", [&]() -> Result<std::string> { return source_->to_string(); })
      .value_or("a source without a name");
}

void Reflector::after(Duration delay, void (Reflector::*next)()) {
  abandon();
  report(InformerState::BackingOff);
  timer_ = strand_.submit_after(delay, for_this_request(next));
}

// ---- the cycle

void Reflector::begin_cycle() {
  if (stopped_ || stop_.stop_requested()) return;
  initial_.streams = 0;
  if (options_.watch_list) {
    stream_initial_state();
  } else {
    list(list_version());
  }
}

void Reflector::end_cycle(Duration at_least) {
  resync_timer_.cancel();
  list_ = {};
  initial_.objects = {};
  const Duration delay = std::max(backoff_.next(), at_least);
  after(delay, &Reflector::begin_cycle);
}

void Reflector::cycle_failed(const Error& error) {
  note_failure(error);
  const std::uint64_t generation = generation_;
  target_.watch_error(error);
  if (generation != generation_ || stopped_) return;  // the handler stopped us
  end_cycle(asked_delay(error));
}

// ---- list

std::string Reflector::list_version() const {
  if (version_unavailable_) return "";
  return last_version_.empty() ? "0" : last_version_;
}

// With a limit, a server can't answer from its watch cache unless any version will do.
std::int64_t Reflector::page_size_for(std::string_view version) const {
  if (options_.page_size > 0) return options_.page_size;
  if (zero_list_was_paged_) return kPageSize;
  return version.empty() || version == "0" ? kPageSize : 0;
}

void Reflector::list(std::string version) {
  list_ = {};
  refusals_ = {};
  list_.limit = page_size_for(version);
  list_.asked_version = std::move(version);
  report(InformerState::Listing);
  request_page();
}

void Reflector::list_everything_at(std::string version) {
  const bool newest = list_.newest;
  list_ = {};
  refusals_ = {};
  list_.newest = newest;
  list_.whole = true;
  list_.asked_version = std::move(version);
  request_page();
}

void Reflector::request_page() {
  abandon();
  if (stop_.stop_requested()) return;
  ListOptions options;
  options.limit = list_.limit;
  if (list_.token.empty()) {
    options.resource_version = list_.asked_version;
  } else {
    options.continue_ = list_.token;
  }
  auto stream = std::make_shared<ListStream>(
      strand_, life_,
      ListStream::Receiver{[] {}, for_this_request(&Reflector::on_list_items),
                           for_this_request(&Reflector::on_list_end)},
      "list " + subject(), type_, options_.storage, options_.defaults);
  start_request(std::move(stream), &Reflector::on_list_threw,
                [&](const std::shared_ptr<ListStream>& to) {
                  return source_->list(options, kListSilence, to, stop_);
                });
}

void Reflector::on_list_threw(Error error) {
  cycle_failed(error.with_context("list " + subject()));
}

void Reflector::on_list_items(std::vector<Arrived> items) {
  for (Arrived& item : items) {
    if (item.refused) {
      refuse_initial(*item.refused);
      continue;
    }
    auto admitted = target_.admit(std::move(item.cell));
    if (!admitted) {
      abandon();
      cycle_failed(admitted.error().with_context("list " + subject()));
      return;
    }
    if (admitted->refused) refuse_initial(*admitted->refused);
    if (admitted->cell) list_.items.push_back(std::move(admitted->cell));
  }
}

void Reflector::refuse_initial(const Error& error) {
  ++refusals_.count;
  if (!refusals_.first) refusals_.first = error;
  target_.refused(error);
}

bool Reflector::report_refusals() {
  const Refusals refusals = std::exchange(refusals_, {});
  if (!refusals.first) return true;
  const std::uint64_t generation = generation_;
  const Error error = refusals.first->with_context(
      "list " + subject() + ": objects refused: " + std::to_string(refusals.count) + ", the first");
  note_refusal(error);
  target_.incomplete(error);
  return generation == generation_ && !stopped_;
}

void Reflector::on_list_end(Result<ListMeta> result) {
  if (!result) {
    on_list_failed(result.error());
    return;
  }
  if (list_.token.empty()) list_.version = std::move(result->resource_version);
  if (!result->continue_.empty()) {
    if (auto added = list_.tokens.add(result->continue_); !added) {
      cycle_failed(added.error().with_context("list " + subject()));
      return;
    }
    if (list_.asked_version == "0") zero_list_was_paged_ = true;
    list_.token = std::move(result->continue_);
    request_page();
    return;
  }
  version_unavailable_ = false;
  report_answer(&Progress::lists);
  std::string version = std::move(list_.version);
  auto replaced = target_.replace(std::exchange(list_.items, {}), version);
  if (!replaced) {
    cycle_failed(replaced.error().with_context("list " + subject()));
    return;
  }
  last_version_ = std::move(version);
  in_doubt_ = false;
  target_.flush();
  if (!report_refusals()) return;
  arm_resync();
  watch();
}

void Reflector::on_list_failed(const Error& error) {
  if (stop_.stop_requested()) return;
  if (learn(error)) {
    request_page();
    return;
  }
  if (!list_.token.empty() && !list_.whole && version_gone(error)) {
    // The continue token has expired under us: the whole at once, at the version we began with.
    list_everything_at(list_.asked_version);
    return;
  }
  if (!list_.newest && (version_gone(error) || is_too_large_resource_version(error))) {
    version_unavailable_ = true;
    const std::int64_t limit = list_.limit;
    list_ = {};
    refusals_ = {};
    list_.limit = limit;
    list_.newest = true;
    request_page();
    return;
  }
  cycle_failed(error);
}

// ---- watch

std::int64_t Reflector::watch_timeout_seconds() const {
  return static_cast<std::int64_t>(300 * (1 + runtime_.random()));
}

void Reflector::watch() {
  ListOptions options;
  options.resource_version = last_version_;
  options.allow_watch_bookmarks = true;
  options.timeout_seconds = watch_timeout_seconds();
  initial_.streaming = false;
  report(InformerState::Watching);
  open_watch(options);
  watch_.moves_version = !last_version_.empty() && last_version_ != "0";
}

void Reflector::open_watch(const ListOptions& options) {
  abandon();
  if (stop_.stop_requested()) return;
  watch_ = {};
  watch_.version_at_start = last_version_;
  watch_.opened = runtime_.clock()->now();
  auto stream = std::make_shared<WatchStream>(
      strand_, life_,
      WatchStream::Receiver{for_this_request(&Reflector::on_watch_open),
                            for_this_request(&Reflector::on_watch_events),
                            for_this_request(&Reflector::on_watch_end)},
      "watch " + subject(), type_, options_.storage, options_.defaults);
  start_request(std::move(stream), &Reflector::on_watch_threw,
                [&](const std::shared_ptr<WatchStream>& to) {
                  return source_->watch(options, options_.watch_idle_timeout, to, stop_);
                });
}

void Reflector::on_watch_threw(Error error) {
  const Error named = error.with_context("watch " + subject());
  if (initial_.streaming) {
    list_instead(named);
  } else {
    cycle_failed(named);
  }
}

void Reflector::on_watch_open() {
  watch_.is_open = true;
  report_answer(&Progress::watches);
}

void Reflector::on_watch_events(std::vector<WatchEvent> events) {
  {
    const MutexLock lock(progress_mutex_);
    progress_.events += events.size();
  }
  const std::uint64_t generation = generation_;
  for (WatchEvent& event : events) {
    const bool goes_on = initial_.streaming ? handle_initial(event) : handle(event);
    if (!goes_on || generation != generation_) break;
  }
  target_.flush();
}

bool Reflector::handle(WatchEvent& event) {
  if (event.type == WatchEventType::Error) {
    handle_error_event(event.error->with_context("watch " + subject()));
    return false;
  }
  ++watch_.events;
  if (event.type == WatchEventType::Unknown) {
    KUBE_LOG(runtime_.logger, LogLevel::Warning, "reflector", "unknown type of watch event",
             {"resource", subject()}, {"type", event.type_text});
    return true;
  }
  if (event.error) {
    // What could not be read may have been anything's change.
    in_doubt_ = in_doubt_ || event.error->code() == ErrorCode::Decode;
    refuse_event(*event.error);
    return true;
  }
  // The cell may change hands; its version counts in any case, refused objects included.
  std::string version(event.cell->resource_version());
  if (event.type == WatchEventType::Bookmark) {
    target_.bookmark(std::move(event.cell));
  } else if (auto admitted = target_.admit(std::move(event.cell)); !admitted) {
    refuse_event(admitted.error());
  } else if (admitted->refused) {
    refuse_event(*admitted->refused);  // what is known of it stays known
  } else if (event.type == WatchEventType::Added) {
    target_.add(std::move(admitted->cell));
  } else if (event.type == WatchEventType::Modified) {
    target_.update(std::move(admitted->cell));
  } else {
    target_.remove(std::move(admitted->cell));
  }
  if (event.type != WatchEventType::Added) watch_.moves_version = true;
  if (watch_.moves_version && !version.empty()) last_version_ = std::move(version);
  return true;
}

void Reflector::refuse_event(const Error& why) {
  const Error error = why.with_context("watch " + subject());
  note_refusal(error);
  target_.refused(error);
  target_.incomplete(error);
}

void Reflector::handle_error_event(const Error& error) {
  if (is_too_many_requests(error)) {
    note_failure(error);
    after(std::max(backoff_.next(), asked_delay(error)), &Reflector::watch);
    return;
  }
  if (version_gone(error)) {
    // The next list asks for "at least our version", which a list may well have.
    note_failure(error);
    KUBE_LOG(runtime_.logger, LogLevel::Info, "reflector", "watch expired", {"resource", subject()},
             {"resource_version", last_version_}, {"error", error.to_string()});
  } else {
    watch_ended_with(error);
  }
  end_cycle(asked_delay(error));
}

void Reflector::watch_ended_with(const Error& error) {
  KUBE_LOG(runtime_.logger, LogLevel::Warning, "reflector", "watch ended with an error",
           {"resource", subject()}, {"error", error.to_string()});
  note_failure(error);
}

void Reflector::on_watch_end(Result<void> result) {
  if (stop_.stop_requested()) return;
  if (initial_.streaming) {
    on_initial_stream_end(result);
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
  // However the stream ended: what came before is whole, and the next watch takes up from there.
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
             {"resource", subject()}, {"resource_version", last_version_},
             {"error", result.error().to_string()});
    note_failure(result.error());
  }
  if (in_doubt_) {
    end_cycle();
    return;
  }
  watch();
}

bool Reflector::is_very_short() const {
  // Events that bring us nowhere must not keep us in a loop without pause either.
  const bool nothing_came = watch_.events == 0 || last_version_ == watch_.version_at_start;
  return nothing_came && runtime_.clock()->now() - watch_.opened < kShortWatch;
}

void Reflector::on_watch_refused(const Error& error) {
  if (learn(error)) {
    watch();
    return;
  }
  if (worth_another_watch(error)) {
    KUBE_LOG(runtime_.logger, LogLevel::Info, "reflector", "watch could not be opened",
             {"resource", subject()}, {"error", error.to_string()});
    note_failure(error);
    after(std::max(backoff_.next(), asked_delay(error)), &Reflector::watch);
    return;
  }
  cycle_failed(error);
}

// ---- resync

void Reflector::arm_resync() {
  const Duration period = target_.resync_period();
  if (period <= Duration::zero()) return;
  resync_timer_ = strand_.submit_after(period, [weak = self_] {
    const std::shared_ptr<Reflector> self = weak.lock();
    if (!self || self->stopped_) return;
    self->step([&] {
      self->target_.resync();
      self->arm_resync();
    });
  });
}

// ---- progress

void Reflector::report(InformerState state) {
  const MutexLock lock(progress_mutex_);
  progress_.state = state;
}

void Reflector::note_failure(const Error& error) {
  const MutexLock lock(progress_mutex_);
  progress_.last_error = error;
}

void Reflector::note_refusal(const Error& error) {
  const MutexLock lock(progress_mutex_);
  progress_.refusal = error;
}

void Reflector::report_answer(std::uint64_t Progress::*counter) {
  const MutexLock lock(progress_mutex_);
  ++(progress_.*counter);
  progress_.last_error.reset();
  if (counter == &Progress::lists) progress_.refusal.reset();
}

Reflector::Progress Reflector::progress() const {
  const MutexLock lock(progress_mutex_);
  return progress_;
}

}  // namespace kube::cache
