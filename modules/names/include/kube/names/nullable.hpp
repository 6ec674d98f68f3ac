// SPDX-License-Identifier: Apache-2.0
//
// kube::meta::Nullable: a list, map or bytes field whose JSON tells null from empty.
#pragma once

#include <utility>

namespace kube::meta {

/// A std::vector (or map, or string) with a memory for one thing: whether an empty value was given
/// as such ([], {} or "") or not at all (null). A few fields of the API always write their key and
/// keep the two apart; kube-gen uses this for them and plain containers for all others. One made or
/// assigned empty writes null, as a nil slice of Go does. Comparison ignores the difference.
template <class Container>
class Nullable : public Container {
 public:
  using Container::Container;
  Nullable() = default;
  Nullable(Container value) : Container(std::move(value)) {}  // implicit: it is one

  /// Writes null.
  bool is_null() const { return this->empty() && !explicit_; }
  /// Empties it and writes the empty value from now on, not null.
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
