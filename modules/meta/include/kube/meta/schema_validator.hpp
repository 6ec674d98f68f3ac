// SPDX-License-Identifier: Apache-2.0
//
// Values against structural schemas: required fields, enumerations, ranges, lengths, patterns,
// formats, unique elements and combined schemas, in the words of the API server.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/field_error.hpp>

namespace kube::meta {

/// One openAPIV3Schema of a CustomResourceDefinition or one component of an OpenAPI v3 document,
/// compiled. It says what a server's 422 would say of the schema: types (null included), required,
/// enum, minimum, maximum, multipleOf, minLength, maxLength, pattern, format, minItems, maxItems,
/// uniqueItems, minProperties, maxProperties, allOf, anyOf, oneOf, not, x-kubernetes-list-type set
/// and map, x-kubernetes-embedded-resource, x-kubernetes-int-or-string. A null in a field that
/// isn't nullable counts as absent, as servers drop it. It fills in no defaults and says nothing of
/// fields that the schema doesn't name: that is strict reading's part.
///
/// Two things differ from servers: bounds with a fraction hold by their value, where a server may
/// cut the fraction off, and the format hostname takes anything outside of ASCII for a letter.
///
/// @par Thread safety   Immutable.
/// @par Cost   validate(): each part of the schema looks at each value once at most, and a look
///   takes time linear in the value, patterns included. Where parts that refer to each other (by
///   $ref) ask for more looks than the schema has parts, or 64, for each value there is, and for
///   more than 10,000, that is an internal error.
class SchemaValidator {
 public:
  /// `components`: the object of schemas that "$ref" speaks of ("#/components/schemas/NAME"); null
  /// when there are none. It is only looked at here.
  /// @par Errors   Decode for a schema that is no object, naming its path, and for one that
  /// consists
  ///   of itself.
  static Result<SchemaValidator> create(const json::Value& schema,
                                        const json::Value* components = nullptr);

  SchemaValidator(SchemaValidator&&) noexcept;
  SchemaValidator& operator=(SchemaValidator&&) noexcept;
  ~SchemaValidator();

  /// Everything that is wrong with a value, in the order of the schema.
  FieldErrors validate(const json::Value& value) const;

  /// What the schema asks for and validate() doesn't look at, by path: rules in CEL
  /// (x-kubernetes-validations), formats that servers don't know or not of the type, patterns in a
  /// syntax that is not known here, and references to what is not there.
  const std::vector<std::string>& unchecked() const&;
  std::vector<std::string> unchecked() const&& { return unchecked(); }

  struct Node;
  struct Impl;

 private:
  explicit SchemaValidator(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace kube::meta
