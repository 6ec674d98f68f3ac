// SPDX-License-Identifier: Apache-2.0
#include "retry_after.hpp"

#include <charconv>
#include <cstdint>

namespace kube {

std::optional<std::chrono::seconds> retry_after(const transport::Headers& headers) {
  const auto text = headers.find("Retry-After");
  if (!text) return std::nullopt;
  std::int32_t seconds = 0;
  const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (code != std::errc{} || end != text->data() + text->size() || seconds < 0) {
    return std::nullopt;
  }
  return std::chrono::seconds(seconds);
}

}  // namespace kube
