// SPDX-License-Identifier: Apache-2.0
//
// An API server of one resource behind a scripted transport: lists in pages, watches, bookmarks,
// compaction, and every fault that a real one and its network have, as a seed decides. It is there
// to be trusted, so it is as plain as can be: the whole history is kept and replayed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/testing/scripted_transport.hpp>

namespace kube::cache::testing {

class ModelServer {
 public:
  struct Object {
    std::string uid;
    std::uint64_t version = 0;
    std::string app;  ///< Label "app".
    bool operator==(const Object&) const = default;
  };
  using State = std::map<std::string, Object>;  ///< By "namespace/name".

  ModelServer(std::shared_ptr<SeededExecutor> executor,
              const std::shared_ptr<kube::testing::ScriptedTransport>& transport);

  /// Creates, changes or deletes something.
  void change_something();
  /// Forgets the history before a version: older watches and pages get 410.
  void compact();
  /// Out of ten requests, streams or pieces, so many go wrong. 0: none.
  void set_faults(unsigned of_ten) { faults_ = of_ten; }
  /// Ends all watches, as a server does that restarts.
  void drop_watches();

  const State& state() const { return state_; }
  std::uint64_t version() const { return version_; }

 private:
  struct Event {
    std::uint64_t version;
    std::string type;
    std::string key;
    Object object;
  };

  bool chance(unsigned of_ten) { return executor_->random() % 10 < of_ten; }
  std::uint64_t pick(std::uint64_t below) { return executor_->random() % below; }

  void answer(kube::testing::ScriptedCall call);
  void list(kube::testing::ScriptedCall call);
  void watch(kube::testing::ScriptedCall call);
  State state_at(std::uint64_t version) const;
  void send(kube::testing::ScriptedCall& call, const std::string& bytes, bool whole_body);
  void record(std::string type, const std::string& key, const Object& object);
  static std::string text_of(const std::string& key, const Object& object);
  static std::string text_of(const Event& event);

  const std::shared_ptr<SeededExecutor> executor_;
  unsigned faults_ = 0;
  std::uint64_t version_ = 10;  // of the last change
  std::uint64_t oldest_ = 10;   // watches and pages can begin here
  std::uint64_t uids_ = 0;
  State state_;
  std::vector<Event> history_;
  std::vector<kube::testing::ScriptedCall> watches_;
};

}  // namespace kube::cache::testing
