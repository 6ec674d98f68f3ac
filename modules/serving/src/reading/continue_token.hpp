// SPDX-License-Identifier: Apache-2.0
//
// The opaque text that leads from one page of a list to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::serving {

struct ContinueToken {
  std::optional<std::uint64_t> revision{};  ///< Empty: continue in the latest state.
  std::string start{};                      ///< The first key, relative to the list's namespace.
  std::size_t remaining = 0;                ///< The number of objects from there on; 0: not known.
};

std::string format_token(const ContinueToken& token);
/// Fails with a 400 for anything but a token of format_token().
Result<ContinueToken> parse_token(std::string_view text);

}  // namespace kube::serving
