// SPDX-License-Identifier: Apache-2.0
//
// Waits for the state of objects, as `kubectl wait` does: a pod is ready, a Deployment available,
// an object gone.
//
//   auto pod = kube::wait_for(pods, "web-0", kube::is_pod_ready, 30s, stop);
//   if (!pod) return pod.error();  // Timeout: its text says what was last seen
//
//   const auto is_running = [](const Pod& p) { return p.status.phase == "Running"; };
//   auto running = kube::wait_for(pods, "web-0", is_running, 30s);
//   auto widget = kube::wait_for(widgets, "w", kube::condition_is("Ready"), 30s);
//
//   auto gone = kube::wait_deleted(pods, "web-0", 30s);
//   gone = kube::wait_deleted(pods, {.label_selector = "app=old"}, 60s);
//
// All look at the present state first, by a list, and then follow a watch from there; no event is
// missed in between. They need the verbs list and watch. For conditions on a sequence of events see
// watch_until.hpp; programs that follow a whole collection have an informer (module cache).
#pragma once

#include <concepts>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <kube/base/clock.hpp>
#include <kube/base/mistake.hpp>
#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/client/api.hpp>
#include <kube/client/condition_is.hpp>
#include <kube/client/detail/state_wait.hpp>
#include <kube/client/ready_conditions.hpp>
#include <kube/codec/converter.hpp>

namespace kube {

/// Returns whether the wait is over, or an error, which ends it. `object` is null while no object
/// has the name.
template <ApiObject T>
using StateCondition = std::function<Result<bool>(const T* object)>;

/// What wait_for() waits for: any callable that takes an object and returns a bool or a
/// Result<bool>, an error of which ends the wait; condition_is(); those of ready_conditions.hpp.
/// @par Thread safety   A value.
template <ApiObject T>
class ObjectCondition {
 public:
  ObjectCondition(ConditionIs wanted) requires HasConditions<T>  // implicit: wait_for() takes
      : check_(wanted), condition_(std::move(wanted)) {}
  ObjectCondition(ReadyCondition<T> wanted)  // implicit: what users have
      : check_([wanted](const T& object) { return wanted.check(object); }),
        condition_(wanted.condition()) {}
  template <class F>
  requires(!std::same_as<F, ObjectCondition> && std::is_invocable_r_v<Result<bool>, F&, const T&>)
      ObjectCondition(F wanted)  // implicit: as above
      : check_(std::move(wanted)) {}
  /// With what the error of a wait calls it: `{"the leader's election", has_leader}`.
  template <class F>
  ObjectCondition(std::string called, F wanted) : ObjectCondition(std::move(wanted)) {
    name_ = std::move(called);
  }

  /// @par Errors   Those of the callable.
  Result<bool> operator()(const T& object) const { return check_(object); }

  /// Its name; for a condition of the status "condition Ready=True", else "a condition".
  std::string name() const {
    if (!name_.empty()) return name_;
    return condition_.type.empty() ? "a condition" : "condition " + condition_.to_string();
  }
  /// The condition of the status that it is about; empty for all others.
  const ConditionIs& condition() const& { return condition_; }
  ConditionIs condition() const&& { return condition_; }

 private:
  std::function<Result<bool>(const T&)> check_{};
  std::string name_{};
  ConditionIs condition_{};
};

/// Selects objects of a collection; both empty select all of it.
struct ObjectSelection {
  std::string label_selector{};
  std::string field_selector{};
};

namespace detail {

// The state of one object, for wait_for_state().
template <ApiObject T>
class ObjectState final : public AwaitedState {
 public:
  ObjectState(const StateCondition<T>& condition, std::string type, std::string_view name)
      : condition_(condition), type_(std::move(type)), asked_(name) {}

