// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::RecordingTransport keeps the traffic of a run, and ReplayTransport is the server
// that says the same again: what went wrong with a real server becomes a test.
//
//   auto recording = std::make_shared<RecordingTransport>(real_transport, executor->clock());
//   run_with(recording);
//   const std::string saved = recording->text();
//   // in the test
//   auto replay = ReplayTransport::create(saved, executor);
//   run_with(replay.value());
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/result.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::testing {

/// A decorator that keeps requests (method, URL and body) and responses (status, headers, and the
/// body in the pieces in which it came, with their times). The headers of requests, where
/// credentials are, are not kept; bodies are, secrets in them too.
/// @par Thread safety   All functions may be called from any thread.
class RecordingTransport final : public transport::RoundTripper {
 public:
  RecordingTransport(std::shared_ptr<transport::RoundTripper> inner, std::shared_ptr<Clock> clock);
  std::shared_ptr<transport::Exchange> start(transport::HttpRequest request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override;
  /// Returns the traffic so far: a line of JSON for each request, in their order. A response that
  /// is under way has the pieces that have come.
  std::string text() const;

 private:
  struct Record;
  struct Tape;
  class Handler;
  friend class ReplayTransport;
  const std::shared_ptr<transport::RoundTripper> inner_;
  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<Tape> tape_;
};

/// Responds to each request as the recorded server did to the first such request that was not
/// replayed yet: the same method, path and query, whatever timeoutSeconds is. The pieces of the
/// body come in the recorded time after the request. A request that was not recorded fails with
/// InvalidArgument.
/// @par Thread safety   All functions may be called from any thread.
class ReplayTransport final : public transport::RoundTripper {
 public:
  /// The executor must run one task at a time: SeededExecutor, the simulation's, or a Strand.
  /// @par Errors   Decode: the text is not a recording, with the line.
  static Result<std::shared_ptr<ReplayTransport>> create(std::string_view recording,
                                                         std::shared_ptr<Executor> executor);
  ~ReplayTransport() override;
  ReplayTransport(const ReplayTransport&) = delete;
  ReplayTransport& operator=(const ReplayTransport&) = delete;
  std::shared_ptr<transport::Exchange> start(transport::HttpRequest request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override;
  /// Returns the number of recorded requests that were not asked for.
  std::size_t left() const;

 private:
  struct State;
  explicit ReplayTransport(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace kube::testing
