// SPDX-License-Identifier: Apache-2.0
#include "field_validation.hpp"

#include <kube/base/joined.hpp>
#include <kube/json/yaml.hpp>

#include "custom_schema.hpp"
#include "request_body.hpp"
#include "typed_codec.hpp"
#include "typed_document.hpp"

namespace kube::apiserver {
namespace {

Error strict_error(const std::vector<std::string>& problems) {
  return Error(ErrorCode::Decode, "strict decoding error: " + joined(problems, ", "));
}

// Of "json: offset 9: duplicate field "a"" what Go's reader says.
std::string duplicate_text(const Error& error) {
  const std::string& message = error.message();
  const std::size_t at = message.find("duplicate field ");
  return at == std::string::npos ? message : message.substr(at);
}

std::string duplicate_text(const std::vector<std::string>& repeated_keys) {
  std::string text = "yaml: unmarshal errors:";
  for (const std::string& each : repeated_keys) text += "\n  " + each;
  return text;
}

}  // namespace

Result<json::Value> FieldValidation::read(const Resource& resource, const std::string& body,
                                          MediaType media) {
  text_.clear();
  duplicate_.clear();
  media_ = media;
  if (media == MediaType::Protobuf || (!strict_ && !warn_))
    return read_document(body, media, resource.gvk);
  text_ = body;
  if (media == MediaType::Yaml) {
    std::vector<std::string> repeated;
    auto read = yaml::parse(body, repeated);
    if (!repeated.empty()) duplicate_ = duplicate_text(repeated);
    if (read) return read;
  } else {
    auto read = json::parse(body, {.reject_duplicate_keys = true});
    if (read) return read;
    duplicate_ = duplicate_text(read.error());
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
    // The text says more: paths of duplicates, everything in its order, and values of a wrong type
    // that a later one with the same name hides.
    auto exact = strict_problems(*resource.type, text_, media_);
    if (!exact) return exact.error();
    if (!exact->empty()) problems = *std::move(exact);
  }
  warnings_.clear();
  if (strict_ && !problems.empty()) return strict_error(problems);
  if (warn_) warnings_ = std::move(problems);
  return {};
}

}  // namespace kube::apiserver
