// SPDX-License-Identifier: Apache-2.0
//
// Objects whose bytes belong to another owner, such as the cell of an informer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/field_view.hpp>

#include "storage/stored_object.hpp"

namespace kube::serving {

/// What is wrong with labels that can't be read.
using LabelsProblem = std::optional<Error>;

/// Fills an object from the JSON of a whole one. Reads labels and metadata.resourceVersion, and
/// skips the rest. The bytes must outlive the object; only those of an object whose kind or
/// apiVersion follows other members are copied. Of labels that can't be read the object has none
/// for selectors and indexes; its bytes show them as they are.
/// @par Errors   Decode: it can't be read, or its resourceVersion is not a number.
Result<LabelsProblem> borrow_json(std::string_view json, const Resource& resource,
                                  StoredObject& object);

/// The same from a bare message of the resource's type.
Result<LabelsProblem> borrow_message(std::string_view message, const Resource& resource,
                                     StoredObject& object);

/// Reads one selectable field of borrowed objects from their bytes.
class BorrowedField {
 public:
  BorrowedField(const Resource& resource, const StoredField& field);
  /// As field_text() of the decoded object; the value of an absent field for bytes that can't be
  /// read.
  std::string text(const StoredObject& object) const;

 private:
  std::string text_in_message(std::string_view message) const;

  StoredField field_;
  std::optional<meta::FieldLocator> in_message_;
};

}  // namespace kube::serving
