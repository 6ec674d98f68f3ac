// SPDX-License-Identifier: Apache-2.0
//
// What somebody may have meant by a name that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kube {

/// Collects names that differ from the wanted one by few typing mistakes, in any case of letters.
/// Each candidate costs the product of both lengths.
class SimilarNames {
 public:
  explicit SimilarNames(std::string_view wanted);

  /// Typing mistakes between the wanted name and this one: letters too many, missing, wrong, or
  /// two swapped; a beginning of three letters counts as one. Of too many no more than their least
  /// number is told.
  std::size_t mistakes(std::string_view candidate) const;

  /// Counts the candidate that is listed as `shown`, if its mistakes are no more than a third of
  /// the wanted name's letters.
  void add(std::size_t mistakes, std::string shown);

  /// "; similar: pods, nodes": five at most, the nearest first; empty when there is none.
  std::string hint() const;

 private:
  std::size_t tolerance() const;

  std::string wanted_;
  std::vector<std::pair<std::size_t, std::string>> near_;
};

}  // namespace kube
