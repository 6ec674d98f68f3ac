// SPDX-License-Identifier: Apache-2.0
//
// The other side of the exchanges: sends what it is given, and reads answers to the end of the
// connection. Knows of HTTP what a status line is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bounds {

/// @throws std::runtime_error when it can't connect, or nothing moves for two minutes.
class Client {
 public:
  /// `stalled`: with a receive buffer as small as the system allows.
  explicit Client(std::uint16_t port, bool stalled = false);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Sends the bytes, as many as the server takes, and reads until it closes. Returns how many
  /// bytes were sent.
  std::size_t exchange(std::string_view bytes) { return run(bytes, false); }
  /// The same, but reads only until the head of the answer is there.
  std::size_t exchange_head(std::string_view bytes) { return run(bytes, true); }

  /// Of the first answer; 0: there was none.
  int status() const;
  /// The beginning of what came.
  const std::string& text() const { return text_; }

 private:
  std::size_t run(std::string_view bytes, bool head_only);
  bool read_some();

  int socket_ = -1;
  std::string text_;
};

}  // namespace bounds
