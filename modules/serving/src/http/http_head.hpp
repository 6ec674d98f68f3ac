// SPDX-License-Identifier: Apache-2.0
//
// The head of a response: status line and headers, as text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <kube/base/clock.hpp>

#include "http/http_message.hpp"

namespace kube::serving {

struct HeadFacts {
  bool chunked = true;  ///< The client speaks HTTP/1.1.
  bool keep_alive = true;
  std::optional<std::size_t> length{};  ///< Empty: the body's length is not known yet.
  std::string audit_id{};
  WallTime now{};
};

/// Characters that could end a header's line are removed from the values.
std::string make_head(const HttpResponse& response, const HeadFacts& facts);

}  // namespace kube::serving