  // A server may send others: one that knows no field selector does.
  Result<void> take_list(const RawList& list) override {
    listed_ = true;
    now_.reset();
    for (std::size_t i = 0; i < list.size() && !now_; ++i) {
      Result<T> object = decode_item<T>(list, i);
      if (!object) return object.error();
      if (name_of(*object) == asked_) now_ = std::move(*object);
    }
    if (now_) existed_ = true;
    return {};
  }
  Result<std::string> read_event(const std::string& object) override {
    Result<T> read = decode_object<T>(object);
    if (!read) return read.error();
    next_ = std::move(*read);
    if constexpr (std::same_as<T, Unstructured>) {
      return std::string(next_.resource_version());
    } else {
      return next_.metadata.resource_version;
    }
  }
  void take_event(bool deleted) override {
    if (name_of(next_) != asked_) return;
    existed_ = true;
    now_.reset();
    if (!deleted) now_ = std::move(next_);
  }
  Result<bool> is_over() override { return condition_(now_ ? &*now_ : nullptr); }
  std::string last_seen() const override {
    if (!listed_) return "";
    if (!now_) return existed_ ? "it was deleted" : "it does not exist";
    if constexpr (std::same_as<T, Unstructured>) {
      return state_text(*now_, type_);
    } else {
      return state_text(meta::to_unstructured(*now_), type_);
    }
  }

  Optional<T>& now() { return now_; }

