// SPDX-License-Identifier: Apache-2.0
//
// Events of a watch in protobuf. The stream is a sequence of frames, each a length of four bytes
// (big endian) and a meta.v1.WatchEvent, whose object has an envelope of its own.
// kube::WatchSplitter (<kube/client/watch_splitter.hpp>) cuts a stream into events. Pure functions:
// any thread may call them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>

namespace kube::meta {

/// The size of the length that precedes each frame, in bytes.
inline constexpr std::size_t kWatchFrameHead = 4;

/// An undecoded WatchEvent: views into the frame.
struct WatchEventView {
  std::string_view type{};    ///< "ADDED", ...
  std::string_view object{};  ///< With its envelope, or JSON.
};

/// Reads a frame, without its length.
/// @par Errors   Decode, with the offset in the frame.
Result<WatchEventView> read_watch_frame(std::string_view frame);
template <TemporaryText T>
Result<WatchEventView> read_watch_frame(T&& frame) = delete;  // Give the frame a name first.

/// Appends a frame with its length.
void write_watch_frame(const WatchEventView& event, std::string& out);

}  // namespace kube::meta
