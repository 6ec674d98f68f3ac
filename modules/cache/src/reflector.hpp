// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Reflector: keeps a target in step with a collection of a server: list, watch, watch
// again, list again (docs/reference/informers-and-queues.md ch. 12). A state machine on the
// informer's strand:
//
//            +------------------------------ backoff <---------------------------+
//            v                                                                   |
//   start -> list ------------------------------> watch --(expired, very short,  |
//            |  ^ expired, version too large        ^ |    error event, garbage)-+
//            |  |    or refused:                    | +-(ended)--> watch, at once
//            |  +-- at once, newest version         +--(refused, 429)- backoff
//            +-----(failed: error handler)---------------------------------> backoff
//
// "At once" means as soon as RequestPace allows, which every request waits for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "consistency_check.hpp"
#include "decoded_stream.hpp"
#include "list_decoder.hpp"
#include "reflector_bounds.hpp"
#include "reflector_metrics.hpp"
#include "retry_with_deadline.hpp"
#include "watch_decoder.hpp"

#include <kube/base/backoff.hpp>
#include <kube/base/call_user_code.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/runtime.hpp>
#include <kube/base/token_bucket.hpp>
#include <kube/cache/detail/informer_core.hpp>
#include <kube/cache/informer_options.hpp>
#include <kube/cache/informer_status.hpp>
#include <kube/cache/lister_watcher.hpp>
#include <kube/client/list.hpp>
#include <kube/client/request_pace.hpp>

namespace kube::cache {

/// The decision of a target about an object that arrived.
struct Accepted {
  /// The cell to store: the known one when it is the same version of the same object with the same
  /// content, so that a relist does not store everything twice; otherwise the new one, possibly
  /// transformed. For a refused object: its last accepted state, null if there is none.
  CellRef cell{};
  std::optional<Error> refused{};  ///< Why this object alone is refused.
};

/// Where an object came from.
enum class Origin : std::uint8_t {
  List,      ///< A list or a streamed initial state; most objects are known.
  Watch,     ///< The object has changed.
  Deletion,  ///< The last state of an object, from a watch.
};

/// The consumer of a reflector. Called on the strand.
class ReflectorTarget {
 public:
  virtual ~ReflectorTarget() = default;
  /// Returns the known object with this key; null if there is none.
  virtual CellRef known(std::string_view key) const = 0;
  /// An Error fails the list that contains the object; for an event it refuses the object.
  virtual Result<Accepted> accept(CellRef arrived, Origin origin) = 0;

  virtual void add(CellRef object) = 0;
  virtual void update(CellRef object) = 0;
  virtual void remove(CellRef object) = 0;
  virtual Result<void> replace(std::vector<CellRef> items, std::string resource_version) = 0;
  virtual void bookmark(CellRef metadata) = 0;
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
  /// Called for each object that is refused, by accept() or before it. `key` is empty when it is
  /// not known.
  virtual void refused(const Error& error, std::string_view key, Origin origin) = 0;
  /// Called when the initial state that arrives begins anew: what was refused of it does not count.
  virtual void initial_begins() {}
  /// Called when an object of the initial state that arrives was deleted meanwhile.
  virtual void initial_lacks(std::string_view /*key*/) {}
  /// Called when objects were refused, after refused() for each: once for an initial state, and for
  /// a watch at most kRefusalsPerSecond, with their number.
  virtual void incomplete(const Error& error) = 0;
};

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

  /// Runs until stop(). `self` keeps this object and its target alive. On the strand.
  void start(const std::shared_ptr<Reflector>& self, std::stop_token stop);
  /// After this, the target is not called. On the strand.
  void stop();

  /// Returns the version to watch from: that of the target's state. On the strand.
  const std::string& last_sync_resource_version() const { return last_version_; }

  struct Progress {
    InformerState state = InformerState::NotStarted;
    InformerCondition condition = InformerCondition::Unknown;
    Optional<Error> last_error{};
    Optional<Error> refusal{};  ///< Why the target lacks an object, since the last complete list.
    std::uint64_t lists = 0;
    std::uint64_t watches = 0;
    std::uint64_t events = 0;
    std::size_t received = 0;  ///< Of the initial state that is under way.
    std::optional<std::size_t> expected{};
    std::string version{};             ///< last_sync_resource_version()
    bool version_unavailable = false;  ///< The server does not have it, or does not accept it.
  };
  /// From any thread.
  Progress progress() const;
  TimePoint last_proof_of_life() const { return life_->in_cache(); }

