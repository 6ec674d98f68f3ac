// SPDX-License-Identifier: Apache-2.0
//
// The I/O thread, with curl's multi handle, the exchanges on it and their deadlines.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include <curl/curl.h>

#include <kube/base/worker_thread.hpp>

#include "command_queue.hpp"
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
  void give_to_curl();
  void end(const std::shared_ptr<CurlExchange>& exchange, Result<void> result);
  void collect_finished();
  void check_deadlines();
  void give_up_silent_connection(const CurlExchange& exchange);
  void end_all(ErrorCode code, const std::string& why);
  void detach(CurlExchange& exchange);
  void watch_deadline(CurlExchange& exchange);
  void wait();

  const std::shared_ptr<CurlShared> shared_;
  // Declared before multi_: curl calls back while it closes its connections.
  CurlExchange::LoopState state_;
  const MultiPtr multi_;
  const std::shared_ptr<CommandQueue> queue_;

  // Used only on the I/O thread.
  std::unordered_map<CurlExchange*, std::shared_ptr<CurlExchange>> live_;
  std::set<std::pair<SteadyTime, CurlExchange*>> deadlines_;
  std::deque<std::weak_ptr<CurlExchange>> prepared_;  // not yet passed to curl
  SteadyTime now_{};

  WorkerThread thread_;
};

}  // namespace kube::transport
