// SPDX-License-Identifier: Apache-2.0
#include "requests/field_validation.hpp"

#include <algorithm>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/normalize.hpp>
#include <kube/codec/transcode.hpp>
#include <kube/codec/yaml.hpp>
#include <kube/json/yaml.hpp>
#include <kube/json/yaml_edit.hpp>
#include <kube/meta/object_meta.hpp>
#include <kube/names/go_text.hpp>

#include "requests/request_body.hpp"

namespace kube::apiserver {
namespace {

Error strict_error(const std::vector<std::string>& problems) {
  return Error(ErrorCode::Decode, "strict decoding error: " + join(problems, ", "));
}

std::string duplicate_text(const std::vector<std::string>& repeated_keys) {
  std::string text = "yaml: unmarshal errors:";
  for (const std::string& each : repeated_keys) text += "\n  " + each;
  return text;
}

// The lines of YAML's duplicates are warnings of their own.
std::vector<std::string> warnings_of(const std::vector<std::string>& problems) {
  constexpr std::string_view kYaml = "yaml: unmarshal errors:\n";
  std::vector<std::string> out;
  for (const std::string& problem : problems) {
    if (!problem.starts_with(kYaml)) {
      out.push_back(problem);
      continue;
    }
    const std::string_view lines = std::string_view(problem).substr(kYaml.size());
    for (const std::string_view line : go::split(lines, '\n'))
      out.emplace_back(ascii::trim_space(line));
  }
  return out;
}

// Checks what the schema does not describe: the metadata of the object and of embedded resources.
// Returns all unknown fields.
Result<std::vector<std::string>> fit_custom(const meta::StructuralSchema& schema,
                                            json::Value& document) {
  Result<std::vector<std::string>> unknown{std::vector<std::string>()};
  json::Object* const members = document.if_object();
  json::Value* const metadata = members == nullptr ? nullptr : members->find("metadata");
  if (metadata != nullptr && !metadata->is_null()) {
    unknown = meta::normalize_to_type(meta::ObjectMeta::descriptor(), *metadata, "metadata");
    if (!unknown) return unknown;
  }
  auto embedded = schema.normalize_embedded(document);
  if (!embedded) return embedded.error();
  std::vector<std::string> pruned = schema.unknown_fields(document);
  std::ranges::sort(*embedded);
  std::ranges::sort(pruned);
  unknown->insert(unknown->end(), pruned.begin(), pruned.end());
  unknown->insert(unknown->end(), embedded->begin(), embedded->end());
  return unknown;
}

// Takes the content from an object of the type, in which objects and maps that come twice are
// merged.
void adopt(const void* object, const meta::TypeDescriptor& type, json::Value& document) {
  std::string text;
  meta::write_json(object, type, text);
  auto merged = json::parse(text);
  if (!merged || !merged->is_object()) return;
  for (auto& [name, member] : *merged->if_object()) document.if_object()->set(name, member);
}

}  // namespace

Result<json::Value> FieldValidation::read(const Resource& resource, const std::string& body,
                                          MediaType media) {
  text_.clear();
  read_problems_.clear();
  media_ = media;
  auto document = read_noting_repeats(body, media, resource.gvk);
  if (!document || !resource.is_custom() || !document->string_at({"kind"}).empty()) return document;
  constexpr std::size_t kShown = 1024;
  return unrecognized(resource.gvk, "Object 'Kind' is missing in '" + body.substr(0, kShown) + "'",
                      body);
}

Result<json::Value> FieldValidation::read_noting_repeats(const std::string& body, MediaType media,
                                                         const meta::GroupVersionKind& expected) {
  if (media == MediaType::Protobuf || (!strict_ && !warn_))
    return read_document(body, media, expected);
  if (media == MediaType::Yaml) {
    text_ = yaml::first_document(body);
    std::vector<std::string> repeated;
    auto read = read_yaml(body, repeated);
    if (!repeated.empty()) read_problems_ = {duplicate_text(repeated)};
    return named_document(std::move(read), body, media, expected);
  }
  text_ = body;
  auto read = json::parse(body, {.reject_duplicate_keys = true});
  if (!read) {
    read_problems_ = meta::duplicate_fields(body);
    read = json::parse(body);
  }
  return named_document(std::move(read), body, media, expected);
}

Result<json::Value> FieldValidation::read_patch(PatchFormat format, const std::string& body) {
  text_.clear();
  read_problems_.clear();
  auto patch = apiserver::read_patch(body);
  if (patch && (strict_ || warn_)) read_problems_ = patch_problems(format, body);
  return patch;
}

Result<void> FieldValidation::check(const Resource& resource, json::Value& document) {
  std::vector<std::string> problems = read_problems_;
  std::vector<std::string> unknown;
  if (resource.schema) {
    auto fitted = fit_custom(resource.schema->rules, document);
    if (!fitted) return fitted.error();
    unknown = *std::move(fitted);
  } else if (resource.is_typed()) {
    auto fitted = meta::normalize_to_type(*resource.type, document, {}, &emptied_);
    if (!fitted) return fitted.error();
    unknown = *std::move(fitted);
    if (resource.kind->unreadable != nullptr) {
      if (std::string why = resource.kind->unreadable(document); !why.empty())
        return Error(ErrorCode::Decode, std::move(why));
    }
  }
  constexpr std::size_t kMax = 100;  // the maximum of the reference server
  for (const std::string& path : unknown) {
    if (problems.size() < kMax) problems.push_back("unknown field \"" + path + "\"");
  }
  if (!problems.empty() && !text_.empty() && resource.is_typed()) {
    // The text has more: the paths of duplicates, the order of all problems, and values of a wrong
    // type that a later duplicate hides.
    const auto object = meta::make_object(*resource.type);
    std::vector<std::string> exact;
    const meta::ReadOptions options{.problems = &exact};
    auto read = media_ == MediaType::Yaml
                    ? meta::read_yaml(text_, *resource.type, object.get(), options)
                    : meta::read_json(text_, *resource.type, object.get(), options);
    if (!read) return Error(ErrorCode::Decode, read.error().message());
    if (!exact.empty()) problems = std::move(exact);
    if (!read_problems_.empty()) adopt(object.get(), *resource.type, document);
  }
  warnings_.clear();
  if (strict_ && !problems.empty()) return strict_error(problems);
  if (warn_) warnings_ = warnings_of(problems);
  return {};
}

}  // namespace kube::apiserver
