// SPDX-License-Identifier: Apache-2.0
//
// kube::WatchStream<T>: a watch as a stream to pull from, for programs that follow one collection
// by themselves. Informers (module cache) are what controllers want instead.
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

#include <kube/base/optional.hpp>
#include <kube/client/content.hpp>
#include <kube/client/raw_watch.hpp>
#include <kube/codec/object.hpp>

namespace kube {

template <Object T>
struct WatchEvent {
  WatchEventType type = WatchEventType::Error;
  T object{};                     ///< Of Bookmark: only its resourceVersion counts. Not of Error.
  Optional<kube::Error> error{};  ///< Of Error.
};

/// See RawWatch, whose contract this has.
template <Object T>
class WatchStream {
 public:
  explicit WatchStream(RawWatch raw) : raw_(std::move(raw)) {}

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

  void stop() { raw_.stop(); }
  Result<void> end_reason() const { return raw_.end_reason(); }

 private:
  RawWatch raw_;
};

}  // namespace kube
