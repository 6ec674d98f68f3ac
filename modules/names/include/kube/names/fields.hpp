// SPDX-License-Identifier: Apache-2.0
//
// Field selectors: "metadata.name=x,status.phase!=Running". This is their syntax; the server
// decides which fields a resource supports.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>

namespace kube::fields {

using Set = std::map<std::string, std::string, std::less<>>;

/// One term of a selector.
///
/// @par Thread safety   A value.
struct Requirement {
  std::string field;
  bool equals = true;  ///< false: !=
  std::string value{};
  /// "field=value" or "field!=value", the value escaped.
  std::string to_string() const;
  bool operator==(const Requirement&) const = default;
};

/// Returns the value of a field; "" for an absent one.
using Lookup = std::function<std::string(std::string_view field)>;

/// Returns the new field and value of a requirement; when both are empty, the requirement is
/// dropped.
using Transform = std::function<Result<std::pair<std::string, std::string>>(
    std::string_view field, std::string_view value)>;

/// A conjunction of requirements; an empty one matches everything.
///
/// @par Thread safety   A value.
class Selector {
 public:
  Selector() = default;
  explicit Selector(std::vector<Requirement> requirements)
      : requirements_(std::move(requirements)) {}
  /// Requires equality with each field.
  static Selector from_set(const Set& fields);
  /// The selector that matches nothing, which has no text form.
  static Selector nothing();
  static Selector one_term_equal(std::string_view field, std::string_view value);
  static Selector one_term_not_equal(std::string_view field, std::string_view value);
  /// Matches what all of `selectors` match.
  static Selector all_of(const std::vector<Selector>& selectors);

  bool matches(const Lookup& fields) const;
  bool matches(const Set& fields) const;
  bool empty() const { return requirements_.empty() && !nothing_; }
  const std::vector<Requirement>& requirements() const& { return requirements_; }
  std::vector<Requirement> requirements() const&& { return requirements_; }
  /// Returns the value that the field must have; nullopt if no requirement sets one.
  std::optional<std::string> required_value(std::string_view field) const;
  /// Returns the selector with fields renamed and values rewritten, as a server does for aliases.
  /// @par Errors   The first error that `transform` returns.
  Result<Selector> transformed(const Transform& transform) const;
  std::string to_string() const;
  bool operator==(const Selector&) const = default;

 private:
  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

/// Reads a selector: sorts the terms as text, skips empty ones, trims no white space and does not
/// check field names.
/// @par Errors   InvalidArgument in apimachinery's words, such as "invalid selector: 'x=a,b'; can't
///   understand 'b'".
Result<Selector> parse(std::string_view text);

/// Escapes backslash, comma and equals sign.
std::string escape_value(std::string_view value);
/// The inverse of escape_value().
/// @par Errors   InvalidArgument for another escape sequence, a bare comma or equals sign; names
///   the value.
Result<std::string> unescape_value(std::string_view value);

}  // namespace kube::fields
