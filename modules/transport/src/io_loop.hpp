// SPDX-License-Identifier: Apache-2.0
//
// The I/O thread, with curl's multi handle, the exchanges on it and their deadlines.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include <curl/curl.h>

#include <kube/base/worker_thread.hpp>

#include "clock_alarm.hpp"
#include "command_queue.hpp"
#include "connection_pings.hpp"
#include "curl_exchange.hpp"

namespace kube::transport {

class IoLoop final : public std::enable_shared_from_this<IoLoop> {
 public:
  /// Starts the thread, which keeps the loop alive until stop().
  static Result<std::shared_ptr<IoLoop>> create(std::shared_ptr<CurlShared> shared);
  IoLoop(const IoLoop&) = delete;
  IoLoop& operator=(const IoLoop&) = delete;

  /// Ends every exchange with Cancelled and joins the thread. Called once. On the I/O thread itself
  /// it returns at once, and the thread ends when the calling handler has returned.
  void stop();

  const std::shared_ptr<CommandQueue>& queue() const { return queue_; }

 private:
  struct FreeMulti {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };
  using MultiPtr = std::unique_ptr<CURLM, FreeMulti>;

  IoLoop(std::shared_ptr<CurlShared> shared, MultiPtr multi);

  void run();
  // Does everything that can be done without waiting; returns false when the loop is closed.
  // `commands` is a buffer that is reused.
  bool work(std::vector<Command>& commands);
  void carry_out(const Command& command, bool stopping);
  void begin(const std::shared_ptr<CurlExchange>& exchange);
  // Gives the exchange a handle.
  Result<void> prepare(CurlExchange& exchange);
  // Sends a request that the server has not processed on another connection.
  void resend(const std::shared_ptr<CurlExchange>& exchange);
  // Uses new TLS material, if there is some, and retires the connections of the old one.
  void check_tls();
  void give_to_curl();
  bool holds_back() const;
  void perform();
  // Begins the time for the TLS handshake of exchanges whose TCP connection has been made.
  void check_dialing();
  void check_pings();
  void end(const std::shared_ptr<CurlExchange>& exchange, Result<void> result);
  void collect_finished();
  void check_deadlines();
  void give_up_silent_connection(const CurlExchange& exchange);
  void end_all(ErrorCode code, const std::string& why);
  void detach(CurlExchange& exchange);
  void watch_deadline(CurlExchange& exchange);
  // Returns when there is something to do though nothing has arrived; max() for never.
  SteadyTime next_check(SteadyTime now) const;
  void wait();

  const std::shared_ptr<CurlShared> shared_;
  // Declared before multi_: curl calls back while it closes its connections.
  CurlExchange::LoopState state_;
  const MultiPtr multi_;
  const std::shared_ptr<CommandQueue> queue_;
  std::optional<ClockAlarm> alarm_;  // for another clock than the system's

  // Used only on the I/O thread.
  std::unordered_map<CurlExchange*, std::shared_ptr<CurlExchange>> live_;
  std::set<std::pair<SteadyTime, CurlExchange*>> deadlines_;
  std::deque<std::weak_ptr<CurlExchange>> prepared_;  // not yet passed to curl
  SteadyTime now_{};
  ConnectionPings pings_;
  std::shared_ptr<const TlsMaterial> tls_;  // The material of new connections.
  SteadyTime next_tls_check_{};
  bool retiring_ = false;    // Connections of other material are open.
  std::size_t in_curl_ = 0;  // exchanges that curl works on
  // The number of them that the open connections had room for.
  std::size_t room_ = 0;
  bool stepped_ = false;  // give_to_curl() stopped after one, which may need a connection

  WorkerThread thread_;
};

}  // namespace kube::transport
