// SPDX-License-Identifier: Apache-2.0
//
// HTTP/2 frames, one by one, for servers that send them where they do not belong (RFC 9113).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "connection.hpp"

namespace faults::frames {

/// ":status: 200", and the head is complete.
std::string ok_head(std::uint32_t stream);
/// The same, and more of the head is to follow by continuation().
std::string open_head(std::uint32_t stream);
/// A header of so many bytes that is not kept.
std::string continuation(std::uint32_t stream, std::size_t size);
std::string data(std::uint32_t stream, std::string_view bytes);
std::string reset_stream(std::uint32_t stream, std::uint32_t error);
std::string go_away(std::uint32_t last_stream, std::uint32_t error, std::string_view why);
std::string ping();

/// Reads the client's frames, agrees to its settings and calls `answer` for each request. False
/// from it closes the connection. Which request it is nobody reads: each counts as a list.
std::function<void(Connection&)> raw(
    std::function<bool(Connection& connection, std::uint32_t stream)> answer);

}  // namespace faults::frames
