// SPDX-License-Identifier: Apache-2.0
//
// kube::fake::FakeWatch: a watch whose events the test pushes (client-go's watch.NewFake), handed
// out by a watch reactor of a FakeClient.
//
//   fake::FakeWatch watch;
//   client.prepend_watch_reactor("pods", [watch](const fake::Action&) -> fake::WatchReaction {
//     return Result<fake::FakeWatch>(watch);
//   });
//   run_controller(client.client());
//   watch.modify(pod);
//   watch.fail(meta::resource_expired_error("too old resource version"));
//   watch.stop();
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include <kube/base/error.hpp>
#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/codec/converter.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/fake/action.hpp>
#include <kube/json/value.hpp>

namespace kube::fake {

/// A cheap handle: copies are the same watch. Events are sent as they are, in order. Those that are
/// pushed while nobody reads wait for the next reader.
///
/// One request at a time reads it. After stop(), or when the reader has gone, it can be handed out
/// again; a request that gets it while another one reads fails.
///
/// Informers use the resourceVersion of each object, as from a server.
/// @par Thread safety   All functions may be called from any thread, reactors included. The reader
///   may receive an event inside of the call that pushes it.
class FakeWatch {
 public:
  FakeWatch();

  template <Described T>
  void add(const T& object) {
    add(meta::to_unstructured(object));
  }
  template <Described T>
  void modify(const T& object) {
    modify(meta::to_unstructured(object));
  }
  /// Pushes the event of a deletion.
  template <Described T>
  void remove(const T& object) {
    remove(meta::to_unstructured(object));
  }
  void add(const Unstructured& object);
  void modify(const Unstructured& object);
  void remove(const Unstructured& object);
  /// The object has only its kind and resourceVersion, and annotations as it likes.
  void bookmark(const Unstructured& object);
  /// Pushes an event of type ERROR with the error's Status.
  void fail(const Error& error);
  /// Pushes an event of any type ("ADDED").
  void push(std::string_view type, json::Value object);
  template <AnyText T>
  void push(std::string_view type, const T& text) = delete;  // json::parse() it first.

  /// Ends the watch after the events so far, as a server does after its timeout.
  void stop();

  /// Whether a request reads it.
  bool is_open() const;

 private:
  friend class FakeClient;
  class State;
  std::shared_ptr<State> state_;
};

/// Nothing: the next reactor decides, the server last. A FakeWatch: its events are the answer. An
/// error: as that of a Reaction.
using WatchReaction = Optional<Result<FakeWatch>>;

using WatchReactor = std::function<WatchReaction(const Action& action)>;

}  // namespace kube::fake
