// SPDX-License-Identifier: Apache-2.0
#include "simulation.hpp"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include <kube/base/runtime.hpp>
#include <kube/client/rest_client.hpp>

#include "kinds.hpp"
#include "live_bytes.hpp"
#include "lying_source.hpp"
#include "oracle.hpp"
#include "served_reader.hpp"
#include "witness.hpp"

namespace kube::lying {
namespace {

using kube::testing::ScriptedTransport;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// The cache equals the truth so long after the source has become honest.
constexpr minutes kRecovery{10};
constexpr minutes kQuiet{3};
// With nothing under way, the source is asked again before that: Retry-After counts for so long.
constexpr seconds kLongestPause{125};
// A run's steps without a moment of rest.
constexpr std::size_t kMaxSteps = 300'000;
// Besides what the store holds and what is on its way.
constexpr std::size_t kMemoryOfARun = std::size_t{4} << 20;

/// Looks for secrets in all that is logged.
class CanaryLogger final : public Logger {
 public:
  explicit CanaryLogger(Findings& findings) : findings_(findings) {}
  bool enabled(LogLevel, std::string_view) const override { return true; }
  void write(const LogRecord& record) override {
    std::string line(record.message);
    for (const LogField& field : record.fields) {
      line.append(" ").append(field.key).append("=").append(field.value);
      if (field.value.find(kCanary) != std::string::npos) {
        findings_.add("no secret is part of a log line", printable(line));
      }
    }
    findings_.note([&] { return "  log: " + printable(line); });
  }

 private:
  Findings& findings_;
};

const Kind kKinds[] = {unstructured_kind(), pod_kind(Encoding::Json), pod_kind(Encoding::Protobuf)};

/// What a seed decides of the program.
struct Program {
  Program(Draw& draw, bool served) : kind(draw.of(kKinds)) {
    options.protobuf = kind.type.preferred == Encoding::Protobuf;
    options.watch_list = draw.one_in(3);
    options.storage = draw.one_in(3) ? cache::StoragePolicy::Decoded : cache::StoragePolicy::Wire;
    // A cache server sends the bytes that an informer stores.
    if (served) options.storage = cache::StoragePolicy::Wire;
    constexpr std::int64_t kPages[] = {0, 0, 1, 3};
    options.page_size = draw.of(kPages);
    bounds_lists = draw.one_in(4);
    if (bounds_lists) options.max_list_bytes = 150'000;
    constexpr milliseconds kResyncs[] = {seconds(0), seconds(0), seconds(30), seconds(100)};
    options.resync_period = draw.of(kResyncs);
    if (draw.one_in(3)) options.watch_idle_timeout = seconds(33);
    if (draw.one_in(4)) scope.namespace_ = "x";
    if (draw.one_in(4)) scope.app = "a";
    if (draw.one_in(6)) scope.node = "n1";
    options.namespace_ = scope.namespace_;
    options.label_selector = scope.label_selector();
    options.field_selector = scope.field_selector();
    transforms = draw.one_in(4);
    logs = draw.one_in(8);
    throws_at = draw.one_in(6) ? 1 + static_cast<unsigned>(draw.below(4)) : 0;
  }
  const Kind& kind;
  InformerOptions options{};
  Scope scope{};
  bool bounds_lists = false;
  bool transforms = false;
  bool logs = false;
  unsigned throws_at = 0;
};

meta::ResourceInfo pods() {
  return {"", "v1", "Pod", "pods", "pod", true};
}

class Simulation {
 public:
  Simulation(std::uint64_t seed, bool served, bool trace, LieCounts& counts)
      : seed_(seed),
        is_served_(served),
        live_before_(live_bytes()),
        findings_(trace),
        draw_(seed),
        program_(draw_, served),
        executor_(std::make_shared<SeededExecutor>(seed)),
        transport_(
            std::make_shared<ScriptedTransport>(ScriptedTransport::Options{.executor = executor_})),
        source_(executor_, *transport_,
                {program_.scope, program_.options.protobuf, program_.bounds_lists,
                 program_.transforms, program_.options.storage == cache::StoragePolicy::Decoded},
                draw_, findings_, counts) {
    findings_.set_clock(executor_->clock());
    findings_.note([&] { return "repertoire: " + source_.lies().to_string(); });
    findings_.note([&] { return "program: " + describe(); });
  }
  ~Simulation() {
    served_.reset();
    informer_.reset();
    transport_->stop();
    executor_->stop();
  }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  std::optional<std::string> run() {
    begin();
    lie();
    if (!findings_.any()) be_honest();
    if (!findings_.any()) be_quiet();
    end();
    return findings_.first();
  }

