// SPDX-License-Identifier: Apache-2.0
//
// The validation of built-in kinds: what the reference server refuses beyond metadata. The rules
// belong to types (rule.hpp), so a pod is checked by the same rules in each template.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

namespace kube::apiserver {

/// A write of an object.
struct WrittenObject {
  const json::Value& object;
  const json::Value* before = nullptr;  ///< Null for a new object.
  /// Paths of empty lists and maps that a client sent; errors show them.
  std::span<const std::string> emptied{};
};

/// The errors of an object: those of the server's own checks, and those of its declarative rules.
struct TypeErrors {
  meta::FieldErrors own;
  meta::FieldErrors late;
};

/// Returns the errors of validate_type(), apart.
TypeErrors find_type_errors(const meta::TypeDescriptor& type, const WrittenObject& written);

/// Returns the errors of an object of a kind, in the server's order; metadata and status are left
/// out. What was wrong with it before is no error. A field that a server would have defaulted may
/// be absent.
meta::FieldErrors validate_type(const meta::TypeDescriptor& type, const WrittenObject& written);

/// Returns the errors of an update: those of the object, and one for each field that an update may
/// not change, and that differs.
meta::FieldErrors validate_type_change(const meta::TypeDescriptor& type,
                                       const WrittenObject& written);

/// Returns the error of a spec that is not the one before: `why`, and what differs. What may change
/// is equal in both objects.
meta::FieldErrors validate_spec_change(const meta::TypeDescriptor& type,
                                       const WrittenObject& written, std::string_view why);

/// A write of the status of an object.
struct WrittenStatus {
  const json::Value& object;
  const json::Value& before;
  bool approves = false;  ///< Whether it may approve or deny a request.
  std::string_view now;   ///< As in metadata.creationTimestamp.
};

/// Returns the errors of a status.
meta::FieldErrors validate_status(const meta::TypeDescriptor& type, const WrittenStatus& written);

/// Returns the errors of the addresses and families of a Service, which are checked before any is
/// allocated.
meta::FieldErrors validate_cluster_ips(const meta::TypeDescriptor& type,
                                       const json::Value& service);

}  // namespace kube::apiserver
