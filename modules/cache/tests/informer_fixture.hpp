// SPDX-License-Identifier: Apache-2.0
//
// An informer on a scripted server, and handlers that write down what they are told.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kube/cache/shared_informer.hpp>

#include "scripted_run.hpp"

namespace kube::cache::testing {

inline std::string show(const Cached<Unstructured>& object) {
  return std::string(object.key()) + "@" + std::string(object.resource_version());
}

/// "add x/a@1", with '*' in front for the initial list; "update x/a@1 -> x/a@2"; "delete x/a@3",
/// "delete x/a@2 (inferred)".
class Recorder {
 public:
  ResourceEventHandler<Unstructured> handler() {
    return {.on_add =
                [this](const Cached<Unstructured>& object, bool initial) {
                  log.push_back((initial ? "*add " : "add ") + show(object));
                },
            .on_update =
                [this](const Cached<Unstructured>& old_object, const Cached<Unstructured>& object) {
                  log.push_back("update " + show(old_object) + " -> " + show(object));
                },
            .on_delete =
                [this](const DeletedObject<Unstructured>& deleted) {
                  EXPECT_EQ(deleted.key, deleted.object.object_key());
                  log.push_back("delete " + show(deleted.object) +
                                (deleted.final_state_unknown ? " (inferred)" : ""));
                }};
  }
  std::vector<std::string> take() { return std::exchange(log, {}); }
  std::vector<std::string> log;
};

class InformerFixture : public ::testing::Test, public ScriptedRun {
 protected:
  using Informer = SharedInformer<Unstructured>;

  /// Lists, unless `streams` is set.
  void make(InformerOptions options = {}) {
    options.watch_list = streams;
    informer = std::make_unique<Informer>(client(), pods(), std::move(options));
  }
  /// Starts it and answers its list; hands out the watch.
  ScriptedCall start(const std::vector<std::string>& items = {object_text("x/a", "5")},
                     std::string_view version = "10") {
    if (!informer) make();
    EXPECT_TRUE(informer->start());
    next_list().respond(200, list_text(items, version));
    ScriptedCall watch = next_watch();
    run();
    return watch;
  }
  /// Ends the watch and answers the list that follows; hands out the next watch.
  ScriptedCall relist(ScriptedCall watch, const std::vector<std::string>& items,
                      std::string_view version) {
    watch.data(event_text("ERROR", status_text(410, "Expired", "old")));
    run_for(60s);
    next_list().respond(200, list_text(items, version));
    ScriptedCall next = next_watch();
    run();
    return next;
  }
  HandlerRegistration add(Recorder& recorder, HandlerOptions options = {}) {
    return informer->add_event_handler(recorder.handler(), std::move(options));
  }
  static std::string added(std::string_view key, std::string_view version) {
    return event_text("ADDED", object_text(key, version));
  }
  static std::string modified(std::string_view key, std::string_view version) {
    return event_text("MODIFIED", object_text(key, version));
  }
  static std::string deleted(std::string_view key, std::string_view version) {
    return event_text("DELETED", object_text(key, version));
  }

  bool streams = false;  // whether the initial state is requested as a stream
  std::unique_ptr<Informer> informer;
};

}  // namespace kube::cache::testing
