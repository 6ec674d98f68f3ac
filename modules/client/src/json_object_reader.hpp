// SPDX-License-Identifier: Apache-2.0
//
// Reads one JSON object that arrives in chunks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "object_buffer.hpp"

#include <kube/json/value_scanner.hpp>

namespace kube {

/// Collects one JSON object that arrives in chunks. Skips an object above the limit to its end
/// without holding it, so that the bytes after it can be read.
class JsonObjectReader {
 public:
  enum class State { More, Done, TooLarge, TooDeep };

  explicit JsonObjectReader(std::size_t limit) : limit_(limit) {}

  /// Removes the object's next bytes from the chunk; the first chunk begins with its bracket. Both
  /// Done and TooLarge mean that the object has ended.
  State feed(std::string_view& chunk) {
    const std::string_view part = chunk.substr(0, scanner_.feed(chunk));
    chunk.remove_prefix(part.size());
    size_ += part.size();
    const json::ValueScanner::State state = scanner_.state();
    if (state == json::ValueScanner::State::TooDeep) return State::TooDeep;
    if (size_ > limit_) {
      keep_beginning(part);
      return state == json::ValueScanner::State::Done ? State::TooLarge : State::More;
    }
    if (state == json::ValueScanner::State::Done && partial_.empty()) {
      text_ = part;
      return State::Done;
    }
    partial_ += part;
    text_ = partial_;
    return state == json::ValueScanner::State::Done ? State::Done : State::More;
  }

  /// After Done, the object; after TooLarge, its beginning. Valid as long as the chunk, until
  /// reset().
  std::string_view text() const { return text_; }
  /// The number of its bytes so far.
  std::uint64_t size() const { return size_; }

  /// Prepares for the next object.
  void reset() {
    scanner_.reset();
    partial_.clear();
    text_ = {};
    size_ = 0;
  }

 private:
  void keep_beginning(std::string_view part) {
    const std::size_t wanted = std::min(kKeptOfLargeObjects, limit_);
    if (partial_.size() > wanted) {
      partial_.cut(wanted);
    } else {
      partial_ += part.substr(0, wanted - partial_.size());
    }
    text_ = partial_;
  }

  const std::size_t limit_;
  json::ValueScanner scanner_;
  ObjectBuffer partial_;  // the bytes of earlier chunks
  std::string_view text_;
  std::uint64_t size_ = 0;
};

}  // namespace kube
