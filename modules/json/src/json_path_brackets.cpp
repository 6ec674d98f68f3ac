// SPDX-License-Identifier: Apache-2.0
//
// What is in brackets: indexes, slices, names, unions of them, and filters.
#include <algorithm>
#include <charconv>
#include <utility>

#include "json_path_parser.hpp"

namespace kube::json::path {

Result<void> Parser::bracket(Nodes& nodes) {
  const std::size_t begin = at_++;
  if (++nesting_ > kMaxNesting) return wrong("nested too deep", begin);
  if (take("?(")) {
    auto found = filter();
    if (!found) return found.error();
    nodes.push_back(*std::move(found));
    --nesting_;
    return {};
  }
  std::vector<Nodes> items;
  do {
    auto item = bracket_item();
    if (!item) return item.error();
    items.push_back(*std::move(item));
    blanks();
  } while (take(','));
  if (!take(']')) return wrong(at_end() ? "unterminated array" : "expected ',' or ']'");
  --nesting_;
  if (items.size() > 1) {
    nodes.push_back({.kind = Node::Kind::Union, .lists = std::move(items)});
  } else {
    std::ranges::move(items.front(), std::back_inserter(nodes));
  }
  return {};
}

Result<Nodes> Parser::bracket_item() {
  blanks();
  if (peek() == '\'' || peek() == '"') return quoted_names();
  const std::size_t begin = at_;
  const std::size_t end = text_.find_first_of(",]\n\r", at_);
  if (end == std::string_view::npos || (text_[end] != ',' && text_[end] != ']'))
    return wrong("unterminated array", begin);
  at_ = end;
  std::string_view text = text_.substr(begin, end - begin);
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  auto found = text == "*" ? Result<Node>(Node{.kind = Node::Kind::Slice}) : slice(begin, text);
  if (!found) return found.error();
  return Nodes{*std::move(found)};
}

// 'a.b' is a path, as in kubectl: the dot of a name is written \.
Result<Nodes> Parser::quoted_names() {
  const std::size_t begin = at_;
  const char quote = text_[at_++];
  Nodes nodes;
  for (;;) {
    std::string name;
    const bool all = peek() == '*' && (peek(1) == quote || peek(1) == '.');
    while (!at_end() && peek() != quote && peek() != '.') {
      if (peek() == '\\' && at_ + 1 < text_.size()) ++at_;
      name += text_[at_++];
    }
    if (all) {
      nodes.push_back({.kind = Node::Kind::All});
    } else {
      nodes.push_back({.name = std::move(name)});
    }
    if (take(quote)) return nodes;
    if (!take('.')) return wrong("unterminated quoted string", begin);
  }
}

Result<Node> Parser::slice(std::size_t begin, std::string_view text) const {
  Node node{.kind = Node::Kind::Slice};
  std::optional<std::int64_t>* const numbers[] = {&node.slice.begin, &node.slice.end,
                                                  &node.slice.step};
  const auto invalid = [&] { return wrong("invalid array index " + std::string(text), begin); };
  std::size_t count = 0;
  for (std::size_t at = 0; at <= text.size(); ++count) {
    if (count == std::size(numbers)) return invalid();
    const std::size_t end = std::min(text.find(':', at), text.size());
    const std::string_view digits = text.substr(at, end - at);
    at = end + 1;
    if (digits.empty()) continue;
    std::int64_t value = 0;
    const char* const last = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), last, value);
    if (read.ptr != last && digits != "-") return invalid();
    if (read.ec != std::errc())
      return wrong("array index " + std::string(digits) + " is not a number", begin);
    *numbers[count] = value;
  }
  node.slice.single = count == 1;
  return node;
}

Result<Node> Parser::filter() {
  Node node{.kind = Node::Kind::Filter};
  auto left = expression(Within::Filter);
  if (!left) return left.error();
  node.lists.push_back(*std::move(left));
  if (peek() != ')') {
    auto op = comparison();
    if (!op) return op.error();
    node.op = *op;
    auto right = expression(Within::Filter);
    if (!right) return right.error();
    node.lists.push_back(*std::move(right));
  }
  if (!take(')')) return wrong("expected ')'");
  if (!take(']')) return wrong("unclosed array expect ]");
  return node;
}

Result<Operator> Parser::comparison() {
  static constexpr std::pair<std::string_view, Operator> kOperators[] = {
      {"==", Operator::Equal},     {"!=", Operator::NotEqual}, {"<", Operator::Less},
      {"<=", Operator::LessEqual}, {">", Operator::Greater},   {">=", Operator::GreaterEqual}};
  const std::size_t begin = at_;
  while (expression_ends(Within::Filter) && peek() != ')' && !at_end()) ++at_;
  const std::string_view text = text_.substr(begin, at_ - begin);
  for (const auto& [word, op] : kOperators) {
    if (text == word) return op;
  }
  return wrong("unrecognized filter operator " + std::string(text), begin);
}

}  // namespace kube::json::path
