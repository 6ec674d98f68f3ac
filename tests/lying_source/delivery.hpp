// SPDX-License-Identifier: Apache-2.0
//
// How the bytes of one answer reach the client: at once or late, whole or in pieces, to the end or
// not, as they are or not.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/client/content.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "lies.hpp"

namespace kube::lying {

/// One answer. Copies share it. Needs a repertoire while lying, none once the source is honest.
class Delivery {
 public:
  Delivery(kube::testing::ScriptedCall call, std::shared_ptr<Executor> executor, Draw& draw,
           Repertoire* lies, Encoding encoding);

  const kube::testing::ScriptedCall& call() const { return state_->call; }
  Encoding encoding() const { return state_->encoding; }
  void speak(Encoding encoding) { state_->encoding = encoding; }
  bool over() const;

  /// Status, headers and the first bytes; `ends`: there are no more.
  void begin(int status, transport::Headers headers, std::string bytes, bool ends);
  /// The same for what is well: 200 and the Content-Type of the encoding.
  void begin(std::string bytes, bool ends, bool is_watch);
  void more(std::string bytes);
  void end();
  void reset();
  /// Chunks of 64 KiB until the client has enough, or `limit` bytes have been sent.
  void flow(std::size_t limit);
  /// Says nothing any more, not even an end.
  void fall_silent() { state_->silent = true; }
  /// Takes part in no lie any more.
  void become_honest() { state_->lies = nullptr; }

 private:
  struct State {
    kube::testing::ScriptedCall call;
    std::shared_ptr<Executor> executor;
    Draw& draw;
    Repertoire* lies;
    Encoding encoding;
    bool silent = false;
    bool waiting = false;  // for its first moment
    std::string held{};    // what was to be sent meanwhile
    bool held_end = false;
    Timer timer{};
    std::size_t flowed = 0;
    std::size_t flow_limit = 0;
  };
  static bool tells(State& state, Lie lie) {
    return state.lies != nullptr && state.lies->tells(lie);
  }
  static void send(State& state, std::string bytes, bool ends);
  static void send_pieces(State& state, const std::string& bytes);
  static void flow_on(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

}  // namespace kube::lying
