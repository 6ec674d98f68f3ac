// SPDX-License-Identifier: Apache-2.0
//
// kube::meta::Nullable: a list, map or bytes field whose JSON distinguishes null from empty.
#pragma once

#include <utility>

namespace kube::meta {

/// A std::vector (or map, or string) that remembers whether an empty value is [], {} or "", or
/// null. A few fields of the API always write their key and distinguish the two; kube-gen uses this
/// for them and plain containers for all others. A default-constructed Nullable, or one to which an
/// empty container was assigned, writes null, as a nil slice of Go does. Comparison ignores the
/// difference.
///
/// @par Thread safety   A value.
template <class Container>
class Nullable : public Container {
 public:
  using Container::Container;
  Nullable() = default;
  Nullable(Container value) : Container(std::move(value)) {}  // implicit: a container is one

  /// Whether it writes null.
  bool is_null() const { return this->empty() && !explicit_; }
  /// Clears it; it then writes the empty value, not null.
  void set_empty() {
    this->clear();
    explicit_ = true;
  }

  friend bool operator==(const Nullable& a, const Nullable& b) {
    return static_cast<const Container&>(a) == static_cast<const Container&>(b);
  }

 private:
  bool explicit_ = false;
};

}  // namespace kube::meta
