// SPDX-License-Identifier: Apache-2.0
#include "field_validation.hpp"

#include <kube/api/types.hpp>

#include "answers.hpp"
#include "custom_schema.hpp"
#include "typed_document.hpp"

namespace kube::apiserver {
namespace {

Error strict_error(const std::vector<std::string>& problems) {
  std::string text = "strict decoding error: ";
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (i != 0) text += ", ";
    text += problems[i];
  }
  return Error(ErrorCode::Decode, std::move(text));
}

}  // namespace

Result<json::Value> FieldValidation::read(const std::string& body, MediaType media) {
  duplicate_.clear();
  if (media == MediaType::Json && (strict_ || warn_)) {
    auto unique = json::parse(body, {.reject_duplicate_keys = true});
    if (unique) return unique;
    duplicate_ = unique.error().message();
  }
  auto document = read_document(body, media);
  if (!document) return document;
  if (strict_ && !duplicate_.empty()) return strict_error({duplicate_});
  return document;
}

Result<void> FieldValidation::check(const Resource& resource, json::Value& document) {
  std::vector<std::string> unknown;
  if (resource.schema) {
    unknown = resource.schema->unknown_fields(document);
  } else if (const meta::TypeDescriptor* type = api::find_type(resource.gvk)) {
    auto fitted = fit_to_type(*type, document);
    if (!fitted) return fitted.error();
    unknown = *std::move(fitted);
  }
  warnings_.clear();
  if (!duplicate_.empty()) warnings_.push_back(duplicate_);
  for (const std::string& path : unknown) warnings_.push_back("unknown field \"" + path + "\"");
  if (strict_ && !warnings_.empty()) return strict_error(warnings_);
  if (!warn_) warnings_.clear();
  return {};
}

}  // namespace kube::apiserver