 private:
  static constexpr Duration kShortWatch = std::chrono::seconds(1);
  using ListStream = DecodedStream<ListDecoder, Arrived>;
  using WatchStream = DecodedStream<WatchDecoder, WatchEvent>;

  // One cycle: the initial state, then watches.
  void begin_cycle();
  void end_cycle(Duration at_least = Duration::zero());
  void cycle_failed(const Error& error);
  void list(std::string version);
  void drop_list();
  void list_everything_at(std::string version);
  void list_newest();
  void request_page();
  void send_page_request();
  void on_list_items(std::vector<Arrived> items);
  /// Returns false when the item failed the list.
  bool take_list_item(CellRef arrived);
  /// Keeps the known state of a refused object.
  void keep_known(std::string_view key);
  void on_list_late();
  Error list_too_large() const;
  void on_list_end(Result<ListInfo> result);
  void on_list_failed(const Error& error);
  /// Called when an object of a list or of a streamed initial state was refused.
  void refuse_initial(const Error& error, const CellRef& object);
  void begin_refusals();
  /// Reports all refused objects. Returns false when that stopped the reflector.
  bool report_refusals();
  void watch();
  void start_watch();
  void on_watch_late();
  /// Called after a watch that ended normally: another watch follows, or a list.
  void after_watch();
  void on_watch_open();
  void on_watch_events(std::vector<WatchEvent> events);
  void on_watch_end(Result<void> result);
  void wait_for_credentials(const Error& error);
  void on_watch_refused(const Error& error);
  /// Returns false when the event ends the stream.
  bool handle(WatchEvent& event);
  /// Called when an object of a watch was refused.
  void refuse_event(const Error& why, const CellRef& object, Origin origin);
  /// Reports those that were not reported yet. Returns false when that stopped the reflector.
  bool report_refused_events();
  void handle_error_event(const Error& error);
  void watch_ended_with(const Error& error);
  void note_failure(const Error& error);
  /// Returns false when that stopped the reflector.
  bool note_condition(InformerCondition condition, const Optional<Error>& error = {});
  void note_received(std::size_t objects, std::optional<std::size_t> expected);
  void note_refusal(const Error& error);
  bool is_very_short() const;

  // These receive the initial state as a stream of events, on the stream that becomes the watch.
  void stream_initial_state();
  void start_initial_stream();
  bool handle_initial(WatchEvent& event);
  void keep_initial(CellRef object);
  void drop_initial();
  /// Checks in the background what a list or a stream with these options has received.
  void check_consistency(const ListOptions& asked, std::string_view version,
                         std::vector<CellRef> received);
  void on_inconsistency(const Error& error);
  void keep_initial_object(CellRef object);
  void drop_initial_object(std::string_view key);
  void refuse_initial_event(const WatchEvent& event);
  bool take_over_initial_state(const Cell& bookmark);
  void on_initial_stream_failed(const Error& error);
  void on_initial_stream_end(const Result<void>& result);
  void on_initial_stream_late();
  /// `no_streams`: the source is not asked for another stream for kNoStreamsFor.
  void list_instead(const Error& why, bool no_streams);
  bool may_stream();

  void open_watch(const ListOptions& options, Duration time, void (Reflector::*late)());
  /// Calls `next`, which sends a request, as soon as the pace allows it.
  void when_paced(void (Reflector::*next)());
  void on_list_threw(Error error);
  void on_watch_threw(Error error);
  bool note_response(const Error& error);
  /// Returns the name of the resource that is listed and watched, for errors and log lines.
  std::string subject() const;
  /// Drops the running request; the rest of its response is ignored.
  void abandon();
  void after(Duration delay, void (Reflector::*next)());
  void arm_resync();
  void resync();
  std::int64_t page_size_for(std::string_view version) const;
  std::chrono::seconds watch_time() const;
  std::string list_version() const;
  void report(InformerState state);
  void measure_watch();
  void report_answer(std::uint64_t Progress::*counter);

  /// Runs one step of the state machine. When it throws, the cycle has failed, so that the machine
  /// continues. (User code is guarded where it is called; what remains is lack of memory.)
  template <class F>
  void step(F&& f) {
    const Result<void> done = call_user_code("the reflector", [&] { f(); });
    if (!done && !stopped_) cycle_failed(done.error().with_context(subject()));
  }

