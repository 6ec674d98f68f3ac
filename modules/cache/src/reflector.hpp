// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Reflector: keeps a target in step with a collection of a server: list, watch, watch
// again, list again. What it does when is in reflector_states.hpp; this does it, on the informer's
// strand: requests, timers, log, and the calls of the target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "consistency_check.hpp"
#include "decoded_stream.hpp"
#include "list_decoder.hpp"
#include "reflector_bounds.hpp"
#include "reflector_metrics.hpp"
#include "reflector_pauses.hpp"
#include "reflector_progress.hpp"
#include "reflector_states.hpp"
#include "watch_decoder.hpp"

#include <kube/base/call_user_code.hpp>
#include <kube/base/caught.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/runtime.hpp>
#include <kube/base/token_bucket.hpp>
#include <kube/cache/detail/informer_core.hpp>
#include <kube/cache/informer_options.hpp>
#include <kube/cache/informer_status.hpp>
#include <kube/cache/lister_watcher.hpp>

namespace kube::cache {

/// The consumer of a reflector. Called on the strand.
class ReflectorTarget {
 public:
  virtual ~ReflectorTarget() = default;
  /// Returns the known object with this key; null if there is none.
  virtual CellRef known(std::string_view key) const = 0;
  /// Decides about an object of an initial state (Replaced) or of a watch. Puts the cell to store
  /// into it: the known one when it is the same version of the same object with the same content,
  /// so that a relist does not store everything twice; otherwise the new one, possibly transformed.
  /// Or puts there why this object alone is refused. An Error fails the list that contains the
  /// object; for an event it refuses the object.
  virtual Result<void> accept(Arrived& arrived) = 0;

  /// Takes an event of a watch.
  virtual void apply(Delta change) = 0;
  virtual Result<void> replace(std::vector<CellRef> items, std::string resource_version) = 0;
  /// Called after all objects and events of one batch of bytes.
  virtual void flush() = 0;

  /// Called when `bytes` of received objects were freed.
  virtual void freed(std::size_t bytes) = 0;

  /// Whether accept() may return another object than the one that arrived.
  virtual bool transforms() const { return false; }
  /// Returns the period of resync() while watching; 0: never.
  virtual Duration resync_period() const = 0;
  /// An Error ends the cycle.
  virtual Result<void> resync() = 0;
  /// Called when a list or a watch failed.
  virtual void watch_error(const Error& error) = 0;
  /// Called before watch_error() when the condition is another than the last one. The error is
  /// empty when the condition is Healthy.
  virtual void condition_changed(InformerCondition /*condition*/,
                                 const Optional<Error>& /*error*/) {}
  /// Called for each object that is refused, by accept() or before it. Its cell is null when its
  /// names are not known.
  virtual void refused(const Error& error, const Delta& object) = 0;
  /// Called when the initial state that arrives begins anew: what was refused of it does not count.
  virtual void initial_begins() {}
  /// Called when an object of the initial state that arrives was deleted meanwhile.
  virtual void initial_lacks(std::string_view /*key*/) {}
  /// Called when objects were refused, after refused() for each: once for an initial state, and for
  /// a watch at most kRefusalsPerSecond, with their number.
  virtual void incomplete(const Error& error) = 0;
};

/// Deletes what the target knows of an object whose final state was refused: a deletion needs none.
/// Returns false when nothing is known.
bool delete_known(ReflectorTarget& target, Delta deletion);

/// What the objects are, and how they are stored.
struct ObjectForm {
  const CellType& type;
  ObjectChanges changes{};
  std::size_t max_object_bytes = kMaxObjectBytes;
};

inline ObjectForm object_form(const InformerType& type, const meta::ResourceInfo& resource,
                              const Result<DropFields>& drop_fields) {
  ObjectForm form{type.cell_type};
  if (drop_fields) form.changes.drop_fields = *drop_fields;
  if (type.self_describing && !resource.kind.empty()) {
    form.changes.defaults = ObjectDefaults{resource.api_version(), resource.kind};
  }
  return form;
}

class Reflector {
 public:
  /// `target` lives as long as the reflector.
  Reflector(Runtime runtime, Strand strand, std::shared_ptr<ListerWatcher> source, ObjectForm form,
            ReflectorOptions options, ReflectorTarget& target);

  /// Runs until stop(). `self` keeps this object and its target alive. It begins with a watch from
  /// the version of `saved`, if there is one. On the strand.
  void start(const std::shared_ptr<Reflector>& self, std::stop_token stop,
             std::optional<SavedState> saved);
  /// After this, the target is not called. On the strand, and not in a call of the target, which
  /// requests the stop by the token and submits this.
  void stop();

  /// Returns the version to watch from: that of the target's state. On the strand.
  const std::string& last_sync_resource_version() const { return state_.versions.last; }

  /// Shows why the target lacks objects of the list that replaces its state. On the strand.
  void note_refused(const Error& error) { progress_.refused(error); }

  using Progress = ReflectorProgress::Values;
  /// From any thread.
  Progress progress() const { return progress_.read(); }
  TimePoint last_proof_of_life() const { return life_->in_cache(); }

 private:
  using ListStream = DecodedStream<ListDecoder>;
  using WatchStream = DecodedStream<WatchDecoder>;

