// SPDX-License-Identifier: Apache-2.0
#include "label_lexer.hpp"

namespace kube::labels::detail {

namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";
constexpr std::string_view kEndsIdentifier = "=!(),>< \t\r\n";

Token symbol(char c) {
  switch (c) {
    case '(':
      return Token::OpenParenthesis;
    case ')':
      return Token::ClosedParenthesis;
    case ',':
      return Token::Comma;
    case '!':
      return Token::DoesNotExist;
    case '=':
      return Token::Equals;
    case '>':
      return Token::GreaterThan;
    case '<':
      return Token::LessThan;
    default:
      return Token::Identifier;
  }
}

}  // namespace

std::vector<ScannedItem> scan(std::string_view text) {
  std::vector<ScannedItem> items;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(kWhiteSpace, at)) != std::string_view::npos) {
    ScannedItem item{symbol(text[at]), text.substr(at, 1)};
    if (item.token == Token::Identifier) {
      item.literal = text.substr(at, text.find_first_of(kEndsIdentifier, at) - at);
      if (item.literal == "in") item.token = Token::In;
      if (item.literal == "notin") item.token = Token::NotIn;
    } else if (text.substr(at, 2) == "==") {
      item = {Token::DoubleEquals, text.substr(at, 2)};
    } else if (text.substr(at, 2) == "!=") {
      item = {Token::NotEquals, text.substr(at, 2)};
    }
    at += item.literal.size();
    items.push_back(item);
  }
  items.push_back({Token::EndOfString, text.substr(text.size())});
  return items;
}

}  // namespace kube::labels::detail
