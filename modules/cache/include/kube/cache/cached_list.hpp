// SPDX-License-Identifier: Apache-2.0
//
// kube::CachedList<T>: the result of a query of a cache; and the list that it is, for elements of
// other types that hold objects of a cache.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <kube/cache/cached.hpp>

namespace kube {

namespace cache {

/// Elements which a program can iterate over, count, sort and keep. Like a vector, except that
/// temporaries are safe.
///
/// @par Lifetimes   A temporary list returns its elements by value, so that
///   `const auto first = lister.list()[0];` is safe, and `lister.list()[0]->spec` does not compile
///   (see Cached). `for (const auto& pod : lister.list())` keeps the list for the loop.
/// @par Thread safety   A value.
/// @par Cost   A list of at least half of a cache keeps the cache's objects of its moment together,
///   without a count for each: until it is destroyed, of objects that change or go meanwhile the
///   state of that moment stays in memory, also of those that it does not have. Moving an element
///   within it, as sorting does, or out of it counts a reference; so does the first access to the
///   decoded object. Shorter lists and copies count a reference to each of their objects. The
///   conversion into a vector counts one, too, for a temporary list that keeps all together, and
///   moves any other temporary.
template <class E>
class ValueList {
 public:
  using value_type = E;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = E&;
  using const_reference = const E&;
  using iterator = typename std::vector<E>::iterator;
  using const_iterator = typename std::vector<E>::const_iterator;

  ValueList() noexcept = default;
  ValueList(std::vector<E> elements) noexcept  // implicit on purpose
      : elements_(std::move(elements)) {}
  /// The lease keeps those of the elements that are borrowed.
  ValueList(std::vector<E> elements, CellLease lease) noexcept
      : lease_(std::move(lease)), elements_(std::move(elements)) {}
  ValueList(ValueList&& other) noexcept = default;
  ValueList& operator=(ValueList&& other) noexcept {
    elements_ = std::move(other.elements_);  // those before end under their lease
    lease_ = std::move(other.lease_);
    return *this;
  }
  /// Copies count a reference to each element, and need no lease.
  ValueList(const ValueList& other) : elements_(other.elements_) {}
  ValueList& operator=(const ValueList& other) {
    if (this != &other) *this = ValueList(other);
    return *this;
  }
  ~ValueList() = default;
  operator std::vector<E>() const& { return elements_; }
  operator std::vector<E>() && {
    if (lease_ != nullptr) return elements_;  // copies, which count
    return std::move(elements_);
  }

  std::size_t size() const noexcept { return elements_.size(); }
  bool empty() const noexcept { return elements_.empty(); }

  iterator begin() & noexcept { return elements_.begin(); }
  iterator end() & noexcept { return elements_.end(); }
  const_iterator begin() const& noexcept { return elements_.begin(); }
  const_iterator end() const& noexcept { return elements_.end(); }
  const_iterator begin() const&& = delete;  // Give the list a name first.
  const_iterator end() const&& = delete;    // Give the list a name first.

  /// These require an element at the index.
  E& operator[](std::size_t index) & { return elements_[index]; }
  const E& operator[](std::size_t index) const& { return elements_[index]; }
  E operator[](std::size_t index) const&& { return elements_[index]; }
  E& front() & { return elements_.front(); }
  const E& front() const& { return elements_.front(); }
  E front() const&& { return elements_.front(); }
  E& back() & { return elements_.back(); }
  const E& back() const& { return elements_.back(); }
  E back() const&& { return elements_.back(); }

 private:
  CellLease lease_;  // ends after the elements
  std::vector<E> elements_;
};

}  // namespace cache

/// Objects from one state of a cache.
template <Object T>
using CachedList = cache::ValueList<Cached<T>>;

}  // namespace kube
