// SPDX-License-Identifier: Apache-2.0
//
// The schema of one version of a custom resource: what is kept, filled in and refused.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/validation/schema_validator.hpp>

namespace kube::apiserver {

/// A structural schema (OpenAPI v3 as CustomResourceDefinitions hold it). Immutable.
///
/// What is checked and what is not: meta::SchemaValidator. Defaults are filled in, and what the
/// schema does not name is dropped, here.
class CustomSchema {
 public:
  /// `schema`: the openAPIV3Schema; null keeps everything. `with_status`: the version has a status
  /// subresource.
  CustomSchema(json::Value schema, bool with_status);
  ~CustomSchema();
  CustomSchema(const CustomSchema&) = delete;
  CustomSchema& operator=(const CustomSchema&) = delete;

  bool with_status() const { return with_status_; }
  /// The schema as it was given.
  const json::Value& source() const { return source_; }

  /// How large defaults may be, those of one object together: what a body may have.
  static constexpr std::size_t kMaxDefaultBytes = std::size_t{3} << 20U;

  /// Removes what the schema does not name, then fills defaults in.
  /// @par Errors   RequestEntityTooLarge when the defaults are too large.
  Result<void> normalise(json::Value& object) const;
  meta::FieldErrors validate(const json::Value& object) const;
  /// Makes metadata of embedded resources (x-kubernetes-embedded-resource) what ObjectMeta has;
  /// answers paths of what it dropped, of many the first ones.
  /// @par Errors   Decode for values of a wrong type, as normalize_to_type().
  Result<std::vector<std::string>> fit_embedded(json::Value& object) const;
  /// Paths of what normalise() would remove because the schema does not name it; of many the first
  /// ones.
  std::vector<std::string> unknown_fields(const json::Value& object) const;

  struct Node;

 private:
  const json::Value source_;
  std::unique_ptr<const Node> root_;
  std::optional<meta::SchemaValidator> validator_;
  bool with_status_;
};

/// What is wrong with a schema's structure and its patterns, which take from `allowance`; `path` is
/// where it stands.
meta::FieldErrors validate_schema(const json::Value& schema, const meta::FieldPath& path,
                                  meta::PatternAllowance& allowance);

}  // namespace kube::apiserver
