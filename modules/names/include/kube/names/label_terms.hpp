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

/// Labels in order of their keys.
using SortedLabels = std::vector<std::pair<std::string, std::string>>;

/// A label selector made ready for many objects: what it asks of one key is one term, however many
/// requirements say so.
///
/// @par Cost   matches(): a look-up for each of the object's labels or of the selector's keys,
///   whichever are fewer; logarithmic in what is looked up.
class LabelTerms {
 public:
  LabelTerms() = default;
  explicit LabelTerms(const Selector& selector);

  bool matches(const SortedLabels& labels) const;
  bool empty() const { return present_.empty() && absent_.empty() && !nothing_; }

 private:
  struct Term {
    std::string key{};
    bool required = false;                                        ///< The label must be there,
    bool forbidden = false;                                       ///< must not be there,
    std::optional<std::set<std::string, std::less<>>> allowed{};  ///< have one of these values,
    std::set<std::string, std::less<>> denied{};                  ///< none of these,
    std::optional<std::int64_t> above{};                          ///< more than this,
    std::optional<std::int64_t> below{};                          ///< less than this.

    void take(const Requirement& requirement);
    bool accepts(std::string_view value) const;
  };

  bool nothing_ = false;
  std::vector<Term> present_;  ///< Of labels that must be there; both in order of their keys.
  std::vector<Term> absent_;   ///< Of labels that may be missing.
};

}  // namespace kube::labels
