// SPDX-License-Identifier: Apache-2.0
//
// A reflector on a scripted server, and a target that writes down what it is told.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "reflector.hpp"
#include "scripted_run.hpp"

namespace kube::cache::testing {

class RecordingTarget final : public ReflectorTarget {
 public:
  CellRef known(std::string_view key) const override {
    return last_known && last_known->key() == key ? last_known : CellRef();
  }
  Result<void> accept(Arrived& arrived) override {
    const std::string_view key = arrived.delta.cell->key();
    if (fail == key) return Error(ErrorCode::InvalidArgument, "failed");
    if (refuse == key) arrived.refused = Refusal{Error(ErrorCode::InvalidArgument, "refused")};
    return {};
  }
  void apply(Delta change) override {
    const Cell& cell = *change.cell;
    if (change.type == DeltaType::Added) note("add", cell);
    if (change.type == DeltaType::Updated) note("update", cell);
    if (change.type == DeltaType::Deleted) note("remove", cell);
    if (change.type == DeltaType::Bookmark) {
      log.push_back("bookmark " + std::string(cell.resource_version()));
    }
  }
  Result<void> replace(std::vector<CellRef> items, std::string resource_version) override {
    if (auto failure = std::exchange(fail_replace, std::nullopt)) return *failure;
    std::string text = "replace";
    for (const CellRef& item : items) {
      text += ' ' + std::string(item->key()) + '@' + std::string(item->resource_version());
    }
    log.push_back(text + " at " + resource_version);
    if (keeps) replaced = std::move(items);
    return {};
  }
  void flush() override {
    if (on_flush) on_flush();
  }
  void freed(std::size_t bytes) override { freed_bytes += bytes; }
  Duration resync_period() const override { return period; }
  Result<void> resync() override {
    log.emplace_back("resync");
    if (auto failure = std::exchange(fail_resync, std::nullopt)) return *failure;
    return {};
  }
  void watch_error(const Error& error) override {
    errors.push_back(error);
    if (on_error) on_error();
  }
  void refused(const Error& error, const Delta&) override {
    log.push_back("refused: " + error.message());
  }
  void incomplete(const Error& error) override {
    log.push_back("incomplete: " + error.to_string());
    if (on_error) on_error();
  }

  std::vector<std::string> take() { return std::exchange(log, {}); }

  std::vector<std::string> log;
  std::vector<Error> errors;
  std::string fail;    // the key of an object for which accept() gives an Error
  std::string refuse;  // of one that it refuses
  CellRef last_known;  // what it has of that one
  std::optional<Error> fail_replace;
  std::optional<Error> fail_resync;
  bool keeps = false;  // whether replace() keeps the items
  std::vector<CellRef> replaced;
  std::size_t freed_bytes = 0;
  Duration period{0};
  std::function<void()> on_error;
  std::function<void()> on_flush;

 private:
  void note(const char* what, const Cell& cell) {
    log.push_back(std::string(what) + ' ' + std::string(cell.key()) + '@' +
                  std::string(cell.resource_version()));
  }
};

class ReflectorFixture : public ::testing::Test, public ScriptedRun {
 protected:
  void start(ReflectorOptions options = {}) {
    options.watch_list = streams;
    options.watch_idle_timeout = idle_timeout;
    std::shared_ptr<ListerWatcher> asks = rest_lister_watcher(client(), pods(), "", "", "");
    if (source) asks = source(std::move(asks));
    reflector = std::make_shared<Reflector>(runtime, strand, std::move(asks),
                                            ObjectForm{*type, {}, max_object_bytes},
                                            std::move(options), target);
    strand.submit([this] { reflector->start(reflector, stop.get_token(), std::nullopt); });
    run();
  }
  const CellType* type = &text_type();
  bool streams = false;  // the initial state
  std::chrono::milliseconds idle_timeout{0};
  std::size_t max_object_bytes = kMaxObjectBytes;
  /// Lists one pod at version 10 and hands out the watch that follows.
  ScriptedCall start_watching(ReflectorOptions options = {}) {
    start(std::move(options));
    next_list().respond(200, list_text({object_text("x/a", "5")}, "10"));
    ScriptedCall watch = next_watch();
    target.take();
    return watch;
  }
  void TearDown() override {
    stop_reflector();
    run();
  }
  void stop_reflector() {
    stop.request_stop();
    strand.submit([this] {
      if (reflector) reflector->stop();
    });
  }

  /// Wraps the source that asks the server.
  std::function<std::shared_ptr<ListerWatcher>(std::shared_ptr<ListerWatcher>)> source;
  RecordingTarget target;
  Strand strand{executor};
  std::stop_source stop;
  std::shared_ptr<Reflector> reflector;
};

}  // namespace kube::cache::testing
