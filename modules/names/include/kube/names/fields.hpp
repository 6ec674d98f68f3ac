// SPDX-License-Identifier: Apache-2.0
//
// Field selectors: "metadata.name=x,status.phase!=Running". Which fields a resource supports is the
// server's affair; here is the syntax.
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

struct Requirement {
  std::string field;
  bool equals = true;  ///< false: !=
  std::string value{};
  /// "field=value" or "field!=value", the value escaped.
  std::string to_string() const;
  bool operator==(const Requirement&) const = default;
};

/// The value of a field; an absent field counts as "".
using Lookup = std::function<std::string(std::string_view field)>;

/// The new field and value of a requirement; both empty drop it.
using Transform = std::function<Result<std::pair<std::string, std::string>>(
    std::string_view field, std::string_view value)>;

/// A conjunction; an empty one matches everything. A value.
class Selector {
 public:
  Selector() = default;
  explicit Selector(std::vector<Requirement> requirements)
      : requirements_(std::move(requirements)) {}
  /// Equality with each field.
  static Selector from_set(const Set& fields);
  /// The selector that matches nothing, which has no text form.
  static Selector nothing();
  static Selector one_term_equal(std::string_view field, std::string_view value);
  static Selector one_term_not_equal(std::string_view field, std::string_view value);
  /// All of them must match.
  static Selector all_of(const std::vector<Selector>& selectors);

  bool matches(const Lookup& fields) const;
  bool matches(const Set& fields) const;
  bool empty() const { return requirements_.empty() && !nothing_; }
  const std::vector<Requirement>& requirements() const& { return requirements_; }
  std::vector<Requirement> requirements() const&& { return requirements_; }
  /// The value that the field must have, if some requirement says so.
  std::optional<std::string> required_value(std::string_view field) const;
  /// The selector with fields renamed and values rewritten, as a server does for aliases; the first
  /// error of `transform` ends it.
  Result<Selector> transformed(const Transform& transform) const;
  std::string to_string() const;
  bool operator==(const Selector&) const = default;

 private:
  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

/// Reads a selector: terms sorted as text, empty terms skipped, no white space trimmed, field names
/// unchecked. InvalidArgument in apimachinery's words, such as "invalid selector: 'x=a,b'; can't
/// understand 'b'".
Result<Selector> parse(std::string_view text);

/// Escapes backslash, comma and equals sign.
std::string escape_value(std::string_view value);
/// The inverse; InvalidArgument for another escape sequence, a bare comma or equals sign.
Result<std::string> unescape_value(std::string_view value);

}  // namespace kube::fields
