// SPDX-License-Identifier: Apache-2.0
//
// Patterns and formats of strings in schemas.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kube::meta {

/// A regular expression that is searched for. Linear in the text for any expression.
class Pattern {
 public:
  /// Nothing for a syntax that isn't known here: Go's and ECMAScript's differ in (?i), \pL, \z and
  /// named groups.
  static std::optional<Pattern> compile(std::string_view expression);
  bool is_in(std::string_view text) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Whether a text has a format of CRD schemas ("date-time" without its hyphen: "datetime"); nothing
/// for a format that isn't known.
using FormatCheck = bool (*)(std::string_view text);
FormatCheck find_format(std::string_view name);

}  // namespace kube::meta
