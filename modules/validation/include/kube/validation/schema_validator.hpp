// SPDX-License-Identifier: Apache-2.0
//
// Values against structural schemas: required fields, enumerations, ranges, lengths, patterns,
// formats, unique elements and combined schemas, in the words of the API server.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

namespace kube::meta {

/// What the patterns of schemas may take together. A pattern that several fields have counts once.
struct PatternAllowance {
  std::size_t bytes = std::size_t{1} << 18U;   ///< Length of the expressions.
  std::size_t memory = std::size_t{1} << 25U;  ///< What they come to hold, in bytes.
};

struct SchemaOptions {
  /// The object of schemas that "$ref" speaks of ("#/components/schemas/NAME"); null when there are
  /// none. It is only looked at in create().
  const json::Value* components = nullptr;
  /// Where the schema is: what errors and unchecked() begin their paths with.
  FieldPath path = FieldPath("schema");
  /// What is left for patterns; null for one of its own. create() takes from it.
  PatternAllowance* allowance = nullptr;
};

/// One openAPIV3Schema of a CustomResourceDefinition or one component of an OpenAPI v3 document,
/// compiled. It says what a server's 422 would say of the schema: types (null included), required,
/// enum, minimum, maximum, multipleOf, minLength, maxLength, pattern, format, minItems, maxItems,
/// uniqueItems, minProperties, maxProperties, allOf, anyOf, oneOf, not, x-kubernetes-list-type set
/// and map, x-kubernetes-embedded-resource, x-kubernetes-int-or-string. A null in a field that
/// isn't nullable counts as absent, as servers drop it. It fills in no defaults and says nothing of
/// fields that the schema doesn't name: that is strict reading's part.
///
/// Three things differ from servers: bounds with a fraction hold by their value, where a server may
/// cut the fraction off; the format hostname takes anything outside of ASCII for a letter; and
/// patterns have limits (refused_patterns()).
///
/// @par Thread safety   Immutable.
/// @par Cost   create(): linear in the schema. validate(): each part of the schema looks at each
///   value once at most, and a look takes time linear in the value, patterns included. Where parts
///   that refer to each other (by $ref) ask for more looks than the schema has parts, or 64, for
///   each value there is, and for more than 10,000, that is an internal error; so it is where
///   patterns may take more than half a billion steps (a text's bytes by the parts of its pattern),
///   about two seconds.
class SchemaValidator {
 public:
  /// @par Errors   Decode for a schema that is no object, naming its path, and for one that
  ///   consists of itself.
  static Result<SchemaValidator> create(const json::Value& schema,
                                        const SchemaOptions& options = {});

  SchemaValidator(SchemaValidator&&) noexcept;
  SchemaValidator& operator=(SchemaValidator&&) noexcept;
  ~SchemaValidator();

  /// Everything that is wrong with a value, in the order of the schema.
  FieldErrors validate(const json::Value& value) const;

  /// What the schema asks for and validate() doesn't look at, by path: rules in CEL
  /// (x-kubernetes-validations), formats that servers don't know or not of the type, references to
  /// what is not there, and refused_patterns().
  const std::vector<std::string>& unchecked() const&;
  std::vector<std::string> unchecked() const&& { return unchecked(); }

  /// Patterns that a server refuses, as it says it, and those that are too large for here: longer
  /// than 8 KiB, larger than a MiB when compiled, or more than the allowance. Where a pattern is
  /// too large, those after it are not looked at. Of many the first ones (has_enough()).
  const FieldErrors& refused_patterns() const&;
  FieldErrors refused_patterns() const&& { return refused_patterns(); }

  struct Node;
  struct Impl;

 private:
  explicit SchemaValidator(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace kube::meta
