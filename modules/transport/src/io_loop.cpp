// SPDX-License-Identifier: Apache-2.0
#include "io_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <sys/socket.h>

#include <kube/transport/connection_retired.hpp>
#include <kube/transport/no_waiting.hpp>

namespace kube::transport {
namespace {

using std::chrono::milliseconds;

// Go's transport keeps 25 idle connections for a host; a client of Kubernetes has one host.
constexpr long kIdleConnections = 25;
// The server's limit applies, not curl's 100, so that watches share one connection.
constexpr long kStreamsPerConnection = 10'000;
constexpr milliseconds kLongestWait{60'000};
constexpr std::size_t kUnanswered = 100;
// How long requests wait for a connection that is being opened because those that exist are full.
constexpr milliseconds kWaitForConnection{1'000};
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
    const std::shared_ptr<Clock>& clock = loop->shared_->settings.options.clock;
    if (clock != real_clock()) loop->alarm_.emplace(clock, loop->queue_);
    loop->thread_ = WorkerThread("kube-io", [loop] { loop->run(); });
    return loop;
  } catch (const std::system_error& e) {
    return Error(ErrorCode::Internal, std::string("the I/O thread can't be started: ") + e.what());
  }
}

IoLoop::IoLoop(std::shared_ptr<CurlShared> shared, MultiPtr multi)
    : shared_(std::move(shared)),
      multi_(std::move(multi)),
      queue_(std::make_shared<CommandQueue>(multi_.get())),
      pings_(shared_->settings.options.http2_read_idle_timeout,
             shared_->settings.options.http2_ping_timeout),
      tls_(shared_->settings.tls->current()) {}

void IoLoop::stop() {
  queue_->stop();
  thread_.join();  // later, if a handler dropped the last owner of the transport
}

void IoLoop::run() {
  const NoWaiting handles_responses;
  std::vector<Command> commands;
  while (work(commands)) {
    if (!queue_->end_turn()) continue;
    wait();
    queue_->begin_turn();
  }
  alarm_.reset();
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
  bool again = true;
  while (again) {
    give_to_curl();
    again = stepped_ && !prepared_.empty();
    perform();
    again = again && !holds_back();
  }
  check_deadlines();
  check_pings();
  give_to_curl();  // a response may have arrived
  return true;
}

void IoLoop::perform() {
  int running = 0;
  stepped_ = false;
  const CURLMcode performed = curl_multi_perform(multi_.get(), &running);
  if (performed != CURLM_OK) {
    end_all(ErrorCode::Internal, std::string("libcurl: ") + curl_multi_strerror(performed));
  }
  const auto upgraded = state_.upgraded;  // those that end leave the set
  for (CurlExchange* exchange : upgraded) exchange->check_peer();
  collect_finished();
  check_dialing();
  if (std::exchange(state_.connection_closed, false)) room_ = 0;
  const bool opening = state_.connections.opening_since().has_value();
  if (state_.connections.multiplexes() && !opening) room_ = std::max(room_, in_curl_);
}

void IoLoop::check_dialing() {
  if (state_.dialing.empty()) return;
  const auto dialing = state_.dialing;  // those whose handshake begins leave the set
  for (CurlExchange* exchange : dialing) {
    if (!exchange->has_dialed()) continue;
    deadlines_.erase({exchange->next_deadline(), exchange});
    exchange->begin_handshake(shared_->now());
    watch_deadline(*exchange);
  }
}

void IoLoop::check_pings() {
  if (std::exchange(state_.new_connection, false)) pings_.note_connection(now_);
  if (pings_.next() <= now_) pings_.check(state_.connections, now_);
}

void IoLoop::carry_out(const Command& command, bool stopping) {
  const std::shared_ptr<CurlExchange>& exchange = command.exchange;
  if (command.verb == Command::Verb::UseNewTls) {
    check_tls();
    return;
  }
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
  } else if (command.verb == Command::Verb::Write) {
    exchange->carry_out_write();
  } else if (exchange->carry_out_resume()) {
    end(exchange, exchange->end_result());
  }
}

void IoLoop::check_tls() {
  TlsRotation& rotation = *shared_->settings.tls;
  rotation.check_files();
  next_tls_check_ = rotation.has_files()
                        ? shared_->now() + shared_->settings.options.tls_check_period
                        : SteadyTime::max();
  std::shared_ptr<const TlsMaterial> current = rotation.current();
  if (current == tls_) return;
  tls_ = std::move(current);
  std::vector<std::shared_ptr<CurlExchange>> leaving;
  for (const auto& [key, exchange] : live_) {
    if (exchange->must_leave_for(tls_)) leaving.push_back(exchange);
  }
  for (const std::shared_ptr<CurlExchange>& exchange : leaving) {
    end(exchange, connection_retired().with_context(exchange->description()));
  }
  retiring_ = state_.connections.close_retired(tls_.get());
  room_ = 0;  // the open connections have none
}

void IoLoop::begin(const std::shared_ptr<CurlExchange>& exchange) {
  check_tls();
  if (Result<void> prepared = prepare(*exchange); !prepared) {
    exchange->finish(std::move(prepared));
    return;
  }
  live_.emplace(exchange.get(), exchange);
  watch_deadline(*exchange);
  prepared_.push_back(exchange);
}

Result<void> IoLoop::prepare(CurlExchange& exchange) {
  // Use a new handle each time: making one takes 2 us, and a used one may keep bytes of a paused
  // response (libcurl 7.88, when other streams are on the connection).
  CURL* easy = curl_easy_init();
  Result<void> prepared =
      easy != nullptr ? exchange.prepare(easy, state_)
                      : Result<void>(Error(ErrorCode::Internal, "libcurl is out of memory"));
  if (!prepared) {
    curl_easy_cleanup(easy);
    exchange.release();
  }
  return prepared;
}

void IoLoop::resend(const std::shared_ptr<CurlExchange>& exchange) {
  detach(*exchange);
  exchange->start_again();
  if (Result<void> prepared = prepare(*exchange); !prepared) {
    end(exchange, std::move(prepared));
    return;
  }
  prepared_.push_back(exchange);
}

// Until a connection's server has announced its maximum number of streams, libcurl (7.88) assumes
// 100, and opens a connection for each further request: a thousand watches at the start, or when a
// server comes back, would be as many connections. So they wait for the first response.
//
// When all connections are full, libcurl before 8.0 opens one for each request that comes until the
// first of the new ones is established (curl pull request 10456). So they wait for that one, but
// not for long: another stream may end meanwhile.
bool IoLoop::holds_back() const {
  if (!state_.newest_connection_answers && state_.unanswered >= kUnanswered) return true;
  if (!state_.connections.multiplexes()) return false;
  const std::optional<SteadyTime> opening = state_.connections.opening_since();
  return opening && shared_->now() < *opening + kWaitForConnection;
}

void IoLoop::give_to_curl() {
  while (!prepared_.empty() && !stepped_ && !holds_back()) {
    const std::shared_ptr<CurlExchange> exchange = prepared_.front().lock();
    prepared_.pop_front();
    if (!exchange || !live_.contains(exchange.get())) continue;  // cancelled meanwhile
    exchange->begun();
    ++in_curl_;
    stepped_ = state_.connections.multiplexes() && in_curl_ > room_;
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
  if (exchange.given_to_curl()) --in_curl_;
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
    if (exchange->is_to_be_resent(code, multi_.get())) {
      resend(exchange);
      continue;
    }
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
  now_ = shared_->now();
  if (retiring_) retiring_ = state_.connections.close_retired(tls_.get());
  if (now_ >= next_tls_check_) check_tls();
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

SteadyTime IoLoop::next_check(SteadyTime now) const {
  SteadyTime next = std::min(next_tls_check_, pings_.next());
  if (!deadlines_.empty()) next = std::min(next, deadlines_.begin()->first);
  if (const std::optional<SteadyTime> opening = state_.connections.opening_since();
      opening && !prepared_.empty() && now < *opening + kWaitForConnection) {
    next = std::min(next, *opening + kWaitForConnection);
  }
  return next;
}

void IoLoop::wait() {
  const SteadyTime now = shared_->now();
  const SteadyTime next = next_check(now);
  milliseconds timeout = kLongestWait;
  if (alarm_) {
    alarm_->set(next);
  } else if (next != SteadyTime::max()) {
    timeout = std::clamp(std::chrono::ceil<milliseconds>(next - now), milliseconds(0), timeout);
  }
  const bool blocked =
      !state_.progressed && std::any_of(live_.begin(), live_.end(), [](const auto& entry) {
        return entry.second->blocks_shared_connection();
      });
  if (blocked) {
    queue_->wait(std::min(timeout, kWaitWhileBlocked));
    return;
  }
  std::vector<curl_waitfd> peers;
  for (const CurlExchange* exchange : state_.upgraded) {
    if (const curl_socket_t socket = exchange->peer_socket(); socket != CURL_SOCKET_BAD) {
      peers.push_back({.fd = socket, .events = CURL_WAIT_POLLIN, .revents = 0});
    }
  }
  curl_multi_poll(multi_.get(), peers.data(), static_cast<unsigned>(peers.size()),
                  static_cast<int>(timeout.count()), nullptr);
}

}  // namespace kube::transport
