// SPDX-License-Identifier: Apache-2.0
//
// The schema of one version of a CustomResourceDefinition, and all that a server does with it: what
// it refuses in the schema, and what it keeps, fills in and refuses in objects.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/validation/schema_validator.hpp>

namespace kube::meta {

/// A structural schema: an openAPIV3Schema that says of each field what it is, so that fields that
/// it does not name can be told from those that it does. One compiled tree validates
/// (SchemaValidator), prunes and fills defaults in.
///
/// Objects are whole ones: kind, apiVersion and metadata are kept, whatever the schema says of
/// them. So they are in embedded resources (x-kubernetes-embedded-resource).
///
/// @par Thread safety   Immutable.
class StructuralSchema {
 public:
  /// Everything that a server's 422 would say of the schema: the rules of structural schemas,
  /// patterns that can't be used, defaults that are too large.
  static FieldErrors check(const json::Value& schema, const SchemaOptions& options = {});

  /// Compiles a schema. Does not check the rules of structural schemas.
  /// @par Errors   Decode, as SchemaValidator::create().
  static Result<StructuralSchema> create(const json::Value& schema,
                                         const SchemaOptions& options = {});

  /// The size of the defaults, as JSON, that one object may get together: 3 MiB, which is what the
  /// body of a request may have.
  static constexpr std::size_t kMaxDefaultBytes = std::size_t{3} << 20U;

  /// Removes the fields that the schema does not name, and nulls where it allows none; then fills
  /// defaults in.
  /// @par Errors   RequestEntityTooLarge when the defaults are too large.
  Result<void> prune_and_default(json::Value& object) const;

  /// Everything that is wrong with an object: SchemaValidator::validate().
  FieldErrors validate(const json::Value& object) const { return validator_.validate(object); }

  /// Brings the metadata of embedded resources into the form in which ObjectMeta writes it
  /// (normalize_to_type()), and returns the paths of the fields that it drops.
  /// @par Errors   Decode for values of a wrong type.
  Result<std::vector<std::string>> normalize_embedded(json::Value& object) const;

  /// The paths of the fields that prune_and_default() removes because the schema does not name
  /// them; the first ones if there are many (UnknownPaths).
  std::vector<std::string> unknown_fields(const json::Value& object) const;

 private:
  explicit StructuralSchema(SchemaValidator validator);

  SchemaValidator validator_;
};

}  // namespace kube::meta
