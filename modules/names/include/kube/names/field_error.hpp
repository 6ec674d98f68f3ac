// SPDX-License-Identifier: Apache-2.0
//
// Errors of an object's fields: the entries of a server's Invalid response, and the texts of
// selector and options errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/error.hpp>
#include <kube/json/value.hpp>

namespace kube::meta {

/// The path of a field: FieldPath("spec").child("ports").index(0) prints "spec.ports[0]".
///
/// @par Thread safety   A value.
class FieldPath {
 public:
  /// The empty path; prints "<nil>", its children print as roots.
  FieldPath() = default;
  explicit FieldPath(std::string_view root) : text_(root) {}

  FieldPath child(std::string_view name) const;
  FieldPath index(std::size_t at) const;
  FieldPath key(std::string_view name) const;
  std::string to_string() const { return text_.empty() ? "<nil>" : text_; }

 private:
  std::string text_;
};

/// The wire word is the cause's reason: FieldErrorType::Required is "FieldValueRequired".
enum class FieldErrorType {
  NotFound,
  Required,
  Duplicate,
  Invalid,
  TypeInvalid,
  NotSupported,
  Forbidden,
  TooLong,
  TooMany,
  TooFew,
  TooShort,
  Internal,
};

/// "FieldValueRequired", ...; "InternalError" for Internal.
std::string_view to_string(FieldErrorType type);

/// One error of a field. The factories make it, with apimachinery's detail.
///
/// @par Thread safety   A value.
struct FieldError {
  FieldErrorType type = FieldErrorType::Invalid;
  std::string field{};
  std::optional<json::Value> bad_value{};  ///< Absent: the message shows no value.
  std::string detail{};

  static FieldError not_found(const FieldPath& path, json::Value value);
  static FieldError required(const FieldPath& path, std::string detail);
  static FieldError duplicate(const FieldPath& path, json::Value value);
  static FieldError invalid(const FieldPath& path, json::Value value, std::string detail);
  static FieldError type_invalid(const FieldPath& path, json::Value value, std::string detail);
  /// The detail lists the supported values, unless `supported` is empty.
  static FieldError not_supported(const FieldPath& path, json::Value value,
                                  const std::vector<std::string>& supported);
  static FieldError forbidden(const FieldPath& path, std::string detail);
  static FieldError too_long(const FieldPath& path, std::size_t max_bytes);
  static FieldError too_many(const FieldPath& path, std::size_t actual, std::size_t max);
  static FieldError internal(const FieldPath& path, std::string detail);

  /// `Invalid value: "bar": detail`; what a StatusCause carries as its message. Required,
  /// Forbidden, Too long, Too short and Internal never show the value.
  std::string body() const;
  /// `field[0].name: Invalid value: "bar": detail`
  std::string to_string() const;
};

using FieldErrors = std::vector<FieldError>;

/// Whether the errors have reached a limit: 100 errors, or texts of 256 KiB. Checks of a whole
/// document stop then, so that an invalid document costs no more than a valid one.
bool has_enough(const FieldErrors& errors);

/// Returns a value as an error shows it: for a list or an object of more than about 16 KiB a text
/// that states its size.
json::Value shown_value(const json::Value& value);

/// Returns the text of all errors: one alone, several as "[a, b]" without duplicates, "" for an
/// empty list. When has_enough(errors), it ends by saying that there may be more.
std::string to_string(const FieldErrors& errors);

/// Returns an InvalidArgument error with that text.
/// @pre !errors.empty()
Error to_error(const FieldErrors& errors);

}  // namespace kube::meta