  /// Takes the next state and runs its effects.
  void take(Input input);
  void run(effect::Begin);
  void run(effect::BeginList);
  void run(effect::BeginAnew) { target_.initial_begins(); }
  void run(effect::Pace);
  void run(effect::Pause pause);
  void run(effect::Send);
  void run(effect::Expect expect);
  void run(effect::Ask& ask);
  void run(effect::Accepted);
  void run(effect::Replace& replace);
  void run(effect::Synced& synced);
  void run(const effect::Note& note);
  void run(const effect::Fail& fail);
  void run(const effect::Unopened& unopened);
  void run(effect::CredentialsWork) { pauses_.credentials.reset(); }
  void run(effect::EndCycle);
  void run(effect::Freed freed);
  void run(effect::WatchEnded w) { metrics_.watch_ended(w.events, w.time, w.is_short); }

  // The objects (reflector_objects.cpp). Functions return false when the response does not go on.
  void on_list_items(std::vector<Arrived> items);
  void on_list_end(Result<ListInfo> result);
  bool accept_list_item(Listing& listing, Arrived& item);
  void on_watch_events(std::vector<Arrived> events);
  void on_watch_end(const Result<void>& result);
  bool handle(Arrived& event);
  bool handle_initial(Streaming& streaming, Arrived& event);
  void refuse_initial(Refusals& refusals, const Error& error, const Delta& object);
  void refuse_event(const Error& why, const Delta& object);
  /// Reports refused events that were not reported yet.
  void report_refused_events();
  Error list_too_large() const;

  void arm_resync();
  /// Checks in the background what a list or a stream with these options has received.
  void check_consistency(const ListOptions& asked, std::string_view version,
                         std::vector<CellRef> received);
  void on_inconsistency(const Error& error);
  void note_condition(InformerCondition condition, const Optional<Error>& error = {});
  /// Shows the state to other threads.
  void publish();
  const std::string& subject() const { return state_.subject; }
  bool stopped() const { return std::holds_alternative<Stopped>(state_.phase); }
  /// Drops the running request or wait; the rest of its response is ignored.
  void abandon();

  /// Runs one step. When it throws, the cycle has failed. (User code is guarded where it is called;
  /// what remains is lack of memory.)
  template <class F>
  void step(F&& f) {
    if (const std::exception_ptr thrown = caught(f)) fail_cycle(thrown);
  }
  /// Returns when a pause has begun, however long memory lacks, or a stop is requested.
  void fail_cycle(const std::exception_ptr& thrown);
  /// Calls f(*this, ...) on the strand, unless stopped.
  template <class F>
  auto while_running(F f) {
    return [weak = self_, f = std::move(f)](auto... args) {
      const std::shared_ptr<Reflector> self = weak.lock();
      if (self && !self->stopped()) self->step([&] { f(*self, std::move(args)...); });
    };
  }
  /// The same, unless the request or the wait for which it was made is over.
  template <class F>
  auto for_this_request(F f) {
    return while_running(
        [generation = generation_, f = std::move(f)](Reflector& self, auto&&... args) {
          if (self.generation_ == generation) f(self, std::forward<decltype(args)>(args)...);
        });
  }
  template <class Stream, class Ask>
  void send(std::string what, typename Stream::Receiver receiver, Ask&& ask) {
    what += ' ' + subject();
    auto stream = std::make_shared<Stream>(strand_, life_, std::move(receiver), what, form_.type,
                                           options_.storage, form_.changes, form_.max_object_bytes);
    cancel_request_ = [stream] { stream->cancel(); };
    const Result<void> asked = call_user_code("the source", [&] { stream->attach(ask(stream)); });
    if (asked) return;
    strand_.submit(for_this_request([error = asked.error().with_context(what)](Reflector& self) {
      self.take(input::Threw{error});
    }));
  }

  const Runtime runtime_;
  Strand strand_;
  const std::shared_ptr<ListerWatcher> source_;
  const ObjectForm form_;
  const ReflectorOptions options_;
  ReflectorTarget& target_;
  const std::shared_ptr<ProofOfLife> life_ = std::make_shared<ProofOfLife>();
  ReflectorProgress progress_;

  // What follows belongs to the strand.
  std::weak_ptr<Reflector> self_;
  std::stop_token stop_;
  ReflectorState state_;
  const ReflectorMetrics metrics_;
  ReflectorPauses pauses_;
  Duration saved_age_{};
  bool is_slowed_ = false;        // the last request had to wait for the pace
  std::uint64_t generation_ = 0;  // counts requests and waits; calls for an older one are ignored
  std::function<void()> cancel_request_;
  Timer timer_;          // of a wait
  Timer deadline_;       // of a watch
  Timer list_deadline_;  // for all pages together
  Timer resync_timer_;
  CondVar memory_;  // never notified: it is there to wait without memory
  std::shared_ptr<ConsistencyCheck> check_;
  Refusals refused_events_;  // not reported yet; they outlive their watch
  TokenBucket refusal_reports_{kRefusalsPerSecond, kRefusalsAtOnce, runtime_.clock()};
  TokenBucket unopened_lines_{kFailuresPerSecond, 1, runtime_.clock()};
};

}  // namespace kube::cache
