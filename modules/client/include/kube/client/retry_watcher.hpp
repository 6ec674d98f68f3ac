// SPDX-License-Identifier: Apache-2.0
//
// kube::RetryWatcher<T>: a watch that goes on after its connection has ended (client-go's
// tools/watch RetryWatcher), for programs that follow a collection from a known version without a
// cache. Controllers use informers (module cache) instead.
//
//   auto list = pods.list_all();
//   if (!list) return list.error();
//   auto watch = RetryWatcher<Pod>::create(pods, {.resource_version = list->resource_version});
//   if (!watch) return watch.error();
//   while (auto event = watch->next(stop)) {
//     if (!*event) return event->error();                                    // stopped
//     if ((*event)->type == WatchEventType::Error) return *(*event)->error;  // list again
//     std::cout << (*event)->object.metadata.name << "\n";
//   }
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <utility>

#include <kube/client/api.hpp>
#include <kube/client/detail/watch_restarts.hpp>
#include <kube/meta/status.hpp>

namespace kube {

/// Opens one watch after the other, each from the version of the last event, and returns each event
/// once, in order. Bookmarks are requested and not returned. Watches begin at least a second apart,
/// and later when the server asks for it.
///
/// An event of type Error is the last one: the version is too old (410), the client has no
/// permission (401, 403) or the request is invalid, an event could not be understood, or its object
/// has no resourceVersion. All other failures are retried until a stop, also those that do not
/// pass, such as a 404 after a CustomResourceDefinition was deleted: the log has a warning of them,
/// at most one a minute, and last_error() returns them.
///
/// @par Thread safety   next() by one thread at a time; the other functions from any thread.
/// @par Stopping   stop() or the destructor; neither blocks.
template <ApiObject T>
class RetryWatcher {
 public:
  /// Watches from ListOptions::resource_version; selectors and timeout_seconds are those of each
  /// watch. Sends nothing yet.
  /// @par Errors   InvalidArgument: the version is "" or "0", from which a watch can't be repeated.
  static Result<RetryWatcher> create(const Api<T>& api, const ListOptions& options) {
    if (options.resource_version.empty() || options.resource_version == "0") {
      return Error(ErrorCode::InvalidArgument,
                   "initial RV \"" + options.resource_version +
                       "\" is not supported due to issues with underlying WATCH");
    }
    return RetryWatcher(std::make_shared<detail::WatchRestarts>(api.raw(), options));
  }

  /// Returns the next event; nullopt after the last one and after stop().
  /// @par Errors   Cancelled when `stop` is requested; the watch goes on.
  /// @par Blocks   Until there is an event.
  Optional<Result<WatchEvent<T>>> next(std::stop_token stop = {}) {
    for (;;) {
      Optional<Result<RawWatchEvent>> raw = restarts_->next(stop);
      if (!raw) return std::nullopt;
      if (!*raw) return Result<WatchEvent<T>>(raw->error());
      if ((*raw)->type == WatchEventType::Error) return failed(**raw);
      Result<T> object = decode_object<T>((*raw)->object);
      if (!object) return failed(restarts_->fail(object.error()));
      switch (restarts_->accept((*raw)->type, version_of(*object))) {
        case detail::WatchRestarts::Verdict::Skip:
          continue;
        case detail::WatchRestarts::Verdict::NoVersion:
          return failed(restarts_->fail(
              meta::internal_error("the object of an event has no resourceVersion")));
        case detail::WatchRestarts::Verdict::Forward:
          break;
      }
      Optional<Result<WatchEvent<T>>> out(std::in_place, WatchEvent<T>{});
      (**out).type = (*raw)->type;
      (**out).object = std::move(*object);
      return out;
    }
  }

  /// Ends the watch soon; events that were not taken are dropped. Idempotent.
  void stop() { restarts_->stop(); }
  /// Whether next() has returned the last event or the end.
  bool done() const { return restarts_->done(); }
  /// Why the last watch did not begin, or its Error event; nullopt while a watch is open.
  std::optional<Error> last_error() const { return restarts_->last_error(); }

 private:
  explicit RetryWatcher(std::shared_ptr<detail::WatchRestarts> restarts)
      : restarts_(std::move(restarts)) {}

  static Optional<Result<WatchEvent<T>>> failed(const RawWatchEvent& event) {
    Optional<Result<WatchEvent<T>>> out(std::in_place, WatchEvent<T>{});
    (**out).error = event.error;
    return out;
  }
  static std::string_view version_of(const T& object) {
    if constexpr (std::same_as<T, Unstructured>) {
      return object.resource_version();
    } else {
      return object.metadata.resource_version;
    }
  }

  std::shared_ptr<detail::WatchRestarts> restarts_;
};

}  // namespace kube
