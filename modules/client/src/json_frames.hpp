// SPDX-License-Identifier: Apache-2.0
//
// Cuts a stream of JSON objects (a watch body) into objects as its bytes arrive.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value_scanner.hpp>

namespace kube {

/// Follows brackets and strings only; what is inside is checked when an object is decoded. Not
/// thread-safe.
class JsonFrames {
 public:
  /// A longer object is an error: it would have to be held whole.
  static constexpr std::size_t max_frame = std::size_t{16} << 20;

  /// Appends the objects that end in this chunk to `frames`. Decode, with the offset in the stream,
  /// for what is no object; the stream must not be fed any further then.
  Result<void> feed(std::string_view chunk, std::vector<std::string>& frames);

  /// The stream has ended: whether that was inside an object.
  bool inside_object() const { return inside_; }

 private:
  std::string partial_;
  std::size_t offset_ = 0;  // of the next byte in the stream
  bool inside_ = false;
  json::ValueScanner scanner_;
};

}  // namespace kube
