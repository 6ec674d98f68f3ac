// SPDX-License-Identifier: Apache-2.0
//
// Ports, listeners and the thread of a port forwarder.
#include <kube/remote/port_forward.hpp>

#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <kube/base/call_user_code.hpp>
#include <kube/base/printable.hpp>
#include <kube/base/worker_thread.hpp>
#include <kube/transport/no_waiting.hpp>

#include "forwarding.hpp"
#include "listen_address.hpp"
#include "pod_request.hpp"

namespace kube::portforward {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kBetweenAccepts{100};
constexpr const char* kTunnel = "SPDY/3.1+portforward.k8s.io";

Error invalid_port(std::string_view text, std::string_view why) {
  return {ErrorCode::InvalidArgument,
          "invalid port \"" + printable(text) + "\": " + std::string(why)};
}

std::optional<std::uint16_t> port_number(std::string_view text) {
  std::uint16_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string with_port(const std::string& ip, std::uint16_t port) {
  const bool is_v6 = ip.find(':') != std::string::npos;
  return (is_v6 ? "[" + ip + "]" : ip) + ":" + std::to_string(port);
}

Result<tcp::acceptor> listen(asio::io_context& context, const std::string& ip, std::uint16_t port) {
  error_code failed;
  const tcp::endpoint endpoint(asio::ip::make_address(ip), port);
  tcp::acceptor acceptor(context);
  acceptor.open(endpoint.protocol(), failed);
  if (!failed && endpoint.address().is_v6()) acceptor.set_option(asio::ip::v6_only(true), failed);
  if (!failed) acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
  if (!failed) acceptor.bind(endpoint, failed);
  if (!failed) acceptor.listen(tcp::acceptor::max_listen_connections, failed);
  if (!failed) return acceptor;
  return Error(ErrorCode::Unreachable, "unable to create listener: listen tcp " +
                                           with_port(ip, port) + ": " + failed.message());
}

}  // namespace

Result<std::vector<ForwardedPort>> parse_ports(const std::vector<std::string>& texts) {
  std::vector<ForwardedPort> ports;
  for (const std::string& text : texts) {
    const std::size_t colon = text.find(':');
    const bool has_local = colon != std::string::npos;
    const std::string local = has_local ? text.substr(0, colon) : text;
    const std::string remote = has_local ? text.substr(colon + 1) : text;
    const auto local_port =
        has_local && local.empty() ? std::optional<std::uint16_t>(0) : port_number(local);
    const auto remote_port = port_number(remote);
    if (!local_port || !remote_port) {
      return invalid_port(text, "expected [LOCAL:]REMOTE, with numbers up to 65535");
    }
    if (*remote_port == 0) return invalid_port(text, "remote port must be > 0");
    ports.push_back({*local_port, *remote_port});
  }
  return ports;
}

/// The forwarder's thread and what others ask of it.
class PortForwarder::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(const RestClient& client, std::vector<ForwardedPort> ports, Options options)
      : client_(client),
        options_(std::move(options)),
        ports_(std::move(ports)),
        forwarding_(std::make_shared<Forwarding>(context_, client.runtime().clock(),
                                                 client.runtime().logger)) {}

  Result<void> connect(Request request, std::stop_token stop);
  Result<void> listen_on_all(const std::vector<ListenAddress>& addresses);
  void run();

  const std::vector<ForwardedPort>& ports() const { return ports_; }
  Result<void> wait(std::stop_token stop);
  void stop();
  void join() { thread_.join(); }
  /// For one that never ran.
  void abandon() { forwarding_->close(); }

 private:
  Result<void> listen_on(ForwardedPort& port, const std::vector<ListenAddress>& addresses);
  void accept(std::size_t listener);
  void accept_later(std::size_t listener, const boost::system::error_code& failed);
  void finish(Result<void> outcome);
  void say(const std::function<void(std::string_view)>& to, const std::string& line) const;

  struct Listener {
    tcp::acceptor acceptor;
    ForwardedPort port;
    asio::steady_timer retry;
    bool failing = false;  // the last attempt to accept has failed
  };