 private:
  const StateCondition<T>& condition_;
  const std::string type_;
  const std::string_view asked_;
  Optional<T> now_{};
  T next_{};
  bool listed_ = false;
  bool existed_ = false;
};

template <ApiObject T>
Result<Optional<T>> wait_until(const Api<T>& api, std::string_view name,
                               const StateCondition<T>& condition, const std::string& what,
                               const std::string& type, Duration timeout, std::stop_token stop) {
  ObjectState<T> state(condition, type, name);
  const Result<void> over =
      wait_for_object(api.raw(), name, what + " of ", state, timeout, std::move(stop));
  if (!over) return over.error();
  return std::move(state.now());
}

}  // namespace detail

/// Waits until `condition` returns true for the state of the object `name`, and returns that state:
/// nullopt when there is no such object. Calls `condition` on this thread, for the present state
/// and for each later one; states that follow each other fast may be left out.
///
/// A connection that breaks, a server that does not answer or is overloaded (429, 5xx) and a watch
/// that is too old (410) do not end the wait: it lists and watches again, at most once a second.
///
/// A `timeout` of zero or less looks at the present state alone; Duration::max() is no timeout. The
/// time is that of the client's executor, on which this may wait only if it has another thread.
/// @par Errors   Timeout: "timed out after 30s waiting for ... of pods "web-0" in namespace "web";
///   last seen: ...", with the last error of a list or watch, if it could not be repaired.
///   Cancelled, with the same text, when `stop` is requested. The error of `condition`. At once:
///   Server for all other refusals, such as Forbidden, or NotFound when the server does not have
///   the resource; InvalidArgument, Credentials and Decode as Api<T>.
/// @par Blocks   Until `condition` returns true or one of these errors.
template <ApiObject T>
Result<Optional<T>> wait_until(const Api<T>& api, std::string_view name,
                               const std::type_identity_t<StateCondition<T>>& condition,
                               Duration timeout, std::stop_token stop = {}) {
  return detail::wait_until<T>(api, name, condition, "a state", "", timeout, std::move(stop));
}

/// Waits until the object `name` meets the condition, and returns it.
///
/// It waits for the name, not for one object: one that does not exist yet is waited for, as is the
/// next one when it is deleted meanwhile (a pod of a StatefulSet). To require that it exists, get()
/// it first; to end when it is deleted, use wait_until(), which sees that.
/// @par Errors   As wait_until(). The text of Timeout has the phase and the condition's status,
///   reason and message, or that the object does not exist. Of is_job_complete: Internal when the
///   Job has failed.
/// @par Blocks   As wait_until().
template <ApiObject T>
Result<T> wait_for(const Api<T>& api, std::string_view name,
                   const std::type_identity_t<ObjectCondition<T>>& condition, Duration timeout,
                   std::stop_token stop = {}) {
  Result<Optional<T>> met = detail::wait_until<T>(
      api, name,
      [&](const T* object) -> Result<bool> {
        if (object == nullptr) return false;
        return condition(*object);
      },
      condition.name(), condition.condition().type, timeout, std::move(stop));
  if (!met) return met.error();
  return std::move(**met);
}

/// Waits until an object is gone, or objects: those that exist now. An object with the same name
/// and another uid is not the same object, and one that is created meanwhile is not waited for.
/// Succeeds at once when there are none. Does not delete anything. Reads metadata only.
///
/// By name: the object that has the name now. When its controller makes a new one fast (a pod of a
/// StatefulSet), that may be the new one already: wait for the object that you have deleted then.
/// @par Errors   As wait_until(). The text of Timeout names what is left, since when it is being
///   deleted and by which finalizers it is held, or that nobody has deleted it.
/// @par Blocks   Until the objects are gone or one of these errors.
template <ApiObject T>
Result<void> wait_deleted(const Api<T>& api, std::string_view name, Duration timeout,
                          std::stop_token stop = {}) {
  return detail::wait_object_deleted(api.raw(), {"", std::string(name)}, "", timeout,
                                     std::move(stop));
}
/// This very object, by its name and uid. Without a uid as by name.
/// @par Errors   The same; InvalidArgument when `api` is of another namespace than the object.
template <ApiObject T>
Result<void> wait_deleted(const Api<T>& api, const std::type_identity_t<T>& object,
                          Duration timeout, std::stop_token stop = {}) {
  if constexpr (std::same_as<T, Unstructured>) {
    return detail::wait_object_deleted(api.raw(), object.key(), object.uid(), timeout,
                                       std::move(stop));
  } else {
    return detail::wait_object_deleted(api.raw(),
                                       {object.metadata.namespace_, object.metadata.name},
                                       object.metadata.uid, timeout, std::move(stop));
  }
}
/// All selected objects, in one namespace or all. One that no longer matches counts as gone.
/// @par Errors   The same.
template <ApiObject T>
Result<void> wait_deleted(const Api<T>& api, const ObjectSelection& selection, Duration timeout,
                          std::stop_token stop = {}) {
  return detail::wait_selected_deleted(api.raw(), selection.label_selector,
                                       selection.field_selector, timeout, std::move(stop));
}

// What users of kubectl and of other languages write first.
template <ApiObject T, class Condition, class Count, class... Stop>
requires std::is_arithmetic_v<Count> KUBE_MISTAKE(
    "wait_for(api, name, condition, 30s), with a unit", Result<T>,
    wait_for(const Api<T>&, std::string_view, const Condition&, Count, const Stop&...));
template <ApiObject T, class Condition>
KUBE_MISTAKE("wait_for(api, name, condition, 30s), or Duration::max()", Result<T>,
             wait_for(const Api<T>&, std::string_view, const Condition&));
template <ApiObject T, AnyText Text, class... Stop>
KUBE_MISTAKE("wait_for(api, name, condition_is(type), 30s)", Result<T>,
             wait_for(const Api<T>&, std::string_view, const Text&, Duration, const Stop&...));
template <ApiObject T, class U, class... Stop>
requires(!std::same_as<T, U>)
    KUBE_MISTAKE("a condition of the kind of the Api: for an Api<Pod> is_pod_ready", Result<T>,
                 wait_for(const Api<T>&, std::string_view, const ReadyCondition<U>&, Duration,
                          const Stop&...));
template <ApiObject T, class F, class... Stop>
requires(!std::invocable<F&, const T&>) &&
    std::invocable<F&, T&> KUBE_MISTAKE(
        "[](const T& object) {...}, for which a wait changes nothing", Result<T>,
        wait_for(const Api<T>&, std::string_view, F, Duration, const Stop&...));

}  // namespace kube
