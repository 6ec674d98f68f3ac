// SPDX-License-Identifier: Apache-2.0
#include "fault_server.hpp"

#include <algorithm>
#include <utility>

namespace faults {
namespace {

using kube::transport::LoopbackServer;
using kube::transport::Peer;

constexpr std::chrono::seconds kSecond{1};
constexpr std::chrono::milliseconds kDown{200};  // between two restarts

}  // namespace

void Tally::add() {
  const Instant now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  when_.push_back(now);
}

std::size_t Tally::count(Instant from, Instant to) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(
      when_.begin(), when_.end(), [&](Instant when) { return from <= when && when < to; }));
}

std::size_t Tally::most_in_a_second(Instant from, Instant to) const {
  const std::lock_guard lock(mutex_);
  std::vector<Instant> inside;
  std::copy_if(when_.begin(), when_.end(), std::back_inserter(inside),
               [&](Instant when) { return from <= when && when < to; });
  std::sort(inside.begin(), inside.end());
  std::size_t most = 0;
  for (std::size_t first = 0, next = 0; first < inside.size(); ++first) {
    while (next < inside.size() && inside[next] < inside[first] + kSecond) ++next;
    most = std::max(most, next - first);
  }
  return most;
}

Incarnation::Incarnation(FaultServer& server, Serve serve, Certificate certificate, bool http2)
    : server_(server) {
  LoopbackServer::Options options;
  options.port = server.port_.number();
  options.on_accept = [&server] { server.connections_.add(); };
  if (certificate != Certificate::None) {
    const auto& authority =
        certificate == Certificate::Stranger ? server.stranger_ : server.authority_;
    options.tls.emplace();
    options.tls->certificate = authority.server(
        {certificate == Certificate::OtherName ? "elsewhere.example" : "127.0.0.1"});
    if (http2) options.tls->protocols = {"h2"};
  }
  listener_.emplace(
      [this, serve = std::move(serve)](Peer& peer) {
        Connection connection(peer, *this);
        serve(connection);
      },
      std::move(options));
}

Incarnation::~Incarnation() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  changed_.notify_all();
}

bool Incarnation::pause(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this] { return over_; });
}

bool Connection::pause(std::chrono::milliseconds time) {
  return life_.pause(time);
}

void Connection::hang() {
  life_.pause(std::chrono::hours(1));
}

void Connection::count(Call& call) {
  FaultServer& server = life_.server();
  server.requests_.add();
  call.nth = server.calls_[static_cast<std::size_t>(call.kind)]++;
}

Call Call::of(std::string method, std::string_view target) {
  Call call;
  call.method = std::move(method);
  const std::size_t mark = std::min(target.find('?'), target.size());
  call.path = target.substr(0, mark);
  for (std::string_view rest = target.substr(std::min(mark + 1, target.size())); !rest.empty();) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    call.query.emplace(pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size())));
  }
  if (call.method == "GET" && call.path.ends_with("/pods")) {
    call.kind = call.parameter("watch") == "true" ? CallKind::Watch : CallKind::List;
  }
  return call;
}

void serve_http(Connection& connection, const Answer& answer) {
  while (auto request = connection.peer().read_request()) {
    Call call = Call::of(std::move(request->method), request->target);
    call.body = std::move(request->body);
    connection.count(call);
    if (!answer(connection, call)) return;
  }
}

FaultServer::~FaultServer() {
  restarter_ = {};
  die();
}

std::string FaultServer::url() const {
  return (scenario_.setup.https ? "https://127.0.0.1:" : "http://127.0.0.1:") +
         std::to_string(port_.number());
}

std::string FaultServer::ca() const {
  return scenario_.setup.https ? authority_.certificate() : std::string();
}

std::uint64_t FaultServer::bytes_sent() const {
  const std::lock_guard lock(mutex_);
  return sent_by_former_ + (life_ ? life_->sent() : 0);
}

void FaultServer::live(Incarnation::Serve serve, Certificate certificate, bool http2) {
  auto life = std::make_unique<Incarnation>(*this, std::move(serve), certificate, http2);
  const std::lock_guard lock(mutex_);
  life_ = std::move(life);
}

void FaultServer::die() {
  std::unique_ptr<Incarnation> former;
  {
    const std::lock_guard lock(mutex_);
    if (life_) sent_by_former_ += life_->sent();
    former = std::move(life_);
  }
}

void FaultServer::serve_faulty(Connection& connection) {
  if (scenario_.connection) {
    scenario_.connection(connection);
    return;
  }
  serve_http(connection, [this](Connection& to, const Call& call) {
    const Answer& own = call.kind == CallKind::List    ? scenario_.list
                        : call.kind == CallKind::Watch ? scenario_.watch
                                                       : scenario_.other;
    return own ? own(to, call) : before_.answer(to, call);
  });
}

void FaultServer::misbehave() {
  if (!scenario_.listens) return;
  const auto begin = [this] {
    live([this](Connection& connection) { serve_faulty(connection); }, scenario_.certificate,
         scenario_.http2);
  };
  begin();
  if (scenario_.restart_every.count() == 0) return;
  restarter_ = std::jthread([this, begin](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    const auto wait = [&](std::chrono::milliseconds time) {
      never.wait_for(lock, stop, time, [] { return false; });
      return !stop.stop_requested();
    };
    while (wait(scenario_.restart_every)) {
      die();
      if (!wait(kDown)) return;
      begin();
    }
  });
}

void FaultServer::mend() {
  restarter_ = {};
  if (!scenario_.cut_to_mend) return;
  die();
  live(
      [this](Connection& connection) {
        serve_http(connection,
                   [this](Connection& to, const Call& call) { return after_.answer(to, call); });
      },
      scenario_.setup.https ? Certificate::Good : Certificate::None, false);
}

}  // namespace faults
