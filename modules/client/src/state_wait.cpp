// SPDX-License-Identifier: Apache-2.0
#include "state_wait.hpp"

#include <optional>
#include <utility>

#include <kube/base/log.hpp>
#include <kube/base/time_limit.hpp>
#include <kube/client/detail/api_calls.hpp>
#include <kube/client/detail/watch_restarts.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/status.hpp>
#include <kube/names/time.hpp>

namespace kube::detail {
namespace {

constexpr Duration kPauseOfLists = std::chrono::seconds(1);

// Whether the same list may succeed later.
bool may_pass(const Error& error) {
  return error.code() == ErrorCode::Unreachable || error.code() == ErrorCode::Timeout ||
         is_too_many_requests(error) || error.http_status() >= 500;
}

bool is_too_old(const Error& error) {
  return is_gone(error) || is_resource_expired(error);
}

class StateWait {
 public:
  StateWait(const RawApi& api, ListOptions options, const std::string& what, AwaitedState& state,
            Duration timeout, std::stop_token stop)
      : api_(api),
        options_(std::move(options)),
        what_(what),
        state_(state),
        timeout_(timeout),
        once_(timeout <= Duration::zero()),
        clock_(*api.rest().runtime().clock()),
        limit_(*api.rest().runtime().executor, once_ ? Duration::max() : timeout, std::move(stop)) {
  }

  Result<void> run() {
    const std::stop_token stop = limit_.token();
    for (TimePoint next = clock_.now();;) {
      if (clock_.sleep_until(next, stop) == WaitStatus::Stopped) return interrupted();
      next = clock_.now() + kPauseOfLists;
      const Result<RawList> list = api_.list(options_, stop);
      if (stop.stop_requested() && !list) return interrupted();
      if (!list) {
        if (once_ || !may_pass(list.error())) return list.error();
        note(list.error());
        continue;
      }
      last_error_.reset();
      if (const auto taken = state_.take_list(*list); !taken)
        return Operation{api_, "list"}.failed(taken.error());
      const Result<bool> over = state_.is_over();
      if (!over) return over.error();
      if (*over) return {};
      if (once_) return unfinished(ErrorCode::Timeout, "the state was looked at once, ");
      if (auto done = watch(list->info().resource_version); done) return *std::move(done);
    }
  }

 private:
  // Returns nothing to list again.
  std::optional<Result<void>> watch(const std::string& version) {
    if (version.empty() || version == "0") {
      return Result<void>(
          Error(ErrorCode::Decode, "the list of " + api_.resource().plural +
                                       " has no resourceVersion from which it can be watched"));
    }
    ListOptions options = options_;
    options.resource_version = version;
    WatchRestarts watch(api_, std::move(options),
                        [](const Error& error) { return !may_pass(error); });
    while (const auto event = watch.next(limit_.token())) {
      if (!*event) {
        if (!last_error_) last_error_ = watch.last_error();
        return Result<void>(limit_.token().stop_requested() ? interrupted() : event->error());
      }
      if ((*event)->type == WatchEventType::Error) {
        const Error& error = *(*event)->error;
        if (is_too_old(error)) return std::nullopt;
        return Result<void>(error);
      }
      const Result<bool> over = take(watch, **event);
      if (!over) return Result<void>(over.error());
      if (*over) return Result<void>();
    }
    return std::nullopt;
  }

  Result<bool> take(WatchRestarts& watch, const RawWatchEvent& event) {
    const Result<std::string> version = state_.read_event(event.object);
    if (!version) return Operation{api_, "watch"}.failed(version.error());
    switch (watch.accept(event.type, *version)) {
      case WatchRestarts::Verdict::Skip:
        return false;
      case WatchRestarts::Verdict::NoVersion:
        return meta::internal_error("the object of an event has no resourceVersion");
      case WatchRestarts::Verdict::Forward:
        break;
    }
    state_.take_event(event.type == WatchEventType::Deleted);
    return state_.is_over();
  }

  Error interrupted() const {
    if (!limit_.is_over()) return unfinished(ErrorCode::Cancelled, "stopped ");
    return unfinished(ErrorCode::Timeout,
                      "timed out after " + meta::Duration(timeout_).to_string() + " ");
  }

  Error unfinished(ErrorCode code, std::string text) const {
    text.append("waiting for ").append(what_);
    const std::string seen = state_.last_seen();
    if (!seen.empty()) text.append("; last seen: ").append(seen);
    if (last_error_) text.append("; last error: ").append(last_error_->to_string());
    return {code, std::move(text)};
  }

  void note(const Error& error) {
    KUBE_LOG(api_.rest().runtime().logger, last_error_ ? LogLevel::Debug : LogLevel::Warning,
             "wait", "the list failed and is tried again", {"resource", api_.resource().plural},
             {"error", error.to_string()});
    last_error_ = error;
  }

  const RawApi& api_;
  const ListOptions options_;
  const std::string& what_;
  AwaitedState& state_;
  const Duration timeout_;
  const bool once_;
  Clock& clock_;
  const TimeLimit limit_;
  std::optional<Error> last_error_{};
};

}  // namespace

Result<void> wait_for_state(const RawApi& api, ListOptions options, const std::string& what,
                            AwaitedState& state, Duration timeout, std::stop_token stop) {
  return StateWait(api, std::move(options), what, state, timeout, std::move(stop)).run();
}

Result<void> wait_for_object(const RawApi& api, std::string_view name, const std::string& what,
                             AwaitedState& state, Duration timeout, std::stop_token stop) {
  const ResourcePath path{
      .resource = api.resource(), .namespace_ = api.namespace_(), .name = std::string(name)};
  if (name.empty()) {
    return Error(ErrorCode::InvalidArgument, "name is required: resource name may not be empty")
        .with_context("wait for " + path.to_string());
  }
  if (const auto valid = path.to_path(); !valid)
    return valid.error().with_context("wait for " + path.to_string());
  return wait_for_state(api, single_object_options(name, ""), what + path.to_string(), state,
                        timeout, std::move(stop));
}

}  // namespace kube::detail
