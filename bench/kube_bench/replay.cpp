// SPDX-License-Identifier: Apache-2.0
#include "replay.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <kube/codec/protobuf.hpp>
#include <kube/codec/watch_frames.hpp>

namespace kube::bench {
namespace {

constexpr std::size_t kBytesAtOnce = std::size_t{256} << 10;
constexpr auto kPace = std::chrono::milliseconds(10);
// How often a watch without events looks whether its client is still there.
constexpr auto kLookAtClient = std::chrono::seconds(1);

bool has_closed(int connection) {
  char byte = 0;
  return ::recv(connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/// Returns the number after `name` in the line of a request; 0 without it.
std::uint64_t number_after(std::string_view line, std::string_view name) {
  const auto at = line.find(name);
  return at == std::string_view::npos ? 0
                                      : std::strtoull(line.data() + at + name.size(), nullptr, 10);
}

/// Sends `bytes` as a chunk of HTTP/1.1.
bool send_chunk(int connection, std::string_view bytes) {
  std::array<char, 20> size{};
  const int length = std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  return send_all(connection, {size.data(), static_cast<std::size_t>(length)}) &&
         send_all(connection, bytes) && send_all(connection, "\r\n");
}

void put_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::size_t varint_size(std::uint64_t value) {
  std::size_t size = 1;
  while ((value >>= 7) != 0) ++size;
  return size;
}

std::string head_of(std::string_view type, std::string_view framing) {
  return "HTTP/1.1 200 OK\r\nContent-Type: " + std::string(type) + "\r\n" + std::string(framing) +
         "\r\n\r\n";
}

std::string_view list_type(bool protobuf) {
  return protobuf ? "application/vnd.kubernetes.protobuf" : "application/json";
}

bool answer(int connection, std::string_view status, std::string_view body) {
  return send_all(connection, "HTTP/1.1 " + std::string(status) +
                                  "\r\nContent-Type: application/json\r\nContent-Length: " +
                                  std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
}

}  // namespace

ReplayServer::ReplayServer(std::size_t pods, std::size_t bytes, std::size_t namespaces)
    : count_(pods), namespaces_(namespaces), pods_(bytes, namespaces) {}

void ReplayServer::serve() {
  for (;;) {
    const int connection = ::accept4(listener_.socket, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    const int on = 1;
    ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    std::thread([this, connection] {
      respond(connection);
      ::close(connection);
    }).detach();
  }
}

void ReplayServer::respond(int connection) {
  for (;;) {
    const std::string head = read_head(connection);
    if (head.empty()) return;
    const std::string_view line = std::string_view(head).substr(0, head.find('\r'));
    const bool protobuf = head.find("application/vnd.kubernetes.protobuf") != std::string::npos;
    if (line.find("/storm?") != std::string_view::npos) {
      storm(number_after(line, "events="), number_after(line, "a_second="));
      answer(connection, "200 OK", "{}");
    } else if (line.find("/wedge") != std::string_view::npos) {
      {
        const std::lock_guard lock(mutex_);
        ++wedges_;
      }
      answer(connection, "200 OK", "{}");
    } else if (line.find("/version") != std::string_view::npos) {
      answer(connection, "200 OK", R"({"major":"1","minor":"37","gitVersion":"v1.37.1"})");
    } else if (line.find("sendInitialEvents=true") != std::string_view::npos) {
      answer(
          connection, "422 Unprocessable Entity",
          R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422,)"
          R"("message":"sendInitialEvents is not offered"})");
    } else if (line.find("watch=") != std::string_view::npos) {
      return watch(connection, line, protobuf);
    } else if (line.find("/pods") != std::string_view::npos) {
      list(connection, page_of(line), protobuf);
    } else if (line.find("/namespaces") != std::string_view::npos) {
      list_namespaces(connection);
    } else {
      answer(
          connection, "404 Not Found",
          R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404})");
    }
  }
}

ReplayServer::Scope ReplayServer::scope_of(std::string_view line) const {
  if (line.find("/namespaces/ns-") == std::string_view::npos) return {0, 1, count_};
  return {number_after(line, "/namespaces/ns-"), namespaces_, count_};
}

ReplayServer::Scope ReplayServer::page_of(std::string_view line) const {
  Scope page = scope_of(line);
  const std::uint64_t limit = number_after(line, "limit=");
  if (limit == 0 || line.find("resourceVersion=0") != std::string_view::npos) return page;
  page.first = std::max(page.first, std::size_t{number_after(line, "continue=")});
  page.end = std::min(count_, page.first + limit * page.step);
  return page;
}

void ReplayServer::happen(std::uint64_t events) {
  {
    const std::lock_guard lock(mutex_);
    events_ += events;
  }
  changed_.notify_all();
}

void ReplayServer::storm(std::uint64_t events, std::uint64_t events_a_second) {
  const int storm = ++storms_;
  if (events_a_second == 0) return happen(events);
  std::thread([this, storm, events, events_a_second] {
    const auto began = std::chrono::steady_clock::now();
    for (std::uint64_t sent = 0; sent < events && storms_ == storm;) {
      std::this_thread::sleep_for(kPace);
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
      const auto due = std::min(events, static_cast<std::uint64_t>(
                                            passed.count() * static_cast<double>(events_a_second)));
      happen(due - sent);
      sent = due;
    }
  }).detach();
}

void ReplayServer::list_namespaces(int connection) const {
  std::string body =
      R"({"kind":"NamespaceList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[)";
  for (std::size_t i = 0; i < namespaces_; ++i) {
    std::array<char, 64> one{};
    std::snprintf(one.data(), one.size(), R"(%s{"metadata":{"name":"ns-%03zu"}})", i > 0 ? "," : "",
                  i);
    body += one.data();
  }
  answer(connection, "200 OK", body + "]}");
}

void ReplayServer::list(int connection, Scope scope, bool protobuf) {
  const std::string version = [this] {
    const std::lock_guard lock(mutex_);
    return std::to_string(kFirstVersion + events_);
  }();
  const std::string next = scope.end < count_ ? std::to_string(scope.end) : "";
  std::string bytes;
  std::string_view end;
  const auto version_of = [](std::size_t number) { return 1'000'000'000 + number; };
  if (protobuf) {
    // ListMeta: the fields resourceVersion and continue.
    const std::string metadata = "\x12" + std::string(1, static_cast<char>(version.size())) +
                                 version + "\x1a" + std::string(1, static_cast<char>(next.size())) +
                                 next;
    std::uint64_t length = 2 + metadata.size();
    for (std::size_t i = scope.first; i < scope.end; i += scope.step) {
      const std::size_t size = pods_.protobuf(i, version_of(i)).size();
      length += 1 + varint_size(size) + size;
    }
    std::string list(meta::kProtobufMagic);
    list += "\x0a\x0d\x0a\x02v1\x12\x07PodList\x12";
    put_varint(length, list);
    list += "\x0a" + std::string(1, static_cast<char>(metadata.size())) + metadata;
    const std::uint64_t whole = list.size() + length - 2 - metadata.size();
    bytes = head_of(list_type(true), "Content-Length: " + std::to_string(whole)) + list;
  } else {
    const std::string begin =
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
        R"(","continue":")" + next + R"("},"items":[)";
    end = "]}\n";
    std::uint64_t length = begin.size() + end.size();
    for (std::size_t i = scope.first; i < scope.end; i += scope.step) {
      length += pods_.json(i, version_of(i)).size() + (i > scope.first ? 1 : 0);
    }
    bytes = head_of(list_type(false), "Content-Length: " + std::to_string(length)) + begin;
  }
  for (std::size_t i = scope.first; i < scope.end; i += scope.step) {
    if (protobuf) {
      const PodTemplate& pod = pods_.protobuf(i, version_of(i));
      bytes += '\x12';
      put_varint(pod.size(), bytes);
      pod.append(i, version_of(i), bytes);
    } else {
      if (i > scope.first) bytes += ',';
      pods_.json(i, version_of(i)).append(i, version_of(i), bytes);
    }
    if (bytes.size() < kBytesAtOnce) continue;
    if (!send_all(connection, bytes)) return;
    bytes.clear();
  }
  bytes += end;
  send_all(connection, bytes);
}

void ReplayServer::append_event(std::uint64_t event, bool protobuf, std::string& scratch,
                                std::string& out) const {
  const std::size_t number = pod_of(event);
  const std::uint64_t version = kFirstVersion + event;
  if (!protobuf) {
    out += R"({"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1",)";
    const std::size_t begin = out.size();
    pods_.json(number, version).append(number, version, out);
    out.erase(begin, 1);  // its brace
    out += "}\n";
    return;
  }
  scratch.clear();
  pods_.protobuf(number, version).append(number, version, scratch);
  std::string object;
  meta::write_envelope({.api_version = "v1", .kind = "Pod", .raw = scratch}, object);
  meta::write_watch_frame({"MODIFIED", object}, out);
}

void ReplayServer::watch(int connection, std::string_view line, bool protobuf) {
  const Scope scope = scope_of(line);
  send_all(connection, head_of(protobuf ? "application/vnd.kubernetes.protobuf;stream=watch"
                                        : "application/json",
                               "Transfer-Encoding: chunked"));
  std::string bytes;
  std::string scratch;
  std::unique_lock lock(mutex_);
  std::uint64_t sent = events_;
  const std::uint64_t from = number_after(line, "resourceVersion=");
  if (from >= kFirstVersion) sent = from - kFirstVersion;
  const int wedges = wedges_;
  for (;;) {
    const auto goes_on = [&] { return events_ > sent && wedges_ == wedges; };
    while (!changed_.wait_for(lock, kLookAtClient, goes_on)) {
      if (has_closed(connection)) return;
    }
    const std::uint64_t until = events_;
    lock.unlock();
    while (sent < until) {
      if (pod_of(++sent) % scope.step == scope.first) append_event(sent, protobuf, scratch, bytes);
      if (bytes.size() < kBytesAtOnce && sent < until) continue;
      // A chunk without bytes is the end of a body.
      if (!bytes.empty() && !send_chunk(connection, bytes)) return;
      bytes.clear();
    }
    lock.lock();
  }
}

}  // namespace kube::bench
