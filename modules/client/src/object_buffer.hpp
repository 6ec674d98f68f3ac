// SPDX-License-Identifier: Apache-2.0
//
// kube::ObjectBuffer: one object that arrives in pieces.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace kube {

/// How much is kept of an object that is too large, so that it can be named.
inline constexpr std::size_t kKeptOfLargeObjects = std::size_t{64} << 10;

/// What may be in a list besides its items: a continue token is some hundred bytes.
inline constexpr std::size_t kMaxListEnvelope = std::size_t{1} << 20;

/// Grows as an object's bytes arrive. What is larger than kMaxKept lies in pages of its own, which
/// the system has back at clear(): glibc would keep up to 64 MiB of every arena for the whole life
/// of a process that has freed one block of 32 MiB.
///
/// @par Thread safety   For one thread.
/// @par Errors   std::bad_alloc when the system has no memory, as a std::string has.
/// @par Cost   Up to kMaxKept that of a std::string; beyond it, growing does not copy.
class ObjectBuffer {
 public:
  /// What is kept for the next object, in bytes: one large object must not hold its memory for as
  /// long as a body goes on.
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
  /// Keeps the first bytes.
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

  std::string small_;  // unless it has pages
  char* pages_ = nullptr;
  std::size_t room_ = 0;
  std::size_t used_ = 0;
};

}  // namespace kube
