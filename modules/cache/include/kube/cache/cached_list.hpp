// SPDX-License-Identifier: Apache-2.0
//
// kube::CachedList<T>: the result of a query of a cache.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <kube/cache/cached.hpp>

namespace kube {

/// Objects from one state of a cache, which a program can iterate over, count, sort and keep. Like
/// a vector, except that temporaries are safe.
///
/// @par Lifetimes   A temporary list returns its elements by value, so that
///   `const auto first = lister.list()[0];` is safe, and `lister.list()[0]->spec` does not compile
///   (see Cached). `for (const auto& pod : lister.list())` keeps the list for the loop.
/// @par Thread safety   A value.
/// @par Cost   A copy increments the reference count of each object. The conversion of a temporary
///   into a vector moves.
template <Object T>
class CachedList {
 public:
  using value_type = Cached<T>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = Cached<T>&;
  using const_reference = const Cached<T>&;
  using iterator = typename std::vector<Cached<T>>::iterator;
  using const_iterator = typename std::vector<Cached<T>>::const_iterator;

  CachedList() noexcept = default;
  CachedList(std::vector<Cached<T>> objects) noexcept  // implicit on purpose
      : objects_(std::move(objects)) {}
  operator std::vector<Cached<T>>() const& { return objects_; }
  operator std::vector<Cached<T>>() && noexcept { return std::move(objects_); }

  std::size_t size() const noexcept { return objects_.size(); }
  bool empty() const noexcept { return objects_.empty(); }

  iterator begin() & noexcept { return objects_.begin(); }
  iterator end() & noexcept { return objects_.end(); }
  const_iterator begin() const& noexcept { return objects_.begin(); }
  const_iterator end() const& noexcept { return objects_.end(); }
  const_iterator begin() const&& = delete;  // Give the list a name first.
  const_iterator end() const&& = delete;    // Give the list a name first.

  /// These require an element at the index.
  Cached<T>& operator[](std::size_t index) & { return objects_[index]; }
  const Cached<T>& operator[](std::size_t index) const& { return objects_[index]; }
  Cached<T> operator[](std::size_t index) const&& { return objects_[index]; }
  Cached<T>& front() & { return objects_.front(); }
  const Cached<T>& front() const& { return objects_.front(); }
  Cached<T> front() const&& { return objects_.front(); }
  Cached<T>& back() & { return objects_.back(); }
  const Cached<T>& back() const& { return objects_.back(); }
  Cached<T> back() const&& { return objects_.back(); }

 private:
  std::vector<Cached<T>> objects_;
};

}  // namespace kube
