// SPDX-License-Identifier: Apache-2.0
#include "io_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigfillset is POSIX
#include <sys/socket.h>

namespace kube::transport {
namespace {

using std::chrono::milliseconds;

// Go's transport keeps 25 idle connections for a host; a client of Kubernetes has one host.
constexpr long kIdleConnections = 25;
// The server's limit applies, not curl's 100, so that watches share one connection.
constexpr long kStreamsPerConnection = 10'000;
constexpr milliseconds kLongestWait{60'000};
constexpr std::size_t kUnanswered = 100;
// While a paused stream prevents a shared connection from being read, its socket stays readable and
// polling it would spin.
constexpr milliseconds kWaitWhileBlocked{5};

Result<void> curl_ready() {
  static const CURLcode initialized = [] {
    const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    // OpenSSL has an atexit handler too; ours runs before it.
    std::atexit(&WorkerThread::join_orphans);
    return code;
  }();
  if (initialized == CURLE_OK) return {};
  return Error(ErrorCode::Internal,
               std::string("libcurl can't be initialized: ") + curl_easy_strerror(initialized));
}

// Signals are the program's: its handlers don't run here. A disconnected peer must not raise
// SIGPIPE either, which OpenSSL's writes would do.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF}) {
    sigdelset(&all, fault);
  }
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

Result<std::shared_ptr<IoLoop>> IoLoop::create(std::shared_ptr<CurlShared> shared) {
  if (const Result<void> ready = curl_ready(); !ready) return ready.error();
  MultiPtr multi(curl_multi_init());
  if (!multi) return Error(ErrorCode::Internal, "libcurl has no memory for a multi handle");
  curl_multi_setopt(multi.get(), CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  curl_multi_setopt(multi.get(), CURLMOPT_MAX_CONCURRENT_STREAMS, kStreamsPerConnection);
  curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, kIdleConnections);
  try {
    const std::shared_ptr<IoLoop> loop(new IoLoop(std::move(shared), std::move(multi)));
    loop->thread_ = WorkerThread("kube-io", [loop] { loop->run(); });
    return loop;
  } catch (const std::system_error& e) {
    return Error(ErrorCode::Internal, std::string("the I/O thread can't be started: ") + e.what());
  }
}

IoLoop::IoLoop(std::shared_ptr<CurlShared> shared, MultiPtr multi)
    : shared_(std::move(shared)),
      multi_(std::move(multi)),
      queue_(std::make_shared<CommandQueue>(multi_.get())) {}

void IoLoop::stop() {
  queue_->stop();
  thread_.join();  // later, if a handler dropped the last owner of the transport
}

void IoLoop::run() {
  block_signals();
  std::vector<Command> commands;
  while (work(commands)) {
    if (!queue_->end_turn()) continue;
    wait();
    queue_->begin_turn();
  }
}

bool IoLoop::work(std::vector<Command>& commands) {
  for (;;) {
    const bool stopping = queue_->take(commands);
    for (const Command& command : commands) carry_out(command, stopping);
    commands.clear();
    if (!stopping) break;
    end_all(ErrorCode::Cancelled, "the transport was closed");
    // A handler may have started another exchange from its on_end().
    if (queue_->close()) return false;
  }
  state_.progressed = false;
  give_to_curl();
  int running = 0;
  const CURLMcode performed = curl_multi_perform(multi_.get(), &running);
  if (performed != CURLM_OK) {
    end_all(ErrorCode::Internal, std::string("libcurl: ") + curl_multi_strerror(performed));
  }
  collect_finished();
  check_deadlines();
  give_to_curl();  // a response may have arrived
  return true;
}

void IoLoop::carry_out(const Command& command, bool stopping) {
  const std::shared_ptr<CurlExchange>& exchange = command.exchange;
  if (command.verb == Command::Verb::Start) {
    if (stopping || exchange->cancel_requested()) {
      exchange->finish(exchange->error(ErrorCode::Cancelled, stopping
                                                                 ? "the transport was closed"
                                                                 : "the request was cancelled"));
    } else {
      begin(exchange);
    }
    return;
  }
  // The exchange has ended, or has not started: begin() then sees the cancel.
  if (!live_.contains(exchange.get())) return;
  if (command.verb == Command::Verb::Cancel) {
    end(exchange, exchange->error(ErrorCode::Cancelled, "the request was cancelled"));
  } else if (exchange->carry_out_resume()) {
    end(exchange, exchange->end_result());
  }
}

void IoLoop::begin(const std::shared_ptr<CurlExchange>& exchange) {
  // Use a new handle each time: making one takes 2 us, and a used one may keep bytes of a paused
  // response (libcurl 7.88, when other streams are on the connection).
  CURL* easy = curl_easy_init();
  Result<void> prepared =
      easy != nullptr ? exchange->prepare(easy, state_)
                      : Result<void>(Error(ErrorCode::Internal, "libcurl is out of memory"));
  if (!prepared) {
    curl_easy_cleanup(easy);
    exchange->release();
    exchange->finish(std::move(prepared));
    return;
  }
  live_.emplace(exchange.get(), exchange);
  watch_deadline(*exchange);
  prepared_.push_back(exchange);
}

// Until a connection's server has announced its maximum number of streams, libcurl (7.88) assumes
// 100, and opens a connection for each further request: a thousand watches at the start, or when a
// server comes back, would be as many connections. So they wait for the first response.
void IoLoop::give_to_curl() {
  while (!prepared_.empty() &&
         (state_.newest_connection_answers || state_.unanswered < kUnanswered)) {
    const std::shared_ptr<CurlExchange> exchange = prepared_.front().lock();
    prepared_.pop_front();
    if (!exchange || !live_.contains(exchange.get())) continue;  // cancelled meanwhile
    exchange->begun();
    if (curl_multi_add_handle(multi_.get(), exchange->easy()) != CURLM_OK) {
      end(exchange, exchange->error(ErrorCode::Internal, "libcurl did not take the request"));
    }
  }
}

void IoLoop::end(const std::shared_ptr<CurlExchange>& exchange, Result<void> result) {
  // The argument may go with live_. NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const std::shared_ptr<CurlExchange> keep = exchange;
  detach(*keep);
  deadlines_.erase({keep->next_deadline(), keep.get()});
  live_.erase(keep.get());
  keep->finish(std::move(result));
}

// Detaches the exchange from curl; it may still have something to deliver.
void IoLoop::detach(CurlExchange& exchange) {
  CURL* easy = exchange.easy();
  if (easy == nullptr) return;
  exchange.discard_kept();
  curl_multi_remove_handle(multi_.get(), easy);
  curl_easy_cleanup(easy);
  exchange.release();
}

void IoLoop::collect_finished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    state_.progressed = true;
    // Removing the handle destroys the message.
    const CURLcode code = message->data.result;
    char* data = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &data);
    const std::shared_ptr<CurlExchange> exchange =
        reinterpret_cast<CurlExchange*>(data)->shared_from_this();
    const bool over = exchange->transfer_done(code);
    detach(*exchange);
    if (over) end(exchange, exchange->end_result());
  }
}

