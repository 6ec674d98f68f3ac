// SPDX-License-Identifier: Apache-2.0
#include "field_validation.hpp"

#include <kube/json/yaml.hpp>

#include "custom_schema.hpp"
#include "request_body.hpp"
#include "typed_codec.hpp"
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

// "json: offset 9: duplicate field "a"" and "yaml: line 3: key "a" already set in map", in the
// words of Go's readers.
std::string duplicate_text(const Error& error, MediaType media) {
  const std::string& message = error.message();
  if (media == MediaType::Yaml) {
    constexpr std::string_view prefix = "yaml: ";
    return message.starts_with(prefix)
               ? "yaml: unmarshal errors:\n  " + message.substr(prefix.size())
               : message;
  }
  const std::size_t at = message.find("duplicate field ");
  return at == std::string::npos ? message : message.substr(at);
}

}  // namespace

Result<json::Value> FieldValidation::read(const Resource& resource, const std::string& body,
                                          MediaType media) {
  text_.clear();
  duplicate_.clear();
  if (media != MediaType::Protobuf && (strict_ || warn_)) {
    constexpr json::ParseOptions unique{.reject_duplicate_keys = true};
    auto read = media == MediaType::Yaml ? yaml::parse(body, unique) : json::parse(body, unique);
    if (media == MediaType::Json) text_ = body;
    if (read) return read;
    duplicate_ = duplicate_text(read.error(), media);
  }
  return read_document(body, media, resource.gvk);
}

Result<void> FieldValidation::check(const Resource& resource, json::Value& document) {
  std::vector<std::string> problems;
  if (!duplicate_.empty()) problems.push_back(duplicate_);
  std::vector<std::string> unknown;
  if (resource.schema) {
    unknown = resource.schema->unknown_fields(document);
  } else if (resource.is_typed()) {
    auto fitted = fit_to_type(*resource.type, document);
    if (!fitted) return fitted.error();
    unknown = *std::move(fitted);
  }
  for (const std::string& path : unknown) problems.push_back("unknown field \"" + path + "\"");
  if (!problems.empty() && !text_.empty() && resource.is_typed()) {
    // The text says more: paths of duplicates, and everything in its order.
    if (auto exact = strict_problems(*resource.type, text_); !exact.empty()) {
      problems = std::move(exact);
    }
  }
  warnings_.clear();
  if (strict_ && !problems.empty()) return strict_error(problems);
  if (warn_) warnings_ = std::move(problems);
  return {};
}

}  // namespace kube::apiserver
