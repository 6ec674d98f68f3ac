// SPDX-License-Identifier: Apache-2.0
//
// kube::ObjectBuffer: the bytes of one object that arrives in chunks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace kube {

/// The maximum number of bytes that are kept of an object that is too large, to find its name.
inline constexpr std::size_t kKeptOfLargeObjects = std::size_t{64} << 10;

/// The maximum size of a list without its items: a continue token has some hundred bytes.
inline constexpr std::size_t kMaxListEnvelope = std::size_t{1} << 20;

/// Grows as the bytes of an object arrive. An object larger than kMaxKept has pages of its own,
/// which clear() returns to the system: after a process has freed one block of 32 MiB, glibc would
/// keep up to 64 MiB of every arena for the rest of its life.
///
/// @par Thread safety   Not thread-safe.
/// @par Errors   Throws std::bad_alloc when there is no memory, like std::string.
/// @par Cost   Up to kMaxKept like std::string; beyond it, growth does not copy.
class ObjectBuffer {
 public:
  /// The maximum memory that is kept for the next object, in bytes: one large object must not hold
  /// its memory until the end of a body.
  static constexpr std::size_t kMaxKept = std::size_t{1} << 20;

  ObjectBuffer() = default;
  ~ObjectBuffer() { release(); }
  ObjectBuffer(ObjectBuffer&& other) noexcept
      : small_(std::move(other.small_)),
        pages_(std::exchange(other.pages_, nullptr)),
        room_(std::exchange(other.room_, 0)),
        used_(std::exchange(other.used_, 0)) {}
  ObjectBuffer& operator=(ObjectBuffer&&) = delete;
  ObjectBuffer(const ObjectBuffer&) = delete;
  ObjectBuffer& operator=(const ObjectBuffer&) = delete;

  ObjectBuffer& operator+=(std::string_view piece) {
    if (pages_ == nullptr && small_.size() + piece.size() <= kMaxKept) {
      small_ += piece;
    } else {
      append_to_pages(piece);
    }
    return *this;
  }
  void clear() {
    small_.clear();
    if (pages_ != nullptr) release();
  }
  /// Drops all bytes after the first ones.
  void cut(std::size_t size);

  bool empty() const { return pages_ == nullptr && small_.empty(); }
  std::size_t size() const { return pages_ == nullptr ? small_.size() : used_; }
  std::string_view view() const {
    return pages_ == nullptr ? std::string_view(small_) : std::string_view(pages_, used_);
  }
  operator std::string_view() const { return view(); }  // NOLINT: as a std::string does

 private:
  void append_to_pages(std::string_view piece);
  void release() noexcept;

  std::string small_;  // empty when it has pages
  char* pages_ = nullptr;
  std::size_t room_ = 0;
  std::size_t used_ = 0;
};

}  // namespace kube
