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

/// A table of positions by name, with linear probing. It does not hold the names: each function
/// takes the members from which the table was made.
struct Object::Index {
 public:
  explicit Index(const std::vector<Member>& members);

  /// Returns the position of the first member of that name; the number of members if there is none.
  std::size_t find(const std::vector<Member>& members, std::string_view name) const;
  /// Adds the last member; returns false when there is no room.
  bool append(const std::vector<Member>& members);
  /// Removes a member that is about to be erased; returns false when another member has its name,
  /// which the table does not know.
  bool erase(const std::vector<Member>& members, std::size_t place);

 private:
  // Returns the slot of a name, or the empty slot where it would be.
  std::size_t slot_of(const std::vector<Member>& members, std::string_view name) const;

  static constexpr std::uint32_t kEmpty = 0xffffffff;
  std::vector<std::uint32_t> places_;  ///< Their number is a power of two; half are empty.
  std::size_t used_ = 0;
};

}  // namespace kube::json
