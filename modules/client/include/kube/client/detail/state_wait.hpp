// SPDX-License-Identifier: Apache-2.0
//
// Not for users: what wait_until(), wait_for() and wait_deleted() do without knowing T.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/client/raw_api.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/names/object_key.hpp>

namespace kube::detail {

/// What is waited for.
/// @par Thread safety   Of the thread that waits.
class AwaitedState {
 public:
  virtual ~AwaitedState() = default;
  /// Replaces the state by what a list has.
  /// @par Errors   Decode.
  virtual Result<void> take_list(const RawList& list) = 0;
  /// Reads the object of an event; returns its version. take_event() then makes it the state, or
  /// takes it away.
  /// @par Errors   Decode.
  virtual Result<std::string> read_event(const std::string& object) = 0;
  virtual void take_event(bool deleted) = 0;
  /// @par Errors   Those that end the wait.
  virtual Result<bool> is_over() = 0;
  /// For the error of a wait; empty before the first list.
  virtual std::string last_seen() const = 0;
};

/// Waits for the state of one object. `what` begins the text of errors that goes on with the
/// object: "condition Ready=True of ".
/// @par Errors   As wait_until().
/// @par Blocks   As wait_until().
Result<void> wait_for_object(const RawApi& api, std::string_view name, const std::string& what,
                             AwaitedState& state, Duration timeout, std::stop_token stop);

/// @par Errors   As wait_deleted(). An empty `uid`: the object that has the name now; an empty
///   namespace: that of `api`.
/// @par Blocks   As wait_deleted().
Result<void> wait_object_deleted(const RawApi& api, const ObjectKey& key, std::string_view uid,
                                 Duration timeout, std::stop_token stop);
Result<void> wait_selected_deleted(const RawApi& api, const std::string& label_selector,
                                   const std::string& field_selector, Duration timeout,
                                   std::stop_token stop);

/// Returns the phase and the condition of that type, with its reason and message, if the object has
/// them; else its conditions.
std::string state_text(const Unstructured& object, std::string_view condition);

}  // namespace kube::detail
