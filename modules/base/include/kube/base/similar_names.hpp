// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Finds the names that a user may have meant by one that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kube {

/// Collects names that differ from the wanted one by a few typing mistakes, ignoring the case of
/// letters.
/// @par Thread safety   One thread at a time.
/// @par Cost   The product of both lengths for each candidate.
class SimilarNames {
 public:
  explicit SimilarNames(std::string_view wanted);

  /// The number of typing mistakes between the wanted name and this one: an extra, missing or wrong
  /// letter, or two swapped ones. A name that begins with the wanted one, of three letters or more,
  /// has one. Above the tolerance of add() the number is a lower bound.
  std::size_t mistakes(std::string_view candidate) const;

  /// Adds the candidate, listed as `shown`, when its mistakes are at most a third of the wanted
  /// name's letters.
  void add(std::size_t mistakes, std::string shown);

  /// "; similar: pods, nodes": at most five, the nearest first; "" without any.
  std::string hint() const;

 private:
  std::size_t tolerance() const;

  std::string wanted_;
  std::vector<std::pair<std::size_t, std::string>> near_;
};

}  // namespace kube
