// SPDX-License-Identifier: Apache-2.0
#include <kube/names/field_error.hpp>

#include <algorithm>
#include <set>

#include <kube/base/join.hpp>
#include <kube/names/go_text.hpp>

namespace kube::meta {

namespace {

std::string_view title(FieldErrorType type) {
  switch (type) {
    case FieldErrorType::NotFound:
      return "Not found";
    case FieldErrorType::Required:
      return "Required value";
    case FieldErrorType::Duplicate:
      return "Duplicate value";
    case FieldErrorType::Invalid:
    case FieldErrorType::TypeInvalid:
      return "Invalid value";
    case FieldErrorType::NotSupported:
      return "Unsupported value";
    case FieldErrorType::Forbidden:
      return "Forbidden";
    case FieldErrorType::TooLong:
      return "Too long";
    case FieldErrorType::TooMany:
      return "Too many";
    case FieldErrorType::TooFew:
      return "Too few";
    case FieldErrorType::TooShort:
      return "Too short";
    case FieldErrorType::Internal:
      break;
  }
  return "Internal error";
}

bool shows_value(FieldErrorType type) {
  switch (type) {
    case FieldErrorType::Required:
    case FieldErrorType::Forbidden:
    case FieldErrorType::TooLong:
    case FieldErrorType::TooShort:
    case FieldErrorType::Internal:
      return false;
    default:
      return true;
  }
}

std::string counted(std::size_t n, std::string_view noun) {
  return std::to_string(n) + ' ' + std::string(noun) + (n == 1 ? "" : "s");
}

}  // namespace

FieldPath FieldPath::child(std::string_view name) const {
  FieldPath path(*this);
  if (!path.text_.empty()) path.text_ += '.';
  path.text_ += name;
  return path;
}

FieldPath FieldPath::index(std::size_t at) const {
  return key(std::to_string(at));
}

FieldPath FieldPath::key(std::string_view name) const {
  FieldPath path(*this);
  path.text_ += '[';
  path.text_ += name;
  path.text_ += ']';
  return path;
}

std::string_view to_string(FieldErrorType type) {
  switch (type) {
    case FieldErrorType::NotFound:
      return "FieldValueNotFound";
    case FieldErrorType::Required:
      return "FieldValueRequired";
    case FieldErrorType::Duplicate:
      return "FieldValueDuplicate";
    case FieldErrorType::Invalid:
      return "FieldValueInvalid";
    case FieldErrorType::TypeInvalid:
      return "FieldValueTypeInvalid";
    case FieldErrorType::NotSupported:
      return "FieldValueNotSupported";
    case FieldErrorType::Forbidden:
      return "FieldValueForbidden";
    case FieldErrorType::TooLong:
      return "FieldValueTooLong";
    case FieldErrorType::TooMany:
      return "FieldValueTooMany";
    case FieldErrorType::TooFew:
      return "FieldValueTooFew";
    case FieldErrorType::TooShort:
      return "FieldValueTooShort";
    case FieldErrorType::Internal:
      break;
  }
  return "InternalError";
}

FieldError FieldError::not_found(const FieldPath& path, json::Value value) {
  return {FieldErrorType::NotFound, path.to_string(), std::move(value), {}};
}

FieldError FieldError::required(const FieldPath& path, std::string detail) {
  return {FieldErrorType::Required, path.to_string(), std::nullopt, std::move(detail)};
}

FieldError FieldError::duplicate(const FieldPath& path, json::Value value) {
  return {FieldErrorType::Duplicate, path.to_string(), std::move(value), {}};
}

FieldError FieldError::invalid(const FieldPath& path, json::Value value, std::string detail) {
  return {FieldErrorType::Invalid, path.to_string(), std::move(value), std::move(detail)};
}

FieldError FieldError::type_invalid(const FieldPath& path, json::Value value, std::string detail) {
  return {FieldErrorType::TypeInvalid, path.to_string(), std::move(value), std::move(detail)};
}

FieldError FieldError::not_supported(const FieldPath& path, json::Value value,
                                     const std::vector<std::string>& supported) {
  std::string detail;
  for (const std::string& word : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += go::quote(word);
  }
  return {FieldErrorType::NotSupported, path.to_string(), std::move(value), std::move(detail)};
}

FieldError FieldError::forbidden(const FieldPath& path, std::string detail) {
  return {FieldErrorType::Forbidden, path.to_string(), std::nullopt, std::move(detail)};
}

FieldError FieldError::too_long(const FieldPath& path, std::size_t max_bytes) {
  return {FieldErrorType::TooLong, path.to_string(), std::nullopt,
          "may not be more than " + counted(max_bytes, "byte")};
}

FieldError FieldError::too_many(const FieldPath& path, std::size_t actual, std::size_t max) {
  return {FieldErrorType::TooMany, path.to_string(), json::Value(std::uint64_t{actual}),
          "must have at most " + counted(max, "item")};
}

FieldError FieldError::internal(const FieldPath& path, std::string detail) {
  return {FieldErrorType::Internal, path.to_string(), std::nullopt, std::move(detail)};
}

std::string FieldError::body() const {
  std::string out(title(type));
  if (bad_value && shows_value(type)) {
    out += ": ";
    // Go prints texts and fractions in other forms than JSON.
    out += bad_value->is_string()   ? go::quote(bad_value->string_or_empty())
           : bad_value->is_double() ? go::number_text(*bad_value->if_double())
                                    : json::dump(*bad_value);
  }
  if (!detail.empty()) {
    out += ": ";
    out += detail;
  }
  return out;
}

std::string FieldError::to_string() const {
  return field + ": " + body();
}

bool has_enough(const FieldErrors& errors) {
  constexpr std::size_t kMax = 100;
  constexpr std::size_t kMaxText = std::size_t{1} << 18U;
  if (errors.size() >= kMax) return true;
  std::size_t text = 0;
  for (const FieldError& each : errors) {
    text += each.field.size() + each.detail.size();
    if (each.bad_value) text += each.bad_value->string_or_empty().size();
  }
  return text >= kMaxText;
}

namespace {

// Whether a value takes at most about `left` bytes; subtracts its size from `left`.
bool fits(const json::Value& value, std::size_t& left) {
  const std::size_t own = 4 + value.string_or_empty().size();
  if (own > left) return false;
  left -= own;
  if (const json::Object* object = value.if_object()) {
    return std::ranges::all_of(*object, [&](const json::Object::Member& member) {
      left -= std::min(left, member.first.size());
      return fits(member.second, left);
    });
  }
  const json::Array* array = value.if_array();
  return array == nullptr ||
         std::ranges::all_of(*array, [&](const json::Value& each) { return fits(each, left); });
}

}  // namespace

json::Value shown_value(const json::Value& value) {
  std::size_t left = std::size_t{16} << 10U;
  if ((!value.is_array() && !value.is_object()) || fits(value, left)) return value;
  const json::Array* array = value.if_array();
  return array != nullptr ? "a list of " + counted(array->size(), "item")
                          : "an object of " + counted(value.if_object()->size(), "member");
}

std::string to_string(const FieldErrors& errors) {
  std::vector<std::string> texts;
  std::set<std::string> seen;
  for (const FieldError& error : errors) {
    std::string text = error.to_string();
    if (seen.insert(text).second) texts.push_back(std::move(text));
  }
  if (has_enough(errors)) texts.emplace_back("there may be more");
  if (texts.empty()) return {};
  if (texts.size() == 1) return std::move(texts.front());
  return '[' + join(texts, ", ") + ']';
}

Error to_error(const FieldErrors& errors) {
  return Error(ErrorCode::InvalidArgument, to_string(errors));
}

}  // namespace kube::meta
