// SPDX-License-Identifier: Apache-2.0
//
// Label selectors, prepared for matching many objects.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/names/labels.hpp>

namespace kube::labels {

/// Labels in order of their keys. Who has them keeps the texts alive.
using SortedLabels = std::vector<std::pair<std::string_view, std::string_view>>;

/// A label selector prepared for many objects: all requirements on one key become one term.
///
/// @par Thread safety   A value: distinct threads may match with one object.
/// @par Cost   matches(): a look-up for each of the object's labels or of the selector's keys,
///   whichever are fewer; each is logarithmic in the size of the other.
class LabelTerms {
 public:
  LabelTerms() = default;
  explicit LabelTerms(const Selector& selector);

  bool matches(const SortedLabels& labels) const;
  bool empty() const { return present_.empty() && absent_.empty() && !nothing_; }

 private:
  struct Term {
    std::string key{};
    bool required = false;                                        ///< The label must exist,
    bool forbidden = false;                                       ///< must not exist,
    std::optional<std::set<std::string, std::less<>>> allowed{};  ///< have one of these values,
    std::set<std::string, std::less<>> denied{};                  ///< none of these,
    std::optional<std::int64_t> above{};                          ///< more than this,
    std::optional<std::int64_t> below{};                          ///< less than this.

    void take(const Requirement& requirement);
    bool accepts(std::string_view value) const;
  };

  bool nothing_ = false;
  std::vector<Term> present_;  ///< Terms of labels that must exist, sorted by key.
  std::vector<Term> absent_;   ///< Terms of labels that may be missing, sorted by key.
};

}  // namespace kube::labels
