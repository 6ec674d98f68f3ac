// SPDX-License-Identifier: Apache-2.0
#include <kube/base/percent.hpp>

#include <kube/base/ascii.hpp>

namespace kube {

void append_percent_escape(char c, std::string& out) {
  const auto byte = static_cast<unsigned char>(c);
  out.append({'%', ascii::kCapitalHexDigits[byte >> 4U], ascii::kCapitalHexDigits[byte & 15U]});
}

std::optional<std::string> percent_decoded(std::string_view text, Plus plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i] == '+' && plus == Plus::IsSpace ? ' ' : text[i]);
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = ascii::hex_value(text[i + 1]);
    const int low = ascii::hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

}  // namespace kube
