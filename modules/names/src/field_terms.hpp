// SPDX-License-Identifier: Apache-2.0
//
// Splits the text of a field selector into terms.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace kube::fields::detail {

/// Splits at commas that no backslash escapes; none for an empty text.
std::vector<std::string_view> split_terms(std::string_view text);

struct Term {
  std::string_view field;
  std::string_view op;     ///< "!=", "==" or "="
  std::string_view value;  ///< Still escaped.
  bool operator==(const Term&) const = default;
};

std::optional<Term> split_term(std::string_view term);

}  // namespace kube::fields::detail