  const RestClient client_;
  const Options options_;
  std::vector<ForwardedPort> ports_;  // fixed once run() was called
  const std::shared_ptr<asio::io_context> context_ = std::make_shared<asio::io_context>(1);
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work_;
  const std::shared_ptr<Forwarding> forwarding_;
  std::vector<Listener> listeners_;

  Mutex mutex_;
  CondVar ended_;
  std::optional<Result<void>> outcome_ KUBE_GUARDED_BY(mutex_);

  WorkerThread thread_;
};

void PortForwarder::Impl::say(const std::function<void(std::string_view)>& to,
                              const std::string& line) const {
  if (!to) return;
  const Result<void> said = call_user_code("a port forwarder's output", [&] { to(line); });
  if (!said) {
    KUBE_LOG(client_.runtime().logger, LogLevel::Error, "portforward", "output threw",
             {"error", said.error().to_string()});
  }
}

Result<void> PortForwarder::Impl::connect(Request request, std::stop_token stop) {
  auto socket = std::make_shared<transport::WebSocket>(
      transport::WebSocket::Options{.protocols = {kTunnel},
                                    .ping_period = std::chrono::seconds(10),
                                    .pong_timeout = std::chrono::seconds(61)},
      forwarding_, client_.runtime().executor);
  request.headers = socket->handshake_headers();
  forwarding_->connect(socket);
  socket->attach(client_.start(request, socket, stop));
  const auto opened = forwarding_->wait_for_open(std::move(stop));
  if (opened) return *opened;
  return Error(ErrorCode::Cancelled, "stopped while waiting for the server");
}

Result<void> PortForwarder::Impl::listen_on(ForwardedPort& port,
                                            const std::vector<ListenAddress>& addresses) {
  std::vector<Listener> made;
  std::string errors;
  bool required_failed = false;
  for (const ListenAddress& address : addresses) {
    Result<tcp::acceptor> acceptor = listen(*context_, address.ip, port.local);
    if (!acceptor) {
      errors.append(errors.empty() ? "" : ", ").append(acceptor.error().to_string());
      required_failed = required_failed || address.required;
      continue;
    }
    port.local = acceptor->local_endpoint().port();
    made.push_back({*std::move(acceptor), port, asio::steady_timer(*context_)});
  }
  if (required_failed || made.empty()) {
    return Error(ErrorCode::Unreachable,
                 "listeners failed to create with the following errors: [" + errors + "]");
  }
  for (Listener& listener : made) {
    const std::string ip = listener.acceptor.local_endpoint().address().to_string();
    say(options_.out,
        "Forwarding from " + with_port(ip, port.local) + " -> " + std::to_string(port.remote));
    listener.port = port;
    listeners_.push_back(std::move(listener));
  }
  return {};
}

Result<void> PortForwarder::Impl::listen_on_all(const std::vector<ListenAddress>& addresses) {
  std::string unusable;
  for (ForwardedPort& port : ports_) {
    const ForwardedPort wanted = port;
    const Result<void> listening = listen_on(port, addresses);
    if (listening) continue;
    port = wanted;
    say(options_.err, "Unable to listen on port " + std::to_string(port.local) + ": " +
                          listening.error().to_string());
    unusable.append(unusable.empty() ? "" : " ")
        .append("{" + std::to_string(port.local) + " " + std::to_string(port.remote) + "}");
  }
  if (!listeners_.empty()) return {};
  return Error(ErrorCode::Unreachable,
               "unable to listen on any of the requested ports: [" + unusable + "]");
}

void PortForwarder::Impl::run() {
  forwarding_->on_lost([weak = weak_from_this()](const Error& why) {
    const auto self = weak.lock();
    if (!self) return;
    // The token of start() ends the connection: it was stopped, not lost.
    self->finish(why.code() == ErrorCode::Cancelled
                     ? Result<void>()
                     : Error(ErrorCode::Unreachable, "lost connection to pod: " + why.to_string()));
  });
  for (std::size_t i = 0; i < listeners_.size(); ++i) accept(i);
  work_.emplace(asio::make_work_guard(*context_));
  thread_ = WorkerThread("kube-forward", [context = context_] { context->run(); });
}

