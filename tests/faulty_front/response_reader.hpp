// SPDX-License-Identifier: Apache-2.0
//
// A request to the API server, and its response without the framing of HTTP.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace faulty_front {

/// A connection to 127.0.0.1.
class Socket {
 public:
  explicit Socket(int port);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  bool is_open() const { return fd_ >= 0; }
  bool write(std::string_view bytes) const;
  /// The next bytes, at most so many; empty at the end; nullopt when none come in a tenth of a
  /// second.
  std::optional<std::string> read(std::size_t most) const;

 private:
  int fd_;
};

/// Takes a response apart as its bytes come.
class ResponseReader {
 public:
  void add(std::string_view bytes);
  /// Whether the head is whole.
  bool has_head() const { return !head_.empty(); }
  /// The status line and the headers, but for those of the framing, each with its "\r\n".
  std::string& head() { return head_; }
  bool is_ok() const { return head_.starts_with("HTTP/1.1 200"); }
  bool is_protobuf() const { return protobuf_; }
  /// The body has come to its end.
  bool is_whole() const { return whole_; }
  /// Takes all of the body that has come.
  std::string take_body();
  /// Takes the first event of a watch, if it has come; else "".
  std::string take_event();

 private:
  void read_head(std::string_view text);
  void read_body();

  std::string input_;
  std::string head_;
  std::string body_;
  std::optional<std::size_t> length_;
  bool chunked_ = false;
  bool protobuf_ = false;
  bool whole_ = false;
};

}  // namespace faulty_front
