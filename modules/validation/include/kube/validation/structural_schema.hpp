// SPDX-License-Identifier: Apache-2.0
//
// The schema of one version of a CustomResourceDefinition, and what a server does with it: checks
// the schema, and prunes, defaults and checks objects.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/validation/schema_validator.hpp>

namespace kube::meta {

/// A structural schema: an openAPIV3Schema that gives the type of each field, so that unknown
/// fields can be distinguished from known ones. One compiled tree validates (SchemaValidator),
/// prunes and fills in defaults.
///
/// Objects are complete ones: kind, apiVersion and metadata are kept, whatever the schema says
/// about them. The same applies to embedded resources (x-kubernetes-embedded-resource).
///
/// @par Thread safety   Immutable.
class StructuralSchema {
 public:
  /// Returns all errors that a server's 422 would list for the schema: broken rules of structural
  /// schemas, patterns that can't be used, defaults that are too large.
  static FieldErrors check(const json::Value& schema, const SchemaOptions& options = {});
  template <AnyText T>
  static FieldErrors check(const T& text,
                           const SchemaOptions& options = {}) = delete;  // json::parse() it first.

  /// Compiles a schema. Does not check the rules of structural schemas.
  /// @par Errors   Decode, as SchemaValidator::create().
  static Result<StructuralSchema> create(const json::Value& schema,
                                         const SchemaOptions& options = {});
  template <AnyText T>
  static Result<StructuralSchema> create(const T& text, const SchemaOptions& options = {}) =
      delete;  // json::parse() it first.

  /// The maximum size, as JSON, of the defaults that one object may receive: 3 MiB, as for the body
  /// of a request.
  static constexpr std::size_t kMaxDefaultBytes = std::size_t{3} << 20U;

  /// Removes the fields that the schema does not name, and nulls where it allows none; then fills
  /// in defaults.
  /// @par Errors   RequestEntityTooLarge when the defaults are too large.
  Result<void> prune_and_default(json::Value& object) const;

  /// Returns all errors of an object: SchemaValidator::validate().
  FieldErrors validate(const json::Value& object) const { return validator_.validate(object); }
  template <AnyText T>
  FieldErrors validate(const T& text) const = delete;  // json::parse() it first.

  /// Brings the metadata of embedded resources into the form in which ObjectMeta writes it
  /// (normalize_to_type()), and returns the paths of the fields that it drops.
  /// @par Errors   Decode for values of a wrong type.
  Result<std::vector<std::string>> normalize_embedded(json::Value& object) const;

  /// Returns the paths of the fields that prune_and_default() removes because the schema does not
  /// name them; the first ones if there are many (UnknownPaths).
  std::vector<std::string> unknown_fields(const json::Value& object) const;
  template <AnyText T>
  std::vector<std::string> unknown_fields(const T& text) const = delete;  // json::parse() it first.

 private:
  explicit StructuralSchema(SchemaValidator validator);

  SchemaValidator validator_;
};

}  // namespace kube::meta
