// SPDX-License-Identifier: Apache-2.0
//
// The rules of the versions of a CustomResourceDefinition: names, schemas, subresources, columns.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/names/validation.hpp>
#include <kube/validation/structural_schema.hpp>

namespace kube::meta::detail {

/// Adds one error for all problems of a value.
void check_problems(const Problems& problems, const FieldPath& path, std::string_view value,
                    FieldErrors& errors);
void check_count(const json::Array& list, std::size_t most, const FieldPath& path,
                 FieldErrors& errors);

/// What each version has, and the field of the spec in which the reference server keeps what is the
/// same in all versions; its errors name that one.
struct VersionPart {
  std::string_view field;
  std::string_view shared;
};

/// Checks all versions of a definition, in the order of the reference server.
///
/// @par Thread safety   None.
class VersionsCheck {
 public:
  /// `versions`: null when the definition has no such member.
  VersionsCheck(const json::Value* versions, FieldErrors& errors);

  /// Checks what each version has for itself.
  void check_each();
  /// Checks what all versions share.
  void check_shared();
  bool has_storage() const { return has_storage_; }

 private:
  void check_part(const json::Value& version, const VersionPart& part, const FieldPath& at);
  void check_schema(const json::Value& version, const FieldPath& at);
  bool is_shared(const VersionPart& part) const;
  json::Value shown() const;

  const json::Value* const given_;
  const json::Array& versions_;
  FieldErrors& errors_;
  /// The fields that are the same in all versions.
  std::vector<std::string_view> shared_{};
  const FieldPath path_ = FieldPath("spec").child("versions");
  PatternAllowance patterns_{};
  bool has_storage_ = false;
};

}  // namespace kube::meta::detail