  /// Calls a member on the strand, unless the request for which it was made is over.
  template <class... Args>
  auto for_this_request(void (Reflector::*member)(Args...)) {
    return [weak = self_, generation = generation_, member](Args... args) {
      const std::shared_ptr<Reflector> self = weak.lock();
      if (!self || self->generation_ != generation) return;
      self->step([&] { (*self.*member)(std::forward<Args>(args)...); });
    };
  }

  /// Calls the source by `ask`; `failed` receives its exception, as it receives a failed response.
  template <class Stream, class Ask>
  void start_request(std::shared_ptr<Stream> stream, void (Reflector::*failed)(Error), Ask&& ask) {
    cancel_request_ = [stream] { stream->cancel(); };
    const Result<void> asked = call_user_code("the source", [&] { stream->attach(ask(stream)); });
    if (asked) return;
    strand_.submit([fail = for_this_request(failed), error = asked.error()] { fail(error); });
  }

  const Runtime runtime_;
  Strand strand_;
  const std::shared_ptr<ListerWatcher> source_;
  const ObjectForm form_;
  const ReflectorOptions options_;
  ReflectorTarget& target_;
  const std::shared_ptr<ProofOfLife> life_ = std::make_shared<ProofOfLife>();

  // The following members, except the last group, belong to the strand.
  std::weak_ptr<Reflector> self_;
  std::stop_token stop_;
  bool stopped_ = false;
  BackoffWithReset backoff_;
  RetryWithDeadline internal_errors_;  // of the watches of one cycle
  // Between watches whose credentials are refused; starts over after one that was not very short.
  Backoff credentials_backoff_;
  // Between cycles that are denied; starts over after a watch that was accepted.
  Backoff denied_backoff_;
  RequestPace pace_;
  bool is_slowed_ = false;        // the last request had to wait for the pace
  std::uint64_t generation_ = 0;  // counts requests and waits; calls for an older one are ignored
  std::function<void()> cancel_request_;
  Timer timer_;
  Timer watch_deadline_;
  Timer list_deadline_;  // for all pages together
  Timer resync_timer_;
  std::shared_ptr<ConsistencyCheck> check_;
  const ReflectorMetrics metrics_;

  std::string last_version_;
  /// The server no longer has last_version_, does not have it yet, or does not accept it.
  bool version_unavailable_ = false;
  int lists_at_version_ = 0;          // consecutive lists that failed on the server
  bool zero_list_was_paged_ = false;  // the server does not list from its watch cache
  /// A change may have been missed, because an object of the watch could not be read. When the
  /// watch ends, a list follows instead of another watch.
  bool in_doubt_ = false;

  struct List {
    TimePoint begun{};
    std::string asked_version;
    std::int64_t limit = 0;
    std::string token;
    ContinueTokens tokens;
    bool whole = false;  // already tried again at once after an expired token
    std::string version;
    bool newest = false;  // already tried with the newest version
    std::vector<CellRef> items;
    std::size_t page_items = 0;  // accepted from the current page
    std::optional<std::size_t> expected{};
    std::size_t bytes = 0;  // of items and tokens
  };
  List list_;

  struct Watch {
    TimePoint opened{};
    Duration time{};  // the time in its request
    bool is_open = false;
    std::uint64_t events = 0;
    std::string version_at_start;
  };
  Watch watch_;

  struct Initial {
    bool streaming = false;
    int streams = 0;        // opened in this cycle
    TimePoint heard{};      // when the last events of the stream were handled
    bool in_doubt = false;  // a change of a received object could not be read
    std::unordered_map<std::string_view, CellRef> objects;  // keys live in the cells
    std::size_t bytes = 0;                                  // of objects
  };
  Initial initial_;
  TimePoint no_streams_before_ = TimePoint::min();

  struct Refusals {
    std::size_t count = 0;
    std::optional<Error> first;
    void add(const Error& error) {
      ++count;
      if (!first) first = error;
    }
    /// Returns the error of at least one refused object. `from`: "list pods".
    Error sum(const std::string& from) const {
      return first->with_context(from + ": objects refused: " + std::to_string(count) +
                                 ", the first");
    }
  };
  Refusals refusals_;        // of the current list or stream
  Refusals refused_events_;  // not reported yet; they outlive their watch
  TokenBucket refusal_reports_{kRefusalsPerSecond, kRefusalsAtOnce, runtime_.clock()};
  TokenBucket unopened_lines_{kFailuresPerSecond, 1, runtime_.clock()};

  mutable Mutex progress_mutex_;
  Progress progress_ KUBE_GUARDED_BY(progress_mutex_);
};

}  // namespace kube::cache
