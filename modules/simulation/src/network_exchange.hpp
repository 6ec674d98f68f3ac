// SPDX-License-Identifier: Apache-2.0
//
// One exchange on the simulated network: the request travels, a frontend handles it, the response
// travels piece by piece.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <kube/transport/exchange_failure.hpp>

#include "network.hpp"

namespace kube::testing {

/// @par Thread safety   None: the thread that has the baton.
class NetworkExchange final : public transport::Exchange,
                              public std::enable_shared_from_this<NetworkExchange> {
 public:
  NetworkExchange(Network& network, std::uint64_t id, transport::HttpRequest request,
                  std::shared_ptr<transport::ResponseHandler> handler);

  void begin(const std::stop_token& stop);
  void resume() override;
  void cancel() override;

  /// Ends it with an error, whatever was delivered.
  void break_off(ErrorCode code, const std::string& text,
                 std::optional<transport::ExchangeFailure> how);
  void reset() {
    break_off(ErrorCode::Unreachable, "the connection was reset",
              transport::ExchangeFailure::LostAfterRequest);
  }
  /// Ends it without calling the executor.
  void close();
  /// Sends what the watch has.
  void pump();

  std::size_t frontend() const { return frontend_; }
  std::string to_string() const;

 private:
  using Piece = std::variant<transport::ResponseHead, std::string, Result<void>>;

  void arrive();
  bool misses();
  void answer(apiserver::FrontendResponse response);
  void answer_with(int status, std::string body, transport::Headers headers);
  void plan_body(bool endless);
  void send(std::string bytes);
  void end_of_body();
  void schedule();
  void deliver();
  void finish(Result<void> result);
  void arm_timers();
  void check_silence();
  template <class F>
  void later(Duration delay, F&& f);

  Network* network_;  // null once it has ended
  const std::uint64_t id_;
  transport::HttpRequest request_;
  std::shared_ptr<transport::ResponseHandler> handler_;
  std::optional<std::stop_callback<std::function<void()>>> stop_callback_;
  std::size_t frontend_ = 0;
  std::shared_ptr<apiserver::FrontendWatch> watch_;
  bool protobuf_ = false;
  std::string frames_;  // of a watch, up to the end of the last whole one
  std::deque<Piece> pieces_;
  std::optional<Result<void>> broken_;
  std::optional<std::size_t> cut_after_;     // bytes of the body
  std::optional<std::size_t> silent_after_;  // bytes of the body
  bool silent_ = false;
  bool slow_ = false;
  bool paused_ = false;
  bool resumed_ = false;
  bool delivering_ = false;
  bool scheduled_ = false;
  bool ended_body_ = false;
  TimePoint heard_{};
  Timer timeout_;
  Timer head_timeout_;
  Timer silence_;
  Timer travels_;
  Timer delivers_;
};

}  // namespace kube::testing
