// SPDX-License-Identifier: Apache-2.0
//
// Answers that scenarios are made of.
#pragma once

#include <chrono>
#include <string>

#include "connection.hpp"

namespace faults {

/// The bytes, and the connection serves on.
Answer always(std::string bytes);
Answer then_close(std::string bytes);
Answer then_reset(std::string bytes);
/// Silence until the server is mended.
Answer then_hang(std::string bytes);
/// Then `piece`, again and again with a pause between, for ever.
Answer drip(std::string bytes, std::string piece, std::chrono::milliseconds pause);
/// Without pause, as fast as it is taken, up to `most` bytes; then closes.
Answer flood(std::string bytes, std::string piece, std::size_t most = SIZE_MAX);

/// A gzip of 1 GiB: `begin`, then so many times `filler`. Made when it is first sent.
Answer bomb(int status, std::string type, std::string begin, char filler);

/// The head of a stream and its events, in one piece.
std::string watch_of(const std::string& events);

/// A whole answer but for the end of its trailers: what trailer() is sent behind.
std::string endless_trailers(const std::string& body);
/// A line of about 1 KB.
std::string trailer();

}  // namespace faults