void IoLoop::watch_deadline(CurlExchange& exchange) {
  if (exchange.next_deadline() != SteadyTime::max()) {
    deadlines_.emplace(exchange.next_deadline(), &exchange);
  }
}

void IoLoop::check_deadlines() {
  now_ = std::chrono::steady_clock::now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now_) {
    const std::shared_ptr<CurlExchange> exchange = deadlines_.begin()->second->shared_from_this();
    deadlines_.erase(deadlines_.begin());
    std::optional<Error> passed = exchange->check_deadlines(now_);
    if (!passed) {
      watch_deadline(*exchange);
      continue;
    }
    give_up_silent_connection(*exchange);
    end(exchange, *std::move(passed));
  }
}

// A timed out stream leaves its HTTP/2 connection open for the next request, which is right when
// the server is slow and wrong when the peer is gone. A connection on which nothing was received
// for one and a half keep-alive periods is treated as dead; so is one that was silent while a head
// was awaited, since a server that allows no streams prevents requests from being sent at all.
void IoLoop::give_up_silent_connection(const CurlExchange& exchange) {
  const std::shared_ptr<ConnectionHealth>& health = exchange.connection();
  const milliseconds period = shared_->settings.options.keep_alive;
  if (!health || health->socket == CURL_SOCKET_BAD) return;
  const auto silent = now_ - health->heard;
  const auto head = exchange.head_timeout();
  if ((head && silent >= *head) || (period.count() > 0 && silent >= period + period / 2)) {
    ::shutdown(health->socket, SHUT_RDWR);
  }
}

void IoLoop::end_all(ErrorCode code, const std::string& why) {
  while (!live_.empty()) {
    const std::shared_ptr<CurlExchange> exchange = live_.begin()->second;
    end(exchange, exchange->error(code, why));
  }
}

void IoLoop::wait() {
  milliseconds timeout = kLongestWait;
  if (!deadlines_.empty()) {
    const auto left = std::chrono::ceil<milliseconds>(deadlines_.begin()->first -
                                                      std::chrono::steady_clock::now());
    timeout = std::clamp(left, milliseconds(0), kLongestWait);
  }
  const bool blocked =
      !state_.progressed && std::any_of(live_.begin(), live_.end(), [](const auto& entry) {
        return entry.second->blocks_shared_connection();
      });
  if (blocked) {
    queue_->wait(std::min(timeout, kWaitWhileBlocked));
    return;
  }
  curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(timeout.count()), nullptr);
}

}  // namespace kube::transport