void PortForwarder::Impl::accept(std::size_t listener) {
  listeners_[listener].acceptor.async_accept(
      [weak = weak_from_this(), listener](const error_code& failed, tcp::socket socket) {
        const auto self = weak.lock();
        if (!self || failed == asio::error::operation_aborted) return;
        if (failed) {
          self->accept_later(listener, failed);
          return;
        }
        self->listeners_[listener].failing = false;
        const ForwardedPort port = self->listeners_[listener].port;
        self->say(self->options_.out, "Handling connection for " + std::to_string(port.local));
        self->forwarding_->add(std::move(socket), port);
        self->accept(listener);
      });
}

// The system refuses at once as long as it has, say, no file descriptor for the connection, which
// waits meanwhile. A series of failures is reported once.
void PortForwarder::Impl::accept_later(std::size_t listener, const error_code& failed) {
  Listener& from = listeners_[listener];
  const std::string port = std::to_string(from.port.local);
  const bool first = !std::exchange(from.failing, true);
  KUBE_LOG(client_.runtime().logger, first ? LogLevel::Warning : LogLevel::Debug, "portforward",
           "could not accept a connection", {"local_port", port}, {"error", failed.message()});
  if (first) {
    say(options_.err, "error accepting connection on port " + port + ": " + failed.message());
  }
  from.retry.expires_after(kBetweenAccepts);
  from.retry.async_wait([weak = weak_from_this(), listener](const error_code& cancelled) {
    const auto self = weak.lock();
    if (self && !cancelled) self->accept(listener);
  });
}

void PortForwarder::Impl::finish(Result<void> outcome) {
  {
    const MutexLock lock(mutex_);
    if (outcome_) return;
    outcome_ = std::move(outcome);
  }
  ended_.notify_all();
  for (Listener& listener : listeners_) {
    error_code ignored;
    listener.acceptor.close(ignored);
    listener.retry.cancel();
  }
  forwarding_->close();
  work_.reset();
}

Result<void> PortForwarder::Impl::wait(std::stop_token stop) {
  {
    MutexLock lock(mutex_);
    if (!outcome_) {
      if (auto allowed = transport::may_wait(); !allowed) return allowed;
      if (context_->get_executor().running_in_this_thread()) {
        return Error(ErrorCode::InvalidArgument,
                     "a call that waits for the forwarding was made by its output function, and "
                     "would never end; call it from another thread");
      }
    }
    client_.runtime().clock()->wait_until(lock, ended_, TimePoint::max(), std::move(stop),
                                          [this]() KUBE_REQUIRES(mutex_) { return !!outcome_; });
    if (outcome_) return *outcome_;
  }
  this->stop();
  return {};
}

void PortForwarder::Impl::stop() {
  asio::post(*context_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->finish({});
  });
}

PortForwarder::PortForwarder(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

PortForwarder::~PortForwarder() {
  impl_->stop();
  impl_->join();
}

Result<std::unique_ptr<PortForwarder>> PortForwarder::start(const RestClient& client,
                                                            std::string_view namespace_,
                                                            std::string_view pod,
                                                            std::vector<ForwardedPort> ports,
                                                            Options options, std::stop_token stop) {
  if (const auto allowed = transport::may_wait(); !allowed) return allowed.error();
  if (ports.empty()) {
    return Error(ErrorCode::InvalidArgument, "you must specify at least 1 port");
  }
  const Result<std::vector<ListenAddress>> addresses = parse_addresses(options.addresses);
  if (!addresses) return addresses.error();
  Result<Request> request = pod_request(namespace_, pod, "portforward", {});
  if (!request) return request.error();
  auto impl = std::make_shared<Impl>(client, std::move(ports), std::move(options));
  Result<void> ready = impl->connect(*std::move(request), std::move(stop));
  if (ready) ready = impl->listen_on_all(*addresses);
  if (!ready) {
    impl->abandon();
    return ready.error();
  }
  impl->run();
  return std::unique_ptr<PortForwarder>(new PortForwarder(std::move(impl)));
}

const std::vector<ForwardedPort>& PortForwarder::ports() const& {
  return impl_->ports();
}
Result<void> PortForwarder::wait(std::stop_token stop) {
  return impl_->wait(std::move(stop));
}
void PortForwarder::stop() {
  impl_->stop();
}

}  // namespace kube::portforward
