// SPDX-License-Identifier: Apache-2.0
//
// Watch streams in protobuf: a row of frames, each a length of four bytes (big endian) and a bare
// meta.v1.WatchEvent, whose object has an envelope of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::meta {

/// Cuts a stream into frames as it arrives:
///
///     splitter.feed(chunk);
///     while (auto frame = splitter.next()) {
///       if (!*frame) return frame->error();
///       visit(read_watch_event(**frame));
///     }
///
/// @par Thread safety   For one thread.
/// @par Cost   A frame that lies in one chunk is not copied. One that doesn't takes memory as its
/// bytes arrive, never for the length it claims.
class FrameSplitter {
 public:
  /// The largest frame that is taken.
  static constexpr std::size_t default_limit = std::size_t{16} << 20;
  /// Of what stands in front of each frame: its length.
  static constexpr std::size_t head_size = 4;

  explicit FrameSplitter(std::size_t limit = default_limit) : limit_(limit) {}

  /// The next bytes of the stream, which stay valid until next() has answered nothing.
  /// @pre next() has answered nothing since the last chunk
  void feed(std::string_view chunk) { chunk_ = chunk; }

  /// A whole frame, without its length; valid until the next call. Nothing: feed more.
  /// @par Errors   Decode for a frame above the limit ("object too large"), once; it is skipped,
  /// and the frames behind it come as usual.
  std::optional<Result<std::string_view>> next();

  /// Bytes that are still to come of a frame above the limit; right after its error, its length.
  std::size_t to_skip() const { return to_skip_; }

  /// To be asked at the end of the stream.
  /// @par Errors   Decode: it ended within a frame ("unexpected EOF").
  Result<void> finish() const;

 private:
  std::size_t limit_;
  std::string_view chunk_;
  std::string partial_;         // of the frame that is being read: its length, its bytes
  std::size_t to_skip_ = 0;     // bytes of a frame that is too large
  bool partial_given_ = false;  // partial_ is the frame that was answered last
};

/// A WatchEvent that isn't decoded: views into the frame.
struct WatchEventView {
  std::string_view type{};    ///< "ADDED", ...
  std::string_view object{};  ///< With its envelope, or JSON.
};

/// @par Errors   Decode, with the offset in the frame.
Result<WatchEventView> read_watch_event(std::string_view frame);

/// Appends a frame.
void write_watch_frame(const WatchEventView& event, std::string& out);

}  // namespace kube::meta
