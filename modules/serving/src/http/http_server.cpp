// SPDX-License-Identifier: Apache-2.0
#include "http/http_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/strand.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <future>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kube/base/mutex.hpp>

#include "http/http_connection.hpp"

namespace kube::serving {

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

using Endpoint = asio::generic::stream_protocol::endpoint;

Result<Endpoint> endpoint_of(const HttpServer::Options& options) {
  if (!options.unix_path.empty()) {
    constexpr std::size_t kMaxPath = 107;  // of sockaddr_un
    if (options.unix_path.size() > kMaxPath) {
      return Error(ErrorCode::InvalidArgument, "unix socket \"" + options.unix_path +
                                                   "\": expected a path of at most 107 bytes");
    }
    return Endpoint(asio::local::stream_protocol::endpoint(options.unix_path));
  }
  boost::system::error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) {
    return Error(ErrorCode::InvalidArgument,
                 "address \"" + options.address + "\": expected an IP address");
  }
  return Endpoint(tcp::endpoint(address, options.port));
}

tcp::endpoint tcp_endpoint(const Endpoint& bound) {
  tcp::endpoint out;
  std::memcpy(out.data(), bound.data(), std::min(bound.size(), out.capacity()));
  return out;
}

}  // namespace

struct HttpServer::Impl : std::enable_shared_from_this<HttpServer::Impl> {
  using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;

  Impl(Options options, IoThreads& io, Executor& timers, Ids& ids, Callbacks callbacks)
      : io_(io),
        acceptor_(asio::make_strand(io.context())),
        shared_(new ConnectionShared{std::move(options), timers, ids, std::move(callbacks)}) {}

  Result<void> listen() {
    if (auto read = read_certificate(); !read) return read;
    boost::system::error_code error;
    const auto endpoint = endpoint_of(shared_->options);
    if (!endpoint) return endpoint.error();
    const auto failed = [this](const boost::system::error_code& why) {
      const Options& options = shared_->options;
      const std::string where = options.unix_path.empty()
                                    ? options.address + ":" + std::to_string(options.port)
                                    : options.unix_path;
      return Error(ErrorCode::Unreachable, "can't listen on " + where + ": " + why.message());
    };
    acceptor_.open(endpoint->protocol(), error);
    if (error) return failed(error);
    close_on_exec(acceptor_);
    acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (is_unix()) {
      if (auto removed = remove_stale_socket(); !removed) return removed;
    }
    acceptor_.bind(*endpoint, error);
    if (error) return failed(error);
    has_socket_file_ = is_unix();
    // Before listen(): nobody can connect yet.
    if (is_unix() && ::chmod(shared_->options.unix_path.c_str(), S_IRUSR | S_IWUSR) != 0) {
      return failed({errno, boost::system::system_category()});
    }
    acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return failed(error);
    acceptor_.non_blocking(true, error);
    if (error) return failed(error);
    const auto bound = acceptor_.local_endpoint(error);
    if (error) return failed(error);
    if (!is_unix()) bound_ = tcp_endpoint(bound);
    asio::post(acceptor_.get_executor(), [self = shared_from_this()] { self->accept(); });
    return {};
  }

  bool is_unix() const { return !shared_->options.unix_path.empty(); }

  Result<void> read_certificate() {
    const Options& options = shared_->options;
    if (options.tls_cert_file.empty()) return {};
    auto tls = std::make_unique<TlsFiles>(options.tls_cert_file, options.tls_key_file);
    if (auto read = tls->read(); !read) return read.error();
    shared_->tls = std::move(tls);
    return {};
  }

  // The socket of a server that has ended would be in the way; that of one that listens stays.
  Result<void> remove_stale_socket() {
    const std::string& path = shared_->options.unix_path;
    struct ::stat status {};
    if (::lstat(path.c_str(), &status) != 0) return {};
    if (!S_ISSOCK(status.st_mode)) {
      return Error(ErrorCode::InvalidArgument,
                   "can't listen on " + path + ": it is not a socket; expected a path that does " +
                       "not exist, or the socket of a server that has ended");
    }
    boost::system::error_code error;
    asio::local::stream_protocol::socket probe(io_.context());
    probe.connect(path, error);
    if (error == asio::error::connection_refused) ::unlink(path.c_str());
    return {};
  }

  // Without a free descriptor accept() fails even when no client connects; then no connection has
  // to be closed.
  bool has_client() {
    pollfd waiting{acceptor_.native_handle(), POLLIN, 0};
    return ::poll(&waiting, 1, 0) == 1;
  }

