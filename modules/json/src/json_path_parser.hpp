// SPDX-License-Identifier: Apache-2.0
//
// Reads JSONPath expressions and templates of text with expressions in braces.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>

#include "json_path_nodes.hpp"

namespace kube::json::path {

/// A part of a template: text, an expression, or the parts between "{range ...}" and "{end}".
struct Part {
  enum class Kind : std::uint8_t { Text, Find, Range };
  Kind kind = Kind::Text;
  Nodes nodes{};              ///< For Text, one literal. For Range, what it ranges over.
  std::vector<Part> parts{};  ///< Range.
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  /// Reads a template.
  /// @par Errors   InvalidArgument, with the offset.
  Result<std::vector<Part>> parse_template();
  /// Reads one path, in braces or without; the first dot may be missing.
  /// @par Errors   InvalidArgument, with the offset; also for literals.
  Result<Nodes> parse_path();

 private:
  // Where an expression ends: at a brace, at the end of the text, or inside of a filter.
  enum class Within { Braces, Text, Filter };

  static constexpr int kMaxNesting = 64;

  char peek(std::size_t ahead = 0) const;
  bool at_end() const { return at_ >= text_.size(); }
  bool take(char c);
  bool take(std::string_view word);
  void blanks();
  Error wrong(std::string_view what, std::size_t at) const;
  Error wrong(std::string_view what) const { return wrong(what, at_); }

  Result<std::vector<Part>> parts(bool in_range);
  Result<Part> action(bool& ends_range);
  std::string keyword() const;

  Result<Nodes> expression(Within within);
  Result<void> step(Within within, Nodes& nodes);
  Result<void> recursive(Within within, Nodes& nodes);
  Result<Node> number();
  Result<void> word(Within within, Nodes& nodes);
  Result<std::string> quoted();
  Result<void> escape(std::string& out);
  std::string field(Within within);
  bool ends_field(char c, Within within) const;
  bool expression_ends(Within within) const;

  Result<void> bracket(Nodes& nodes);
  Result<Nodes> bracket_item();
  Result<Nodes> quoted_names();
  Result<Node> slice(std::size_t begin, std::string_view text) const;
  Result<Node> filter();
  Result<Operator> comparison();

  std::string_view text_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace kube::json::path
