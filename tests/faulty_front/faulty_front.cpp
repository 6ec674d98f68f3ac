// SPDX-License-Identifier: Apache-2.0
#include "faulty_front.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <strings.h>

#include "curl_answers.hpp"
#include "response_reader.hpp"

namespace faulty_front {

using namespace std::chrono_literals;
using kube::transport::chunk;
using kube::transport::LoopbackServer;
using kube::transport::Peer;

namespace {

constexpr auto kLongestSilence = 20s;

// The lines of a request as the server gets them.
std::string onward_head(const std::string& head, const Fate& fate) {
  std::string out;
  for (std::size_t begin = 0; begin < head.size();) {
    const std::size_t end = head.find("\r\n", begin) + 2;
    const std::string line = head.substr(begin, end - begin);
    begin = end;
    const bool is_edited = static_cast<bool>(fate.piece);
    if (is_edited && strncasecmp(line.c_str(), "Accept-Encoding:", 16) == 0) continue;
    if (fate.json && strncasecmp(line.c_str(), "Accept:", 7) == 0) {
      out += "Accept: application/json\r\n";
      continue;
    }
    out += line;
  }
  return out + "Connection: close\r\n\r\n";
}

}  // namespace

void Way::write(std::string_view bytes) {
  if (!bytes.empty()) raw(chunk(bytes));
}

void Way::raw(std::string_view bytes) {
  if (over_) return;
  written_ += bytes;
  over_ = client_is_gone_ = !peer_.write(bytes);
}

void Way::pause(std::chrono::milliseconds time) {
  if (!over_ && !front_.pause(peer_, time)) over_ = client_is_gone_ = true;
}

void Way::end() {
  raw("0\r\n\r\n");
  over_ = true;
}

void Way::cut() {
  if (!over_) peer_.reset();
  over_ = true;
}

void Way::hold() {
  if (!over_) front_.be_silent(peer_, true);
  cut();
}

bool Way::edit(const std::function<void(const std::string& piece, Way& way)>& edit,
               const std::string& piece) {
  written_.clear();
  edit(piece, *this);
  return !client_is_gone_ && (over_ || written_ != chunk(piece));
}

std::string http_response(std::string_view status, std::string_view headers,
                          std::string_view body) {
  std::string out = "HTTP/1.1 ";
  out.append(status).append("\r\n").append(headers);
  out.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  return out.append(body);
}

std::string status_response(std::string_view status, std::string_view reason, int code,
                            std::string_view headers) {
  std::string body =
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"injected",)";
  body.append(R"("reason":")").append(reason).append(R"(","code":)");
  body.append(std::to_string(code)).append("}");
  return http_response(status, std::string(headers) + "Content-Type: application/json\r\n", body);
}

bool is_watch(const Request& request) {
  return request.target.find("watch=") != std::string::npos;
}

FaultyFront::FaultyFront(int api_server_port, Fates fates)
    : api_server_port_(api_server_port), fates_(std::move(fates)) {
  come_back();
}

FaultyFront::~FaultyFront() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  leave();
}

void FaultyFront::set_faulty(bool faulty) {
  const std::lock_guard lock(mutex_);
  faulty_ = faulty;
  changed_.notify_all();
}

void FaultyFront::cut() {
  {
    const std::lock_guard lock(mutex_);
    ++counts_["all cut"];
  }
  const std::lock_guard lock(server_mutex_);
  if (server_) server_->cut();
}

void FaultyFront::leave() {
  std::unique_ptr<LoopbackServer> server;
  const std::lock_guard lock(server_mutex_);
  server = std::move(server_);
}

void FaultyFront::come_back() {
  const std::lock_guard lock(server_mutex_);
  if (server_) return;
  server_ = std::make_unique<LoopbackServer>([this](Peer& peer) { serve(peer); },
                                             LoopbackServer::Options{.port = port_.number()});
}

std::map<std::string, std::uint64_t> FaultyFront::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::uint64_t FaultyFront::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

