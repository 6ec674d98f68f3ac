// SPDX-License-Identifier: Apache-2.0
//
// Checks values against structural schemas: required fields, enumerations, ranges, lengths,
// patterns, formats, unique elements and combined schemas, in the words of the API server.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

namespace kube::meta {

/// The maximum that the patterns of schemas may use in total. A pattern that several fields have
/// counts once.
struct PatternAllowance {
  std::size_t bytes = std::size_t{1} << 18U;   ///< The length of the expressions.
  std::size_t memory = std::size_t{1} << 25U;  ///< The size of the compiled patterns, in bytes.
};

struct SchemaOptions {
  /// The schemas that "$ref" refers to ("#/components/schemas/NAME"); null if there are none. Only
  /// create() uses it.
  const json::Value* components = nullptr;
  /// The path of the schema, with which the paths of errors and unchecked() begin.
  FieldPath path = FieldPath("schema");
  /// What remains for patterns; create() takes from it. Null for a separate allowance.
  PatternAllowance* allowance = nullptr;
};

/// One openAPIV3Schema of a CustomResourceDefinition or one component of an OpenAPI v3 document,
/// compiled. It checks what a server's 422 reports: types (null included), required, enum, minimum,
/// maximum, multipleOf, minLength, maxLength, pattern, format, minItems, maxItems, uniqueItems,
/// minProperties, maxProperties, allOf, anyOf, oneOf, not, x-kubernetes-list-type set and map,
/// x-kubernetes-embedded-resource, x-kubernetes-int-or-string. A null in a field that isn't
/// nullable counts as absent, as servers drop it. It neither sets defaults nor checks for fields
/// that the schema doesn't name, which strict reading does.
///
/// It differs from servers in three ways: a bound with a fraction applies as it is, where a server
/// may truncate it; the format hostname accepts any character outside of ASCII as a letter; and
/// patterns have limits (refused_patterns()).
///
/// @par Thread safety   Immutable.
/// @par Cost   create(): linear in the schema. validate(): each part of the schema checks each
///   value at most once, in time linear in the value, patterns included. It reports an internal
///   error when parts that refer to each other (by $ref) need more than 10,000 checks and, beyond
///   that, more for each value than the schema has parts (or 64, if it has fewer); and when
///   patterns may take more than half a billion steps (a text's bytes by the parts of its pattern),
///   about two seconds.
class SchemaValidator {
 public:
  /// Compiles a schema.
  /// @par Errors   Decode for a schema that is not an object, naming its path, and for one that
  ///   consists of itself.
  static Result<SchemaValidator> create(const json::Value& schema,
                                        const SchemaOptions& options = {});
  template <AnyText T>
  static Result<SchemaValidator> create(const T& text, const SchemaOptions& options = {}) =
      delete;  // json::parse() it first.

  SchemaValidator(SchemaValidator&&) noexcept;
  SchemaValidator& operator=(SchemaValidator&&) noexcept;
  ~SchemaValidator();

  /// Returns the errors of a value, in the order of the schema.
  FieldErrors validate(const json::Value& value) const;

  /// Returns the rules of the schema that validate() doesn't check, by path: rules in CEL
  /// (x-kubernetes-validations), formats that are unknown to servers or do not apply to the type,
  /// references to missing schemas, and refused_patterns().
  const std::vector<std::string>& unchecked() const&;
  std::vector<std::string> unchecked() const&& { return unchecked(); }

  /// Returns the patterns that a server rejects, in its words, and those that are too large for
  /// this class: longer than 8 KiB, larger than 1 MiB when compiled, or beyond the allowance.
  /// Patterns after one that is too large are not compiled. The list ends when has_enough().
  const FieldErrors& refused_patterns() const&;
  FieldErrors refused_patterns() const&& { return refused_patterns(); }

  struct Node;
  struct Impl;

 private:
  friend class StructuralSchema;
  const Node& root() const;
  explicit SchemaValidator(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace kube::meta
