// SPDX-License-Identifier: Apache-2.0
//
// A recursive-descent parser without recursion: the grammar has no nesting.
#include <set>

#include <kube/base/join.hpp>
#include <kube/names/field_error.hpp>
#include <kube/names/labels.hpp>
#include <kube/names/validation.hpp>

#include "label_lexer.hpp"
#include "label_requirement.hpp"

namespace kube::labels {

namespace {

using detail::ScannedItem;
using detail::Token;

Error found(std::string_view literal, std::string_view expectation) {
  return Error(ErrorCode::InvalidArgument,
               "found '" + std::string(literal) + "'" + std::string(expectation));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : items_(detail::scan(text)) {}

  Result<std::vector<Requirement>> parse() {
    std::vector<Requirement> requirements;
    for (;;) {
      const ScannedItem first = peek_value();
      if (first.token == Token::EndOfString) return requirements;
      if (first.token != Token::Identifier && first.token != Token::DoesNotExist) {
        return found(first.literal, ", expected: !, identifier, or 'end of string'");
      }
      Result<Requirement> requirement = parse_requirement();
      if (!requirement) {
        return Error(ErrorCode::InvalidArgument,
                     "unable to parse requirement: " + requirement.error().message());
      }
      requirements.push_back(*std::move(requirement));
      const ScannedItem next = take_value();
      if (next.token == Token::EndOfString) return requirements;
      if (next.token != Token::Comma) {
        return found(next.literal, ", expected: ',' or 'end of string'");
      }
      const ScannedItem after = peek_value();
      if (after.token != Token::Identifier && after.token != Token::DoesNotExist) {
        return found(after.literal, ", expected: identifier after ','");
      }
    }
  }

 private:
  Result<Requirement> parse_requirement() {
    ScannedItem item = take_value();
    const bool negated = item.token == Token::DoesNotExist;
    if (negated) item = take_value();
    if (item.token != Token::Identifier) return found(item.literal, ", expected: identifier");
    const std::string key(item.literal);
    if (const meta::Problems problems = meta::validate_qualified_name(key); !problems.empty()) {
      return meta::to_error(
          {meta::FieldError::invalid(meta::FieldPath(), key, join(problems, "; "))});
    }
    // If anything else follows a negated key, the caller fails when it expects a comma.
    if (negated) return Requirement{key, Operator::DoesNotExist};
    const Token next = peek_value().token;
    if (next == Token::EndOfString || next == Token::Comma)
      return Requirement{key, Operator::Exists};
    return parse_comparison(key);
  }

  Result<Requirement> parse_comparison(const std::string& key) {
    const ScannedItem item = take();
    Requirement requirement{key, Operator::In};
    switch (item.token) {
      case Token::In:
        requirement.operator_ = Operator::In;
        break;
      case Token::NotIn:
        requirement.operator_ = Operator::NotIn;
        break;
      case Token::Equals:
        requirement.operator_ = Operator::Equals;
        break;
      case Token::DoubleEquals:
        requirement.operator_ = Operator::DoubleEquals;
        break;
      case Token::NotEquals:
        requirement.operator_ = Operator::NotEquals;
        break;
      case Token::GreaterThan:
        requirement.operator_ = Operator::GreaterThan;
        break;
      case Token::LessThan:
        requirement.operator_ = Operator::LessThan;
        break;
      default:
        return found(item.literal, ", expected: in, notin, =, ==, !=, gt, lt");
    }
    const bool set = item.token == Token::In || item.token == Token::NotIn;
    Result<std::set<std::string>> values = set ? parse_values() : parse_exact_value();
    if (!values) return values.error();
    requirement.values.assign(values->begin(), values->end());
    if (const meta::FieldErrors errors = detail::check_requirement(requirement); !errors.empty()) {
      return meta::to_error(errors);
    }
    return requirement;
  }

  Result<std::set<std::string>> parse_values() {
    const ScannedItem open = take_value();
    if (open.token != Token::OpenParenthesis) return found(open.literal, " expected: '('");
    const ScannedItem first = peek_value();
    if (first.token == Token::ClosedParenthesis) {
      take_value();
      return std::set<std::string>{""};
    }
    if (first.token != Token::Identifier && first.token != Token::Comma) {
      return found(first.literal, ", expected: ',', ')' or identifier");
    }
    return parse_identifiers();
  }

  /// Reads from the first value to the closing parenthesis. A comma without a value next to it adds
  /// "".
  Result<std::set<std::string>> parse_identifiers() {
    std::set<std::string> values;
    for (;;) {
      const ScannedItem item = take_value();
      if (item.token == Token::Identifier) {
        values.emplace(item.literal);
        const ScannedItem next = peek_value();
        if (next.token == Token::Comma) continue;
        if (next.token != Token::ClosedParenthesis)
          return found(next.literal, ", expected: ',' or ')'");
        take_value();
        return values;
      }
      if (item.token != Token::Comma) return found(item.literal, ", expected: ',', or identifier");
      if (values.empty()) values.emplace();
      const Token next = peek_value().token;
      if (next == Token::ClosedParenthesis) {
        values.emplace();
        take_value();
        return values;
      }
      if (next == Token::Comma) values.emplace();
    }
  }

  Result<std::set<std::string>> parse_exact_value() {
    const Token next = peek_value().token;
    if (next == Token::EndOfString || next == Token::Comma) return std::set<std::string>{""};
    const ScannedItem item = take_value();
    if (item.token != Token::Identifier) return found(item.literal, ", expected: identifier");
    return std::set<std::string>{std::string(item.literal)};
  }

  ScannedItem peek() const { return items_[at_]; }

  ScannedItem take() {
    const ScannedItem item = peek();
    if (at_ + 1 < items_.size()) ++at_;  // never beyond the end of the string
    return item;
  }

  /// "in" and "notin" are ordinary words except where an operator is expected.
  static ScannedItem as_value(ScannedItem item) {
    if (item.token == Token::In || item.token == Token::NotIn) item.token = Token::Identifier;
    return item;
  }
  ScannedItem peek_value() const { return as_value(peek()); }
  ScannedItem take_value() { return as_value(take()); }

  std::vector<ScannedItem> items_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Selector> parse(std::string_view text) {
  Result<std::vector<Requirement>> requirements = Parser(text).parse();
  if (!requirements) return requirements.error();
  return Selector::from_requirements(*std::move(requirements));
}

}  // namespace kube::labels
