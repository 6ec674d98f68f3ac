// SPDX-License-Identifier: Apache-2.0
//
// Events of a watch in protobuf. The stream is a row of frames, each a length of four bytes (big
// endian) and a bare meta.v1.WatchEvent, whose object has an envelope of its own.
// kube::WatchSplitter (<kube/client/watch_splitter.hpp>) cuts a stream into events.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::meta {

/// What is in front of each frame: its length, in bytes.
inline constexpr std::size_t kWatchFrameHead = 4;

/// A WatchEvent that isn't decoded: views into the frame.
struct WatchEventView {
  std::string_view type{};    ///< "ADDED", ...
  std::string_view object{};  ///< With its envelope, or JSON.
};

/// @par Errors   Decode, with the offset in the frame.
Result<WatchEventView> read_watch_frame(std::string_view frame);

/// Appends a frame.
void write_watch_frame(const WatchEventView& event, std::string& out);

}  // namespace kube::meta
