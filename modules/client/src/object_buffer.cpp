// SPDX-License-Identifier: Apache-2.0
//
// Holds the bytes of one object that arrives in chunks.
#include "object_buffer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace kube {

void ObjectBuffer::append_to_pages(std::string_view piece) {
  const std::size_t wanted = size() + piece.size();
  if (wanted > room_) {
    // Pages take memory when they are written to.
    const std::size_t room = std::max({wanted, 2 * room_, 4 * kMaxKept});
    void* pages = pages_ == nullptr ? ::mmap(nullptr, room, PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                    : ::mremap(pages_, room_, room, MREMAP_MAYMOVE);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    const bool is_first = std::exchange(pages_, static_cast<char*>(pages)) == nullptr;
    room_ = room;
    if (is_first) {
      used_ = small_.size();
      if (used_ != 0) std::memcpy(pages_, small_.data(), used_);
      small_.clear();
    }
  }
  std::memcpy(pages_ + used_, piece.data(), piece.size());
  used_ += piece.size();
}

void ObjectBuffer::cut(std::size_t size) {
  if (size >= this->size()) return;
  if (pages_ == nullptr) {
    small_.resize(size);
  } else if (size > kMaxKept) {
    used_ = size;
  } else {
    small_.assign(pages_, size);
    release();
  }
}

void ObjectBuffer::release() noexcept {
  if (pages_ != nullptr) ::munmap(pages_, room_);
  pages_ = nullptr;
  room_ = 0;
  used_ = 0;
}

}  // namespace kube
