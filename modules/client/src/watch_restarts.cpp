// SPDX-License-Identifier: Apache-2.0
#include <kube/client/detail/watch_restarts.hpp>

#include <algorithm>
#include <utility>

#include <kube/base/log.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/status.hpp>
#include <kube/names/resource_version.hpp>
#include <kube/transport/no_waiting.hpp>

namespace kube::detail {
namespace {

constexpr Duration kBetweenStarts = std::chrono::seconds(1);
constexpr Duration kBetweenWarnings = std::chrono::minutes(1);

Error stopped_waiting() {
  return {ErrorCode::Cancelled, "stopped while waiting for an event"};
}

}  // namespace

bool WatchRestarts::is_refusal(const Error& error) {
  return is_unauthorized(error) || is_forbidden(error) ||
         error.code() == ErrorCode::InvalidArgument;
}

WatchRestarts::WatchRestarts(RawApi api, ListOptions options, bool (*ends)(const Error& error))
    : api_(std::move(api)),
      options_(std::move(options)),
      ends_(ends),
      clock_(api_.rest().runtime().clock()),
      next_start_(clock_->now()) {
  options_.allow_watch_bookmarks = true;
}

bool WatchRestarts::done() const {
  return done_.stop_requested();
}

Optional<Result<RawWatchEvent>> WatchRestarts::end() {
  watch_.reset();
  done_.request_stop();
  return std::nullopt;
}

std::optional<Error> WatchRestarts::last_error() const {
  const MutexLock lock(mutex_);
  return last_error_;
}

// A watch that does not begin is tried again for ever: the log has to say so, but not each second.
void WatchRestarts::note(const Error& error) {
  {
    const MutexLock lock(mutex_);
    last_error_ = error;
  }
  const TimePoint now = clock_->now();
  const bool warn = !warned_ || now - *warned_ >= kBetweenWarnings;
  if (warn) warned_ = now;
  KUBE_LOG(api_.rest().runtime().logger, warn ? LogLevel::Warning : LogLevel::Debug,
           "retry_watcher", "the watch failed and is tried again",
           {"resource", api_.resource().plural}, {"error", error.to_string()});
}

RawWatchEvent WatchRestarts::fail(const Error& error) {
  end();
  {
    const MutexLock lock(mutex_);
    last_error_ = error;
  }
  RawWatchEvent event;
  event.error = error;
  event.object = json::dump(meta::status_json(error));
  return event;
}

Result<void> WatchRestarts::open(const std::stop_token& stop) {
  StopGroup waiting({own_.token(), stop});
  if (clock_->sleep_until(next_start_, waiting.token()) == WaitStatus::Stopped)
    return stopped_waiting();
  next_start_ = clock_->now() + kBetweenStarts;
  // The token of the watch stops with own_ as long as the watch lives, with `stop` only until the
  // watch has begun.
  auto link = std::make_unique<StopGroup>(std::initializer_list<std::stop_token>{own_.token()});
  StopGroup* const group = link.get();
  const std::stop_callback opening(stop, [group] { group->request_stop(); });
  auto watch = api_.watch(options_, link->token());
  if (!watch) return watch.error();
  watch_ = *std::move(watch);
  link_ = std::move(link);
  const MutexLock lock(mutex_);
  last_error_.reset();
  return {};
}

bool WatchRestarts::is_final(const Error& error) {
  // What could not be read now can't be read again, either.
  if (const auto ended = watch_->end_reason(); !ended && ended.error().code() == ErrorCode::Decode)
    return true;
  if (is_gone(error) || is_resource_expired(error)) return true;
  if (const auto delay = suggests_client_delay(error))
    next_start_ = std::max(next_start_, deadline_after(clock_->now(), clamped(*delay)));
  return false;
}

Optional<Result<RawWatchEvent>> WatchRestarts::next(std::stop_token stop) {
  if (const auto allowed = transport::may_wait(); !allowed)
    return Result<RawWatchEvent>(allowed.error());
  for (;;) {
    if (done() || own_.stop_requested()) return end();
    if (!watch_) {
      const auto opened = open(stop);
      if (own_.stop_requested()) return end();
      if (stop.stop_requested()) return Result<RawWatchEvent>(stopped_waiting());
      if (!opened) {
        const Error& error = opened.error();
        if (ends_(error)) return Result<RawWatchEvent>(fail(error));
        note(error);
        continue;
      }
    }
    auto event = watch_->next(stop);
    if (own_.stop_requested()) return end();
    if (event && !*event && stop.stop_requested()) return event;
    if (!event || !*event) {
      watch_.reset();
      continue;
    }
    if ((*event)->type != WatchEventType::Error) return event;
    const bool last = is_final(*(*event)->error);
    watch_.reset();
    if (!last) {
      note(*(*event)->error);
      continue;
    }
    {
      const MutexLock lock(mutex_);
      last_error_ = *(*event)->error;
    }
    done_.request_stop();
    return event;
  }
}

WatchRestarts::Verdict WatchRestarts::accept(WatchEventType type, std::string_view version) {
  if (version.empty()) return Verdict::NoVersion;
  const auto order = meta::compare_resource_versions(version, options_.resource_version);
  if (order && *order <= 0) return Verdict::Skip;
  options_.resource_version = version;
  return type == WatchEventType::Bookmark ? Verdict::Skip : Verdict::Forward;
}

}  // namespace kube::detail
