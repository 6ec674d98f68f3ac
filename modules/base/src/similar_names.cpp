// SPDX-License-Identifier: Apache-2.0
#include <kube/base/similar_names.hpp>

#include <algorithm>
#include <numeric>

#include <kube/base/ascii.hpp>

namespace kube {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;  // the row before the last one
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t wrong = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + wrong});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = std::exchange(last, std::move(row));
  }
  return last.back();
}

}  // namespace

SimilarNames::SimilarNames(std::string_view wanted) : wanted_(ascii::to_lower(wanted)) {}

std::size_t SimilarNames::mistakes(std::string_view candidate) const {
  const std::string name = ascii::to_lower(candidate);
  const bool beginning = wanted_.size() > 2 && name != wanted_ && name.starts_with(wanted_);
  if (beginning) return 1;
  // Each extra or missing letter is a mistake.
  const std::size_t least =
      std::max(name.size(), wanted_.size()) - std::min(name.size(), wanted_.size());
  return least > tolerance() ? least : distance(wanted_, name);
}

std::size_t SimilarNames::tolerance() const {
  return std::max<std::size_t>(1, wanted_.size() / 3);
}

void SimilarNames::add(std::size_t mistakes, std::string shown) {
  if (mistakes > tolerance()) return;
  const auto known = std::ranges::find(near_, shown, &std::pair<std::size_t, std::string>::second);
  if (known == near_.end()) {
    near_.emplace_back(mistakes, std::move(shown));
  } else {
    known->first = std::min(known->first, mistakes);
  }
}

std::string SimilarNames::hint() const {
  auto near = near_;
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string>::first);
  constexpr std::size_t kEnough = 5;
  if (near.size() > kEnough) near.resize(kEnough);
  std::string text;
  for (const auto& [mistakes, name] : near) {
    text += text.empty() ? "; similar: " : ", ";
    text += name;
  }
  return text;
}

}  // namespace kube
