// SPDX-License-Identifier: Apache-2.0
#include "forms/negotiation.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>

#include "documents/errors.hpp"

namespace kube::serving {
namespace {

struct Clause {
  std::string type;
  std::vector<std::pair<std::string, std::string>> parameters;
  double quality = 1.0;

  std::string_view get(std::string_view name) const {
    for (const auto& [key, value] : parameters) {
      if (key == name) return value;
    }
    return {};
  }
};

std::string_view next_part(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return ascii::trim_blanks(part);
}

std::vector<Clause> parse_accept(std::string_view accept) {
  std::vector<Clause> clauses;
  while (!accept.empty()) {
    std::string_view text = next_part(accept, ',');
    if (text.empty()) continue;
    Clause clause;
    clause.type = ascii::to_lower(next_part(text, ';'));
    while (!text.empty()) {
      std::string_view parameter = next_part(text, ';');
      std::string key = ascii::to_lower(next_part(parameter, '='));
      std::string value(ascii::trim_blanks(parameter));
      if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
        value = value.substr(1, value.size() - 2);
      }
      if (key == "q") clause.quality = std::strtod(value.c_str(), nullptr);
      clause.parameters.emplace_back(std::move(key), std::move(value));
    }
    clauses.push_back(std::move(clause));
  }
  std::ranges::stable_sort(clauses,
                           [](const Clause& a, const Clause& b) { return a.quality > b.quality; });
  return clauses;
}

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kYamlType = "application/yaml";
constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";

std::optional<MediaType> media_of(const Clause& clause, ResponseShape shape) {
  if (clause.type == "*/*" || clause.type == "application/*" || clause.type == kJsonType) {
    return MediaType::Json;
  }
  // YAML documents can't be streamed.
  if (clause.type == kYamlType && shape != ResponseShape::Watch) return MediaType::Yaml;
  if (clause.type == kProtobufType && shape != ResponseShape::Plain) return MediaType::Protobuf;
  return std::nullopt;
}

std::optional<Transform> transform_of(const Clause& clause, ResponseShape shape) {
  const std::string_view as = clause.get("as");
  if (as.empty()) return Transform::None;
  const std::string_view version = clause.get("v");
  if (clause.get("g") != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) {
    return std::nullopt;
  }
  if (as == "PartialObjectMetadata" &&
      (shape == ResponseShape::Object || shape == ResponseShape::Watch)) {
    return Transform::MetadataOnly;
  }
  if (as == "PartialObjectMetadataList" && shape == ResponseShape::List) {
    return Transform::MetadataOnlyList;
  }
  if (as == "Table" && shape != ResponseShape::Part && shape != ResponseShape::Plain) {
    return Transform::Table;
  }
  return std::nullopt;
}

bool has_form(MediaType media, Transform transform, ResponseShape shape, bool typed) {
  if (media != MediaType::Protobuf) return true;
  if (transform == Transform::Table) return false;
  return typed || transform != Transform::None || shape == ResponseShape::Part;
}

constexpr std::string_view kJsonStream = "application/json;stream=watch";
constexpr std::string_view kProtobufStream = "application/vnd.kubernetes.protobuf;stream=watch";

// The reference server offers all types for custom resources, too.
std::vector<std::string_view> offered(ResponseShape shape, const std::vector<Clause>& clauses) {
  if (shape == ResponseShape::Plain) return {kJsonType, kYamlType};
  const bool wants_yaml =
      std::ranges::any_of(clauses, [](const Clause& clause) { return clause.type == kYamlType; });
  if (shape == ResponseShape::Watch && wants_yaml) return {kJsonStream, kProtobufStream};
  return {kJsonType, kYamlType, kProtobufType};
}

// For built-in kinds the router refuses types that it has not heard of, before any other check.
bool is_unheard_of(ResponseShape shape, bool typed, const std::vector<Clause>& clauses) {
  if (!typed || shape == ResponseShape::Plain || shape == ResponseShape::Part) return false;
  return std::ranges::none_of(clauses, [](const Clause& clause) {
    return clause.type == "*/*" || clause.type == kJsonType || clause.type == kYamlType ||
           clause.type == kProtobufType;
  });
}

Error not_in_router(ResponseShape shape) {
  std::vector<std::string_view> types{kJsonType, kYamlType, kProtobufType};
  if (shape != ResponseShape::Object) types.insert(types.end(), {kJsonStream, kProtobufStream});
  return meta::error_from_status(
      meta::make_status(meta::StatusReason::NotAcceptable,
                        "406: Not Acceptable\n\nAvailable representations: " + join(types, ", "),
                        meta::StatusDetails{}));
}

}  // namespace

Result<Accepted> negotiate(std::string_view accept, ResponseShape shape, bool typed) {
  if (ascii::trim_blanks(accept).empty()) return Accepted{};
  const std::vector<Clause> clauses = parse_accept(accept);
  for (const Clause& clause : clauses) {
    if (clause.quality <= 0) continue;
    const auto media = media_of(clause, shape);
    const auto transform = transform_of(clause, shape);
    if (!media || !transform || !has_form(*media, *transform, shape, typed)) continue;
    return Accepted{*media, *transform, clause.get("v") == "v1beta1" ? "v1beta1" : "v1"};
  }
  if (is_unheard_of(shape, typed, clauses)) return not_in_router(shape);
  return not_acceptable(offered(shape, clauses));
}

std::string_view wanted_discovery(std::string_view accept) {
  for (const Clause& clause : parse_accept(accept)) {
    if (clause.quality <= 0) continue;
    const bool json =
        clause.type == "application/json" || clause.type == "*/*" || clause.type == "application/*";
    if (!json) continue;
    const std::string_view as = clause.get("as");
    if (as.empty()) return {};
    if (as != "APIGroupDiscoveryList" || clause.get("g") != "apidiscovery.k8s.io") continue;
    if (clause.get("v") == "v2") return "v2";
    if (clause.get("v") == "v2beta1") return "v2beta1";
  }
  return {};
}

std::string_view to_string(MediaType media) {
  switch (media) {
    case MediaType::Yaml:
      return kYamlType;
    case MediaType::Protobuf:
      return kProtobufType;
    case MediaType::Json:
      break;
  }
  return kJsonType;
}

Result<MediaType> body_type(std::string_view content_type, bool typed) {
  const std::string type = bare_media_type(content_type);
  if (type.empty() || type == kJsonType) return MediaType::Json;
  if (type == kYamlType) return MediaType::Yaml;
  if (typed && type == kProtobufType) return MediaType::Protobuf;
  return unsupported_media_type({kJsonType, kYamlType, kProtobufType});
}

std::string bare_media_type(std::string_view content_type) {
  return ascii::to_lower(next_part(content_type, ';'));
}

}  // namespace kube::serving
