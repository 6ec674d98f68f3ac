// SPDX-License-Identifier: Apache-2.0
#include "trace.hpp"

#include <chrono>

namespace kube::lying {

std::string printable(std::string_view bytes, std::size_t limit) {
  std::string out;
  const auto append = [&](std::string_view part) {
    constexpr char kDigits[] = "0123456789abcdef";
    for (const char c : part) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x20 && byte < 0x7f) {
        out += c;
      } else {
        out += "\\x";
        out += kDigits[byte >> 4];
        out += kDigits[byte & 15];
      }
    }
  };
  if (bytes.size() <= limit) {
    append(bytes);
    return out;
  }
  append(bytes.substr(0, limit / 2));
  out += " ... " + std::to_string(bytes.size() - limit / 2 * 2) + " bytes ... ";
  append(bytes.substr(bytes.size() - limit / 2));
  return out;
}

void Findings::print(const std::string& line) const {
  const auto since = clock_ ? clock_->now().time_since_epoch() - std::chrono::hours(1) : Duration();
  std::printf("%10.3f s  %s\n", std::chrono::duration<double>(since).count(), line.c_str());
}

}  // namespace kube::lying
