// SPDX-License-Identifier: Apache-2.0
//
// Cuts the text of a label selector into tokens.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace kube::labels::detail {

enum class Token {
  EndOfString,
  ClosedParenthesis,
  Comma,
  DoesNotExist,
  DoubleEquals,
  Equals,
  GreaterThan,
  Identifier,
  In,
  LessThan,
  NotEquals,
  NotIn,
  OpenParenthesis,
};

struct ScannedItem {
  Token token = Token::EndOfString;
  std::string_view literal{};  ///< Points into the text.
  bool operator==(const ScannedItem&) const = default;
};

/// Cuts `text` into tokens; the last one is EndOfString. All characters except white space and = !
/// ( ) , > < form identifiers, so every text is valid here.
std::vector<ScannedItem> scan(std::string_view text);

}  // namespace kube::labels::detail
