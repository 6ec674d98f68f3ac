// SPDX-License-Identifier: Apache-2.0
#include "http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <utility>

#include <kube/base/ascii.hpp>

namespace kube::serving::test {
namespace {

constexpr int kPatienceMs = static_cast<int>(std::chrono::milliseconds(kPatience).count());

}  // namespace

json::Value Answer::json() const {
  auto value = json::parse(body);
  return value ? *std::move(value) : json::Value{};
}

std::string Answer::at(std::initializer_list<std::string_view> path) const {
  return text_at_path(json(), path);
}

std::string text_at_path(const json::Value& value, std::initializer_list<std::string_view> path) {
  const json::Value* found = value.at_path(path);
  if (found == nullptr || found->is_null()) return {};
  return found->is_string() ? *found->if_string() : json::dump(*found);
}

HttpClient::HttpClient(std::uint16_t port) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket_);
    throw std::runtime_error("can't connect to the server");
  }
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

HttpClient::~HttpClient() {
  ::close(socket_);
}

void HttpClient::shrink_receive_buffer() {
  const int size = 256 * 1024;
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

void HttpClient::shut_down() {
  ::shutdown(socket_, SHUT_RDWR);
}

void HttpClient::finish_writing() {
  ::shutdown(socket_, SHUT_WR);
}

void HttpClient::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      broken_ = true;
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool HttpClient::fill() {
  pollfd waiting{socket_, POLLIN, 0};
  if (::poll(&waiting, 1, kPatienceMs) <= 0) {
    throw std::runtime_error("the server sent nothing in time");
  }
  char bytes[65536];
  const ssize_t size = ::recv(socket_, bytes, sizeof bytes, 0);
  if (size <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(size));
  return true;
}

std::string HttpClient::read_line() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n")) == std::string::npos) {
    if (!fill()) {
      broken_ = true;
      return {};
    }
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

std::string HttpClient::read_exactly(std::size_t size) {
  while (buffer_.size() < size) {
    if (!fill()) {
      broken_ = true;
      return std::exchange(buffer_, {});
    }
  }
  std::string bytes = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return bytes;
}

Answer HttpClient::read_head() {
  Answer answer;
  const std::string status = read_line();
  if (broken_ || status.size() < 12) return answer;
  answer.status = std::stoi(status.substr(9, 3));
  while (true) {
    const std::string line = read_line();
    if (line.empty()) break;
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    std::string& value = answer.headers[ascii::to_lower(line.substr(0, colon))];
    if (!value.empty()) value += ", ";
    value += line.substr(colon + 2);
  }
  return answer;
}

std::optional<std::string> HttpClient::read_chunk() {
  const std::string line = read_line();
  if (broken_) return std::nullopt;
  const std::size_t size = std::stoul(line, nullptr, 16);
  std::string chunk = read_exactly(size);
  read_line();
  if (broken_ || size == 0) return std::nullopt;
  return chunk;
}

Answer HttpClient::read_answer() {
  Answer answer = read_head();
  if (answer.status == 100) answer = read_head();
  if (answer.header("transfer-encoding") == "chunked") {
    while (auto chunk = read_chunk()) answer.body += *chunk;
  } else if (!answer.header("content-length").empty()) {
    answer.body = read_exactly(std::stoul(answer.header("content-length")));
  }
  answer.complete = !broken_;
  return answer;
}

Answer HttpClient::send(std::string_view method, std::string_view target, std::string_view body,
                        const Headers& headers) {
  std::string text(method);
  text.append(" ").append(target).append(" HTTP/1.1\r\nHost: test\r\n");
  bool typed = false;
  for (const auto& [name, value] : headers) {
    typed = typed || ascii::equal_ignoring_case(name, "content-type");
    text.append(name).append(": ").append(value).append("\r\n");
  }
  if (!body.empty()) {
    if (!typed) text += "Content-Type: application/json\r\n";
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  text += "\r\n";
  text += body;
  write(text);
  if (method == "HEAD") return read_head();
  return read_answer();
}

bool HttpClient::closed_by_peer() {
  try {
    while (fill()) {
    }
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

bool refuses_connections(std::uint16_t port) {
  try {
    const HttpClient client(port);
    return false;
  } catch (const std::runtime_error&) {
    return true;
  }
}

WatchClient::WatchClient(std::uint16_t port, std::string_view target, const Headers& headers,
                         bool slow)
    : client_(port) {
  if (slow) client_.shrink_receive_buffer();
  std::string text = "GET ";
  text.append(target).append(" HTTP/1.1\r\nHost: test\r\n");
  for (const auto& [name, value] : headers) {
    text.append(name).append(": ").append(value).append("\r\n");
  }
  client_.write(text + "\r\n");
  head_ = client_.read_head();
  ended_ = head_.header("transfer-encoding") != "chunked";
}

std::optional<json::Value> WatchClient::next() {
  std::size_t end = 0;
  while ((end = buffer_.find('\n')) == std::string::npos) {
    if (ended_) return std::nullopt;
    if (auto chunk = client_.read_chunk()) {
      buffer_ += *chunk;
    } else {
      ended_ = true;
    }
  }
  const std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  auto event = json::parse(line);
  if (!event) throw std::runtime_error("an event is not JSON: " + line);
  return *std::move(event);
}

std::string WatchClient::next_text() {
  const auto event = next();
  if (!event) return client_.broken() ? "BROKEN" : "END";
  return text_at_path(*event, {"type"}) + " " +
         text_at_path(*event, {"object", "metadata", "name"});
}

}  // namespace kube::serving::test
