// SPDX-License-Identifier: Apache-2.0
#include "http/http_server.hpp"

#include <fcntl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <future>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kube/base/mutex.hpp>

#include "http/http_connection.hpp"

namespace kube::apiserver {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

// The pause after running out of file descriptors or memory, which may become free again.
constexpr auto kAcceptPause = std::chrono::milliseconds(50);

// Connections above Options::max_connections that get a response; others are closed at once.
constexpr std::size_t kMaxTurnedAway = 64;

// A program started by this process must not keep the port or a connection open.
template <class Socket>
void close_on_exec(Socket& socket) {
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
}

}  // namespace

struct HttpServer::Impl : std::enable_shared_from_this<HttpServer::Impl> {
  Impl(const ApiServer::Options& options, IoThreads& io, Executor& timers, Ids& ids,
       Callbacks callbacks)
      : io_(io),
        acceptor_(asio::make_strand(io.context())),
        pause_(acceptor_.get_executor()),
        shared_(new ConnectionShared{options, timers, ids, std::move(callbacks)}) {}

  Result<void> listen() {
    const auto failed = [this](const boost::system::error_code& error) {
      return Error(ErrorCode::Unreachable, "can't listen on " + shared_->options.address + ":" +
                                               std::to_string(shared_->options.port) + ": " +
                                               error.message());
    };
    boost::system::error_code error;
    const auto address = asio::ip::make_address(shared_->options.address, error);
    if (error) {
      return Error(ErrorCode::InvalidArgument,
                   "address \"" + shared_->options.address + "\": expected an IP address");
    }
    const tcp::endpoint endpoint(address, shared_->options.port);
    acceptor_.open(endpoint.protocol(), error);
    if (error) return failed(error);
    close_on_exec(acceptor_);
    acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    acceptor_.bind(endpoint, error);
    if (error) return failed(error);
    acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return failed(error);
    acceptor_.non_blocking(true, error);
    if (error) return failed(error);
    bound_ = acceptor_.local_endpoint(error);
    if (error) return failed(error);
    asio::post(acceptor_.get_executor(), [self = shared_from_this()] { self->accept(); });
    return {};
  }

  // Waits before it accepts: without a free descriptor accept() fails even when no client connects,
  // and then no connection has to be closed.
  void accept() {
    acceptor_.async_wait(tcp::acceptor::wait_read,
                         [self = shared_from_this()](const boost::system::error_code& error) {
                           if (self->shared_->stopping.load() || error) return;
                           self->accept_one();
                         });
  }

  void accept_one() {
    boost::system::error_code error;
    tcp::socket socket(asio::make_strand(io_.context()));
    acceptor_.accept(socket, error);
    if (!error) {
      close_on_exec(socket);
      take(std::move(socket));
    } else if (error != asio::error::would_block && error != asio::error::try_again &&
               error != asio::error::connection_aborted) {
      return pause();
    }
    accept();
  }

  // There is no descriptor or memory for another connection. A connection that is idle, or has no
  // whole request yet, is closed; when any connection ends, forget() ends the pause. Other parts of
  // the process may also free descriptors, so the pause has a limit.
  void pause() {
    if (const auto idle = shared_->idle.take_first()) idle->give_way();
    pause_.expires_after(kAcceptPause);
    pausing_.store(true);
    pause_.async_wait([self = shared_from_this()](const boost::system::error_code&) {
      self->pausing_.store(false);
      if (!self->shared_->stopping.load()) self->accept();
    });
  }

  void take(tcp::socket socket) {
    auto connection = std::make_shared<Connection>(
        std::move(socket), shared_,
        [self = shared_from_this()](Connection* gone) { self->forget(gone); });
    std::size_t before = 0;
    {
      const MutexLock lock(mutex_);
      before = connections_.size();
      connections_.emplace(connection.get(), connection);
    }
    const std::size_t max = shared_->options.max_connections;
    std::shared_ptr<Connection> idle;
    if (before >= max) idle = shared_->idle.take_first();
    if (idle) idle->give_way();
    if (before < max || idle) {
      connection->start();
    } else if (before < max + kMaxTurnedAway) {
      connection->turn_away();
    }
    // stop() may have read the list just before.
    if (shared_->stopping.load()) connection->finish();
  }

  void forget(Connection* connection) {
    {
      const MutexLock lock(mutex_);
      connections_.erase(connection);
      if (connections_.empty()) none_left_.notify_all();
    }
    if (!pausing_.load()) return;
    asio::post(acceptor_.get_executor(), [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->pause_.cancel();
    });
  }

  template <class F>
  void for_each(const F& f) {
    std::vector<std::shared_ptr<Connection>> all;
    {
      const MutexLock lock(mutex_);
      for (const auto& [key, weak] : connections_) {
        if (auto connection = weak.lock()) all.push_back(std::move(connection));
      }
    }
    for (const auto& connection : all) f(*connection);
  }

  bool wait_until_none(Duration timeout) {
    MutexLock lock(mutex_);
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!connections_.empty()) {
      if (none_left_.wait_until(lock, deadline) == std::cv_status::timeout) {
        return connections_.empty();
      }
    }
    return true;
  }

  void stop() {
    if (shared_->stopping.exchange(true)) return;
    const auto closed = std::make_shared<std::promise<void>>();
    asio::post(acceptor_.get_executor(), [self = shared_from_this(), closed] {
      boost::system::error_code ignored;
      self->acceptor_.close(ignored);
      self->pause_.cancel();
      closed->set_value();
    });
    // No client can connect once stop() has returned.
    closed->get_future().wait_for(shared_->options.stop_timeout);
    for_each([](Connection& connection) { connection.finish(); });
    if (wait_until_none(shared_->options.stop_timeout)) return;
    for_each([](Connection& connection) { connection.drop(); });
    // A dropped connection ends at once; the limit is for a machine that hangs.
    wait_until_none(std::chrono::seconds(5));
  }

  IoThreads& io_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::atomic<bool> pausing_{false};
  std::shared_ptr<ConnectionShared> shared_;
  tcp::endpoint bound_;
  mutable Mutex mutex_;
  CondVar none_left_;
  std::unordered_map<Connection*, std::weak_ptr<Connection>> connections_ KUBE_GUARDED_BY(mutex_);
};

HttpServer::HttpServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  stop();
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const ApiServer::Options& options,
                                                       IoThreads& io, Executor& timers, Ids& ids,
                                                       Callbacks callbacks) {
  auto impl = std::make_shared<Impl>(options, io, timers, ids, std::move(callbacks));
  if (auto listening = impl->listen(); !listening) return listening.error();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const {
  return impl_->bound_.port();
}

std::string HttpServer::address() const {
  const auto address = impl_->bound_.address();
  const std::string host = address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
  return host + ":" + std::to_string(port());
}

std::size_t HttpServer::connections() const {
  const MutexLock lock(impl_->mutex_);
  return impl_->connections_.size();
}

std::size_t HttpServer::idle() const {
  return impl_->shared_->idle.idle();
}

std::uint64_t HttpServer::requests() const {
  return impl_->shared_->requests.load();
}

void HttpServer::drop_connections() {
  impl_->for_each([](Connection& connection) { connection.drop(); });
}

void HttpServer::end_watches() {
  impl_->for_each([](Connection& connection) { connection.end_watch(); });
}

void HttpServer::stop() {
  impl_->stop();
}

}  // namespace kube::apiserver
