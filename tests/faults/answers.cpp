// SPDX-License-Identifier: Apache-2.0
#include "answers.hpp"

#include <memory>
#include <mutex>
#include <utility>

#include "curl_answers.hpp"
#include "wire.hpp"

namespace faults {

Answer always(std::string bytes) {
  return [bytes = std::move(bytes)](Connection& connection, const Call&) {
    return connection.write(bytes);
  };
}

Answer then_close(std::string bytes) {
  return [bytes = std::move(bytes)](Connection& connection, const Call&) {
    connection.write(bytes);
    return false;
  };
}

Answer then_reset(std::string bytes) {
  return [bytes = std::move(bytes)](Connection& connection, const Call&) {
    connection.write(bytes);
    connection.reset();
    return false;
  };
}

Answer then_hang(std::string bytes) {
  return [bytes = std::move(bytes)](Connection& connection, const Call&) {
    connection.write(bytes);
    connection.hang();
    return false;
  };
}

Answer drip(std::string bytes, std::string piece, std::chrono::milliseconds pause) {
  return [bytes = std::move(bytes), piece = std::move(piece), pause](Connection& connection,
                                                                     const Call&) {
    connection.write(bytes);
    while (connection.pause(pause) && connection.write(piece)) {
    }
    return false;
  };
}

Answer flood(std::string bytes, std::string piece, std::size_t most) {
  return [bytes = std::move(bytes), piece = std::move(piece), most](Connection& connection,
                                                                    const Call&) {
    std::size_t written = bytes.size();
    bool taken = connection.write(bytes);
    for (; taken && written < most; written += piece.size()) taken = connection.write(piece);
    return false;
  };
}

Answer bomb(int status, std::string type, std::string begin, char filler) {
  struct Made {
    std::once_flag once;
    std::string bytes;
  };
  return [=, made = std::make_shared<Made>()](Connection& connection, const Call&) {
    std::call_once(made->once, [&] {
      made->bytes = http_answer_of(type, status, gzip_bomb(begin, filler, std::size_t{1} << 30),
                                   "Content-Encoding: gzip\r\n");
    });
    return connection.write(made->bytes);
  };
}

std::string watch_of(const std::string& events) {
  return std::string(kWatchHead) + kube::transport::chunk(events);
}

std::string endless_trailers(const std::string& body) {
  return watch_of(body) + "0\r\n";
}

std::string trailer() {
  return "X-More: " + std::string(1000, 'm') + "\r\n";
}

}  // namespace faults
