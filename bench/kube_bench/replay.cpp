// SPDX-License-Identifier: Apache-2.0
#include "replay.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <kube/codec/protobuf.hpp>
#include <kube/codec/watch_frames.hpp>

namespace kube::bench {
namespace {

constexpr std::size_t kBytesAtOnce = std::size_t{256} << 10;

bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Sends `bytes` as a chunk of HTTP/1.1.
bool send_chunk(int connection, std::string_view bytes) {
  std::array<char, 20> size{};
  const int length = std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  return send_all(connection, {size.data(), static_cast<std::size_t>(length)}) &&
         send_all(connection, bytes) && send_all(connection, "\r\n");
}

/// Returns the head of a request; empty when there is none.
std::string read_head(int connection) {
  std::string head;
  std::array<char, 4096> bytes{};
  while (head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = ::recv(connection, bytes.data(), bytes.size(), 0);
    if (got <= 0) return "";
    head.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return head;
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

ReplayServer::ReplayServer(std::size_t pods, std::size_t bytes)
    : count_(pods), pods_(bytes), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, any, size) != 0 || ::listen(listener_, 1024) != 0 ||
      ::getsockname(listener_, any, &size) != 0) {
    throw std::runtime_error("could not listen on a loopback port");
  }
  port_ = ntohs(address.sin_port);
}

void ReplayServer::serve() {
  for (;;) {
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
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
    if (const auto at = line.find("/storm?events="); at != std::string_view::npos) {
      {
        const std::lock_guard lock(mutex_);
        events_ += std::strtoull(line.data() + at + 14, nullptr, 10);
      }
      changed_.notify_all();
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
      list(connection, protobuf);
    } else {
      answer(
          connection, "404 Not Found",
          R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404})");
    }
  }
}

void ReplayServer::list(int connection, bool protobuf) {
  const std::string version = [this] {
    const std::lock_guard lock(mutex_);
    return std::to_string(kFirstVersion + events_);
  }();
  std::string bytes;
  std::string_view end;
  const auto version_of = [](std::size_t number) { return 1'000'000'000 + number; };
  if (protobuf) {
    // ListMeta: the field resourceVersion.
    const std::string metadata =
        "\x12" + std::string(1, static_cast<char>(version.size())) + version;
    std::uint64_t length = 2 + metadata.size();
    for (std::size_t i = 0; i < count_; ++i) {
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
        R"("},"items":[)";
    end = "]}\n";
    std::uint64_t length = begin.size() + end.size() + count_ - (count_ > 0 ? 1 : 0);
    for (std::size_t i = 0; i < count_; ++i) length += pods_.json(i, version_of(i)).size();
    bytes = head_of(list_type(false), "Content-Length: " + std::to_string(length)) + begin;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    if (protobuf) {
      const PodTemplate& pod = pods_.protobuf(i, version_of(i));
      bytes += '\x12';
      put_varint(pod.size(), bytes);
      pod.append(i, version_of(i), bytes);
    } else {
      if (i > 0) bytes += ',';
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
  const std::size_t number = event * 7919 % count_;
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
  send_all(connection, head_of(protobuf ? "application/vnd.kubernetes.protobuf;stream=watch"
                                        : "application/json",
                               "Transfer-Encoding: chunked"));
  std::string bytes;
  std::string scratch;
  std::unique_lock lock(mutex_);
  std::uint64_t sent = events_;
  if (const auto at = line.find("resourceVersion="); at != std::string_view::npos) {
    const std::uint64_t from = std::strtoull(line.data() + at + 16, nullptr, 10);
    if (from >= kFirstVersion) sent = from - kFirstVersion;
  }
  const int wedges = wedges_;
  for (;;) {
    changed_.wait(lock, [&] { return events_ > sent && wedges_ == wedges; });
    const std::uint64_t until = events_;
    lock.unlock();
    while (sent < until) {
      append_event(++sent, protobuf, scratch, bytes);
      if (bytes.size() < kBytesAtOnce && sent < until) continue;
      if (!send_chunk(connection, bytes)) return;
      bytes.clear();
    }
    lock.lock();
  }
}

}  // namespace kube::bench