  void accept() {
    acceptor_.async_wait(Acceptor::wait_read,
                         [self = shared_from_this()](const boost::system::error_code& error) {
                           if (self->shared_->stopping.load() || error) return;
                           self->accept_one();
                         });
  }

  void accept_one() {
    boost::system::error_code error;
    Socket socket(asio::make_strand(io_.context()));
    acceptor_.accept(socket, error);
    if (!error) {
      close_on_exec(socket);
      take(std::move(socket));
    } else if (error != asio::error::would_block && error != asio::error::try_again &&
               error != asio::error::connection_aborted && has_client()) {
      return pause();
    }
    accept();
  }

  // There is no descriptor or memory for another connection. A connection that is idle, or has no
  // whole request yet, is closed; when any connection ends, forget() ends the pause. Other parts of
  // the process may also free descriptors, so the pause has a limit.
  void pause() {
    const std::uint64_t number = ++pauses_;
    pausing_.store(number);
    if (const auto idle = shared_->idle.take_first()) idle->give_way();
    pause_ = shared_->timers.submit_after(kAcceptPause, [weak = weak_from_this(), number] {
      if (const auto self = weak.lock()) self->end_pause(number);
    });
  }

  void end_pause(std::uint64_t number) {
    if (number == 0) return;
    asio::post(acceptor_.get_executor(), [weak = weak_from_this(), number]() mutable {
      const auto self = weak.lock();
      if (!self || !self->pausing_.compare_exchange_strong(number, 0)) return;
      self->pause_.cancel();
      if (!self->shared_->stopping.load()) self->accept();
    });
  }

  void take(Socket socket) {
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
    end_pause(pausing_.load());
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

  // In real time: a stop ends, whether or not the test moves its clock.
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
      if (self->has_socket_file_) ::unlink(self->shared_->options.unix_path.c_str());
      closed->set_value();
    });
    // No client can connect once stop() has returned.
    closed->get_future().wait_for(shared_->options.stop_timeout);
    for_each([](Connection& connection) { connection.finish(); });
    if (wait_until_none(shared_->options.stop_timeout)) return;
    for_each([](Connection& connection) { connection.cut_short(); });
    // Such a connection ends at once; the limit is for a client that does not take its response,
    // and for a machine that hangs.
    wait_until_none(std::chrono::seconds(5));
  }

  IoThreads& io_;
  Acceptor acceptor_;
  Timer pause_;
  std::uint64_t pauses_ = 0;               // On the acceptor's strand.
  std::atomic<std::uint64_t> pausing_{0};  // The number of the pause under way; 0 for none.
  std::shared_ptr<ConnectionShared> shared_;
  tcp::endpoint bound_;
  bool has_socket_file_ = false;
  mutable Mutex mutex_;
  CondVar none_left_;
  std::unordered_map<Connection*, std::weak_ptr<Connection>> connections_ KUBE_GUARDED_BY(mutex_);
};

HttpServer::HttpServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  stop();
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(Options options, IoThreads& io,
                                                       Executor& timers, Ids& ids,
                                                       Callbacks callbacks) {
  auto impl = std::make_shared<Impl>(std::move(options), io, timers, ids, std::move(callbacks));
  if (auto listening = impl->listen(); !listening) return listening.error();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const {
  return impl_->bound_.port();
}

std::string HttpServer::url() const {
  // As clients take it, in any working directory.
  if (impl_->is_unix()) {
    std::error_code unknown;
    const auto path = std::filesystem::absolute(address(), unknown);
    return "unix://" + (unknown ? address() : path.string());
  }
  return (impl_->shared_->tls ? "https://" : "http://") + address();
}

std::string HttpServer::address() const {
  if (impl_->is_unix()) return impl_->shared_->options.unix_path;
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

Result<bool> HttpServer::read_certificate() {
  if (!impl_->shared_->tls) return false;
  return impl_->shared_->tls->read();
}

void HttpServer::drop_connections() {
  impl_->for_each([](Connection& connection) { connection.drop(); });
}

void HttpServer::send_bookmarks() {
  impl_->for_each([](Connection& connection) { connection.bookmark_watch(); });
}

void HttpServer::end_watches() {
  impl_->for_each([](Connection& connection) { connection.end_watch(); });
}

void HttpServer::stop() {
  impl_->stop();
}

}  // namespace kube::serving
