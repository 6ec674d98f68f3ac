// SPDX-License-Identifier: Apache-2.0
//
// kube::WatchStream<T>: a watch as a stream of typed events, for programs that follow one
// collection themselves. Controllers use informers (module cache) instead.
//
//   auto stream = pods.watch({.resource_version = list.resource_version});
//   if (!stream) return stream.error();
//   while (auto event = stream->next(stop)) {
//     if (!*event) return event->error();
//     if ((*event)->type == WatchEventType::Error) break;  // start over with a list
//     std::cout << (*event)->object.metadata.name << "\n";
//   }
#pragma once

#include <stop_token>
#include <utility>

#include <kube/base/mistake.hpp>
#include <kube/base/optional.hpp>
#include <kube/client/content.hpp>
#include <kube/client/raw_watch.hpp>
#include <kube/codec/object.hpp>

namespace kube {

template <Object T>
struct WatchEvent {
  WatchEventType type = WatchEventType::Error;
  T object{};  ///< For Bookmark, only its resourceVersion is meaningful. Empty for Error.
  Optional<kube::Error> error{};  ///< Set for Error.
  /// Of an InformerWatcher, for Deleted: a list no longer had the object, so that `object` is the
  /// last known state, which may be older than the deleted one. A watch itself has seen it.
  bool final_state_unknown = false;
};

/// RawWatch with decoded objects.
/// @par Thread safety   next() by one thread at a time; stop() from any thread.
/// @par Stopping   stop(), the stop token of Api<T>::watch(), or the destructor; none of them
/// blocks.
template <Object T>
class WatchStream {
 public:
  explicit WatchStream(RawWatch raw) : raw_(std::move(raw)) {}

  /// As RawWatch::next(). An object that is not a T ends the stream with an event of type Error.
  /// @par Errors   Cancelled when `stop` or the token of Api<T>::watch() is requested (after `stop`
  ///   the watch continues), Credentials when the connection failed in TLS.
  /// @par Blocks   Until there is an event or the stream ends.
  Optional<Result<WatchEvent<T>>> next(std::stop_token stop = {}) {
    Optional<Result<RawWatchEvent>> raw = raw_.next(std::move(stop));
    if (!raw) return std::nullopt;
    if (!*raw) return Result<WatchEvent<T>>(raw->error());
    Optional<Result<WatchEvent<T>>> out(std::in_place, WatchEvent<T>{});
    WatchEvent<T>& event = **out;
    event.type = (*raw)->type;
    if (event.type != WatchEventType::Error) {
      Result<T> object = decode_object<T>((*raw)->object);
      if (object) {
        event.object = std::move(*object);
        return out;
      }
      **raw = raw_.give_up(object.error());
    }
    event.type = WatchEventType::Error;
    event.error = std::move((*raw)->error);
    return out;
  }

  /// Ends the stream soon; events that were not taken are dropped. Idempotent.
  void stop() { raw_.stop(); }

  /// Why the stream ended, once next() has returned nullopt. Success for a regular end.
  /// @par Errors   Unreachable or Timeout: the connection broke.
  Result<void> end_reason() const { return raw_.end_reason(); }

  KUBE_MISTAKE("while (auto event = stream.next(stop)) {...}", WatchEvent<T>*, begin() const);
  KUBE_MISTAKE("while (auto event = stream.next(stop)) {...}", WatchEvent<T>*, end() const);

 private:
  RawWatch raw_;
};

}  // namespace kube
