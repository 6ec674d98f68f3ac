// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <cstdint>

namespace faults {
namespace {

// Bits of a deflate stream: numbers from their lowest bit, Huffman codes from their highest.
class BitWriter {
 public:
  void number(unsigned value, int bits) {
    for (int i = 0; i < bits; ++i) bit((value >> i) & 1U);
  }
  void code(unsigned value, int bits) {
    for (int i = bits - 1; i >= 0; --i) bit((value >> i) & 1U);
  }
  void literal(unsigned char byte) {
    if (byte < 144) {
      code(0x30U + byte, 8);
    } else {
      code(0x190U + byte - 144U, 9);
    }
  }
  std::string bytes;

 private:
  void bit(unsigned value) {
    if (used_ == 0) bytes.push_back('\0');
    bytes.back() = static_cast<char>(static_cast<unsigned char>(bytes.back()) | (value << used_));
    used_ = (used_ + 1) % 8;
  }
  int used_ = 0;
};

}  // namespace

std::string http_head(int status, std::string_view headers) {
  return "HTTP/1.1 " + std::to_string(status) + " Whatever\r\n" + std::string(headers) + "\r\n";
}

std::string http_answer_of(std::string_view type, int status, std::string_view body,
                           std::string_view headers) {
  std::string lines(headers);
  if (!type.empty()) lines += "Content-Type: " + std::string(type) + "\r\n";
  lines += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return http_head(status, lines).append(body);
}

std::string http_answer(int status, std::string_view body, std::string_view headers) {
  return http_answer_of("application/json", status, body, headers);
}

std::string http_status(int status, std::string_view reason, std::string_view message,
                        std::string_view more, std::string_view headers) {
  return http_answer(status, status_text(status, reason, message, more), headers);
}

std::string gzip_bomb(std::string_view begin, char filler, std::size_t size) {
  constexpr std::size_t kMatch = 258;      // bytes that one match stands for, in 13 bits
  constexpr unsigned kCodeOfMatch = 0xC5;  // length 258, the last of the codes of 8 bits
  BitWriter out;
  out.bytes = std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  out.number(1, 1);  // the last block
  out.number(1, 2);  // with fixed codes
  for (const char byte : begin) out.literal(static_cast<unsigned char>(byte));
  out.literal(static_cast<unsigned char>(filler));
  for (std::size_t done = begin.size(); done < size; done += kMatch) {
    out.code(kCodeOfMatch, 8);
    out.code(0, 5);  // from one byte before
  }
  out.code(0, 7);  // the end
  return out.bytes + std::string(8, '\0');
}

}  // namespace faults
