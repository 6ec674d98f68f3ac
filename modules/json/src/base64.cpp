// SPDX-License-Identifier: Apache-2.0
#include <kube/json/base64.hpp>

#include <array>
#include <cstdint>

namespace kube::json {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kInvalid = 0xff;

constexpr std::array<std::uint8_t, 256> make_reverse() {
  std::array<std::uint8_t, 256> table{};
  for (auto& entry : table) entry = kInvalid;
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<std::uint8_t>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return table;
}
constexpr auto kReverse = make_reverse();

}  // namespace

void write_base64(std::string_view bytes, std::string& out) {
  const auto at = [&](std::size_t i) { return std::uint32_t{static_cast<std::uint8_t>(bytes[i])}; };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    out += kAlphabet[group >> 18];
    out += kAlphabet[group >> 12 & 63];
    out += kAlphabet[group >> 6 & 63];
    out += kAlphabet[group & 63];
  }
  const std::size_t rest = bytes.size() - i;
  if (rest == 0) return;
  const std::uint32_t group = at(i) << 16 | (rest == 2 ? at(i + 1) << 8 : 0);
  out += kAlphabet[group >> 18];
  out += kAlphabet[group >> 12 & 63];
  out += rest == 2 ? kAlphabet[group >> 6 & 63] : '=';
  out += '=';
}

std::optional<std::string> read_base64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int sextets = 0;
  int pads = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      // Padding may only be the third or fourth character of a group.
      if (sextets + pads < 2 || sextets + pads >= 4) return std::nullopt;
      ++pads;
      continue;
    }
    const std::uint8_t sextet = kReverse[static_cast<std::uint8_t>(c)];
    if (sextet == kInvalid || pads > 0) return std::nullopt;
    group = group << 6 | sextet;
    if (++sextets == 4) {
      out += static_cast<char>(group >> 16 & 0xff);
      out += static_cast<char>(group >> 8 & 0xff);
      out += static_cast<char>(group & 0xff);
      group = 0;
      sextets = 0;
    }
  }
  if (sextets == 0 && pads == 0) return out;
  if (sextets < 2 || sextets + pads != 4) return std::nullopt;
  group <<= 6 * pads;
  out += static_cast<char>(group >> 16 & 0xff);
  if (sextets == 3) out += static_cast<char>(group >> 8 & 0xff);
  return out;
}

}  // namespace kube::json