 private:
  struct Place {
    std::unique_ptr<Witness> witness{};
    HandlerRegistration registration{};
    bool resyncs = true;
  };

  void begin();
  void lie();
  void be_honest();
  void be_quiet();
  void end();
  void a_moment();
  Place place(const char* name, bool resyncs);
  void every_minute();
  /// To be asked at each step: whether to go on.
  bool goes_on();

  /// So long, or to a finding.
  void advance(Duration duration);
  /// Until nothing is ready; moves time to what comes next.
  void settle();
  void look();
  void look_at_memory();
  /// Waits until the reader of the cache has nothing more to come.
  void look_at_served();
  std::string describe() const;

  const std::uint64_t seed_;
  const bool is_served_;
  const std::optional<std::size_t> live_before_;
  Findings findings_;
  Draw draw_;
  const Program program_;
  const std::shared_ptr<SeededExecutor> executor_;
  const std::shared_ptr<ScriptedTransport> transport_;
  LyingSource source_;
  std::shared_ptr<cache::InformerCore> informer_;
  std::unique_ptr<ServedReader> served_;  ///< Null: nobody reads from the cache.
  std::vector<Place> places_;
  Place leaver_;
  Timer minute_;
  bool honest_ = false;
  bool synced_ = false;
  bool stopped_ = false;
  TimePoint last_open_{};
};

std::string Simulation::describe() const {
  const InformerOptions& options = program_.options;
  return std::string(program_.options.protobuf            ? "pods in protobuf"
                     : program_.kind.type.self_describing ? "unstructured"
                                                          : "pods in JSON") +
         (options.watch_list ? ", watch list" : "") +
         (options.storage == cache::StoragePolicy::Decoded ? ", decoded" : "") + ", pages of " +
         std::to_string(options.page_size) + ", resync " +
         std::to_string(options.resync_period.count()) + " ms, namespace \"" + options.namespace_ +
         "\", labels \"" + options.label_selector + "\", fields \"" + options.field_selector +
         "\"" + (program_.transforms ? ", transform" : "") +
         (program_.throws_at != 0 ? ", handlers throw" : "");
}

Simulation::Place Simulation::place(const char* name, bool resyncs) {
  Place place;
  place.witness = std::make_unique<Witness>(name, program_.kind, findings_);
  place.witness->set_store(informer_->store());
  place.witness->throw_at_every(program_.throws_at);
  place.resyncs = resyncs;
  HandlerOptions options;
  options.name = name;
  if (!resyncs) options.resync_period = milliseconds(0);
  place.registration = informer_->add_event_handler(place.witness->handler(), options);
  return place;
}

void Simulation::begin() {
  Runtime runtime;
  runtime.executor = executor_;
  runtime.random = [this] { return static_cast<double>(draw_.below(1000)) / 1000; };
  if (program_.logs) runtime.logger = std::make_shared<CanaryLogger>(findings_);
  rest::Config config;
  config.host = "http://server";
  config.bearer_token = std::string(kCanary) + "-token";
  informer_ =
      std::make_shared<cache::InformerCore>(RestClient::create(config, runtime, transport_).value(),
                                            pods(), program_.options, program_.kind.type);
  static_cast<void>(informer_->add_indexes(
      {{std::string(kContentIndex), [&kind = program_.kind](const cache::CellRef& cell) {
          return index_values(kind, cell);
        }}}));
  if (program_.transforms) {
    static_cast<void>(informer_->set_transform(program_.kind.transform(program_.options.storage)));
  }
  static_cast<void>(informer_->set_watch_error_handler([this](const Error& error) {
    if (error.to_string().find(kCanary) != std::string::npos) {
      findings_.add("no secret is part of an error", printable(error.to_string()));
    }
  }));
  places_.push_back(place("early", true));
  places_.push_back(place("unsynced", false));
  leaver_ = place("leaver", true);
  if (is_served_) {
    served_ = std::make_unique<ServedReader>(seed_, informer_, executor_, program_.kind,
                                             program_.options, findings_);
  }
  static_cast<void>(informer_->start());
  last_open_ = executor_->clock()->now();
  every_minute();
}

void Simulation::every_minute() {
  // Not in step with what takes whole seconds.
  minute_ = executor_->submit_after(milliseconds(59'873), [this] {
    source_.send_bookmarks(draw_.one_in(3));
    every_minute();
  });
}

bool Simulation::goes_on() {
  const TimePoint now = executor_->clock()->now();
  if (transport_->open() != 0 || stopped_) {
    last_open_ = now;
  } else if (now - last_open_ > kLongestPause) {
    findings_.add("no wait without a bound", "nothing is asked for more than two minutes");
  }
  return !findings_.any();
}

void Simulation::advance(Duration duration) {
  bool over = false;
  const Timer timer = executor_->submit_after(duration, [&] { over = true; });
  executor_->run_until([&] { return over || !goes_on(); }, kMaxSteps);
  if (!over && !findings_.any()) {
    findings_.add("no loop without a pause", "too many steps in a while");
  }
}

void Simulation::settle() {
  const TimePoint now = executor_->clock()->now();
  const auto moved = [&] { return executor_->clock()->now() != now || !goes_on(); };
  if (!executor_->run_until(moved, kMaxSteps) && !findings_.any()) {
    findings_.add("no loop without a pause", "too many steps at one time");
  }
}

void Simulation::look() {
  if (findings_.any()) return;
  const cache::Store& store = *informer_->store();
  expect_consistent(store, program_.kind, findings_);
  for (const Place& place : places_) place.witness->expect_equal_to_store();
  const InformerStatus status = informer_->status();
  findings_.note([&] {
    return "state " + std::string(to_string(status.state)) + ", " + std::to_string(status.objects) +
           " objects, version \"" + printable(status.last_sync_resource_version, 60) + "\"" +
           (status.last_error ? ", " + printable(status.last_error->to_string()) : "");
  });
  expect_explained(status, findings_);
  if (synced_ && !status.synced) findings_.add("has_synced() stays true", "it is false again");
  synced_ = status.synced;
  // A streamed initial state is taken over without a version, too.
  const bool may_lack_version = source_.lies().has(Lie::InitialEndIsOdd) ||
                                source_.lies().has(Lie::BookmarkIsOdd) || source_.bytes_lied();
  if (synced_ && status.last_sync_resource_version.empty() && !may_lack_version) {
    findings_.add("a synced informer has a version", "last_sync_resource_version is empty");
  }
  if (synced_ && !honest_ && source_.steady_holds()) {
    expect_steady(store, source_.selected(), program_.kind, findings_);
  }
  if (const StatedObjects* stated = source_.stated(); stated != nullptr && synced_) {
    expect_stated(store, *stated, program_.kind, findings_);
  }
  for (const HandlerStatus& handler : status.handlers) {
    if (handler.pending != 0) findings_.add("handlers are served", handler.name + " waits");
    if (handler.synced != status.synced) {
      findings_.add("a handler syncs when its informer does", handler.name);
    }
  }
  if (served_ && served_->is_up_to_date()) served_->expect_equal();
  look_at_memory();
}

void Simulation::look_at_served() {
  if (!served_ || findings_.any()) return;
  for (int i = 0; i < 120 && !served_->is_up_to_date() && !findings_.any(); ++i) {
    advance(seconds(1));
    settle();
  }
  if (findings_.any()) return;
  if (!served_->is_up_to_date()) {
    findings_.add("a reader of the cache gets to its state", "not in two minutes");
    return;
  }
  served_->expect_equal();
}

void Simulation::look_at_memory() {
  const auto live = live_bytes();
  if (!live || !live_before_) return;
  const std::size_t bound = kMemoryOfARun + 3 * informer_->store()->bytes() +
                            4 * source_.bytes_under_way() + (served_ ? served_->max_memory() : 0);
  if (*live > *live_before_ + bound) {
    findings_.add("memory is bounded", std::to_string(*live - *live_before_) +
                                           " bytes are held, of which the store " +
                                           std::to_string(informer_->store()->bytes()));
  }
}

void Simulation::a_moment() {
  for (std::uint64_t i = draw_.below(4); i > 0; --i) source_.change_something();
  if (draw_.one_in(2)) source_.chatter();
  if (draw_.one_in(6)) source_.drop_watches();
  if (draw_.one_in(10)) source_.compact();
  if (served_ && draw_.one_in(10)) served_->drop_connections();
}

void Simulation::lie() {
  constexpr milliseconds kSpans[] = {seconds(1), seconds(10), seconds(10), minutes(1),
                                     minutes(1), minutes(1),  minutes(5),  minutes(20)};
  const Duration span = draw_.of(kSpans);
  constexpr int kMoments = 8;
  const int late = static_cast<int>(draw_.below(kMoments));
  const int leaves = static_cast<int>(draw_.below(kMoments));
  const int stops = draw_.one_in(20) ? static_cast<int>(draw_.below(kMoments)) : kMoments;
  for (int moment = 0; moment < kMoments && !findings_.any(); ++moment) {
    // What happens at the very moment in which the client gives up a watch, it may not hear of.
    if (source_.lies().leaves_objects_clear()) {
      advance(std::chrono::microseconds(1 + draw_.below(100'000)));
    }
    a_moment();
    if (moment == late) places_.push_back(place("late", draw_.one_in(2)));
    if (moment == leaves) {
      leaver_.registration.unregister_and_wait();
      leaver_.witness->leave();
    }
    if (moment == stops) {
      informer_->stop();
      stopped_ = true;
      return;
    }
    if (draw_.one_in(4)) {
      executor_->run_until([&] { return !goes_on(); }, draw_.below(40));
    } else {
      advance(milliseconds(
          1 + draw_.below(static_cast<std::uint64_t>(
                  std::chrono::duration_cast<milliseconds>(span).count() / kMoments * 2))));
    }
    if (draw_.one_in(2)) {
      settle();
      look();
    }
  }
}

void Simulation::be_honest() {
  if (stopped_) return;
  source_.become_honest();
  honest_ = true;
  constexpr int kMoments = 4;
  for (int moment = 0; moment < kMoments; ++moment) {
    advance(kRecovery / kMoments);
    if (moment + 1 < kMoments) source_.change_something();
    if (moment == 0 && draw_.one_in(2)) source_.drop_watches();
  }
  minute_.cancel();
  // One that finds a watch open.
  for (int i = 0; i < 4; ++i) {
    source_.send_bookmarks(i == 0);
    advance(seconds(7));
  }
  settle();
  look();
  if (findings_.any()) return;
  if (!synced_) {
    const auto error = informer_->status().last_error;
    findings_.add("once the source is honest, the informer syncs",
                  error ? printable(error->to_string()) : "it has no last_error");
    return;
  }
  expect_true(*informer_->store(), source_.selected(), program_.kind, findings_);
  look_at_served();
  const std::string version = informer_->status().last_sync_resource_version;
  if (version != std::to_string(source_.truth().version())) {
    findings_.add(
        "once the source is honest, the cache has its version",
        "\"" + printable(version, 60) + "\", true is " + std::to_string(source_.truth().version()));
  }
}

// Nothing changes but the version; watches end and are taken up again.
void Simulation::be_quiet() {
  if (stopped_) return;
  // A list may follow a watch that ends when it has just begun.
  for (int i = 0; i < 60 && !source_.watch_has_begun(seconds(2)); ++i) advance(seconds(1));
  for (const Place& place : places_) static_cast<void>(place.witness->take_repeats());
  const std::uint64_t lists = source_.lists();
  const std::uint64_t requests = source_.requests();
  source_.compact();
  source_.drop_watches();
  every_minute();
  const TimePoint begin = executor_->clock()->now();
  advance(kQuiet);
  settle();
  look();
  if (findings_.any()) return;
  if (source_.lists() != lists) {
    findings_.add("a watch resumes from the version that the server gave last",
                  "a list was needed");
  }
  if (source_.requests() > requests + 12) {
    findings_.add("watches are few", std::to_string(source_.requests() - requests) + " requests");
  }
  const Duration period = program_.options.resync_period;
  const auto passed = executor_->clock()->now() - begin;
  for (const Place& place : places_) {
    const auto repeats = place.witness->take_repeats();
    if (!place.resyncs || period == Duration::zero()) {
      if (!repeats.empty()) {
        findings_.add("a resync is told to those who want it", "one who does not was told");
      }
      continue;
    }
    const auto times = static_cast<unsigned>(passed / period);
    for (const auto& [key, cell] : place.witness->known()) {
      const auto found = repeats.find(key);
      const unsigned told = found == repeats.end() ? 0 : found->second;
      if (told + 1 < times || told > times + 1) {
        findings_.add("a resync is told to those who want it",
                      "told " + std::to_string(told) + " times, expected " + std::to_string(times));
      }
    }
  }
}

void Simulation::end() {
  if (served_) served_->stop();
  informer_->stop_and_wait();
  stopped_ = true;
  for (const Place& place : places_) place.witness->leave();
  minute_.cancel();
  advance(minutes(1));
  if (!findings_.any() && transport_->open() != 0) {
    findings_.add("a stopped informer ends its requests",
                  std::to_string(transport_->open()) + " are open");
  }
  if (!findings_.any() && served_) served_->expect_forgotten();
  if (!findings_.any() && executor_->failed_tasks() != 0) {
    findings_.add("no exception leaves a task", std::to_string(executor_->failed_tasks()));
  }
}

}  // namespace

std::optional<std::string> simulate(std::uint64_t seed, bool served, bool trace,
                                    LieCounts& counts) {
  Simulation simulation(seed, served, trace, counts);
  return simulation.run();
}

}  // namespace kube::lying
