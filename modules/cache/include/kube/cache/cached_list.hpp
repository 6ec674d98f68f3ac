// SPDX-License-Identifier: Apache-2.0
//
// kube::CachedList<T>: what a query of a cache found.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <kube/cache/cached.hpp>

namespace kube {

/// Objects of one state of a cache, to walk, count, sort and keep; a vector in all but its care for
/// temporaries.
///
/// @par Lifetimes   A list without a name hands out its elements by value, so that
///   `const auto first = lister.list()[0];` is safe, and `lister.list()[0]->spec` does not compile
///   (Cached says why). `for (const auto& pod : lister.list())` keeps the list for the loop.
/// @par Cost   A copy counts each object once more. The conversion of a temporary into a vector
///   moves.
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
  CachedList(std::vector<Cached<T>> objects) noexcept  // implicit: it is one
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

  /// Require that there is such an element.
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
