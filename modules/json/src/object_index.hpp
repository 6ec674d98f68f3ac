// SPDX-License-Identifier: Apache-2.0
//
// Finds the members of large objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <kube/json/value.hpp>

namespace kube::json {

/// A table of places by name, with linear probing. It does not hold the names: each function is
/// given the members that the table was made of.
struct Object::Index {
 public:
  explicit Index(const std::vector<Member>& members);

  /// The position of the first member of that name; the number of members when there is none.
  std::size_t find(const std::vector<Member>& members, std::string_view name) const;
  /// Takes in the last member; false when there is no room.
  bool append(const std::vector<Member>& members);
  /// Gives up a member that is about to be removed; false when it has a namesake, which the table
  /// does not know.
  bool erase(const std::vector<Member>& members, std::size_t place);

 private:
  // Where a name is in the table, or the empty slot where it would be.
  std::size_t slot_of(const std::vector<Member>& members, std::string_view name) const;

  static constexpr std::uint32_t kEmpty = 0xffffffff;
  std::vector<std::uint32_t> places_;  ///< As many as a power of two, half of them empty.
  std::size_t used_ = 0;
};

}  // namespace kube::json