Fate FaultyFront::draw(const Request& request) {
  const std::lock_guard lock(mutex_);
  Fate fate;
  if (faulty_) fate = fates_(request);
  if (fate.name.empty()) fate.name = "passed on";
  ++requests_;
  ++counts_[fate.piece ? "edited" : fate.name];
  return fate;
}

void FaultyFront::serve(Peer& peer) {
  while (const auto request = peer.read_request()) {
    const Fate fate = draw(*request);
    if (fate.wait > 0ms && !pause(peer, fate.wait)) return;
    if (fate.answer.empty()) {
      const bool edited = fate.head || fate.piece;
      if (!(edited ? pass_on_edited(peer, *request, fate) : pass_on(peer, *request, fate))) {
        peer.reset();
      }
      return;
    }
    if (fate.is_carried_out) {
      const Socket server(api_server_port_);
      if (!server.write(onward_head(request->head, fate) + request->body)) return;
      while (server.read(std::numeric_limits<std::size_t>::max()).value_or("more") != "") {
      }
    }
    if (!peer.write(fate.answer)) return;
  }
}

// Returns false when the connection is to be cut.
bool FaultyFront::pass_on(Peer& peer, const Request& request, const Fate& fate) {
  const Socket server(api_server_port_);
  if (!server.is_open()) return false;
  if (!server.write(onward_head(request.head, fate) + request.body)) return false;
  std::size_t left = fate.bytes.value_or(std::numeric_limits<std::size_t>::max());
  // What was carried out is so before the connection breaks.
  if (left == 0 && request.method != "GET") {
    while (!server.read(1)) {
    }
  }
  while (left > 0) {
    const std::optional<std::string> got = server.read(left);
    if (!got) {
      if (peer.stirs_within(0ms)) return true;  // the client has closed
      continue;
    }
    if (got->empty() || !peer.write(*got)) return true;
    left -= got->size();
  }
  if (fate.silent) be_silent(peer, false);
  return false;
}

bool FaultyFront::pass_on_edited(Peer& peer, const Request& request, const Fate& fate) {
  const Socket server(api_server_port_);
  if (!server.is_open()) return false;
  if (!server.write(onward_head(request.head, fate) + request.body)) return false;
  const auto edited = fate.piece;
  const auto edit = [&](const std::string& piece, Way& way) {
    if (!way.edit(edited, piece)) return;
    const std::lock_guard lock(mutex_);
    ++counts_[fate.name];
  };
  const bool events = is_watch(request);
  ResponseReader response;
  Way way(*this, peer);
  bool has_begun = false;
  bool open = true;
  while (open && !way.is_over()) {
    const auto got = server.read(std::numeric_limits<std::size_t>::max());
    if (!got) {
      if (peer.stirs_within(0ms)) return true;  // the client has closed
      continue;
    }
    open = !got->empty();
    response.add(*got);
    if (!response.has_head()) continue;
    if (!std::exchange(has_begun, true)) {
      std::string head = response.head();
      if (fate.head) fate.head(head);
      way.raw(head + "Transfer-Encoding: chunked\r\n\r\n");
    }
    const bool is_edited = edited && response.is_ok();
    while (events && is_edited && !way.is_over()) {
      const std::string event = response.take_event();
      if (event.empty()) break;
      edit(event, way);
    }
    open = open && !response.is_whole();
    if (!is_edited) way.write(response.take_body());
    if (!events && is_edited && !open) edit(response.take_body(), way);
  }
  if (!way.is_over()) way.end();
  return true;
}

void FaultyFront::be_silent(Peer& peer, bool stays) {
  const auto end = std::chrono::steady_clock::now() + kLongestSilence;
  while (std::chrono::steady_clock::now() < end && !peer.stirs_within(0ms)) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, 50ms, [&] { return closing_ || (!faulty_ && !stays); })) return;
  }
}

bool FaultyFront::pause(Peer& peer, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  for (auto now = end - time; now < end; now = std::chrono::steady_clock::now()) {
    if (peer.stirs_within(0ms)) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now);
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::min(left, 50ms), [this] { return closing_; })) return false;
  }
  return true;
}

}  // namespace faulty_front
