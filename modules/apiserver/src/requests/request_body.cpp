// SPDX-License-Identifier: Apache-2.0
#include "requests/request_body.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <kube/api/types.hpp>
#include <kube/base/ascii.hpp>
#include <kube/codec/go_problems.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/transcode.hpp>
#include <kube/json/yaml.hpp>
#include <kube/json/yaml_edit.hpp>
#include <kube/meta/status.hpp>
#include <kube/names/go_text.hpp>

#include "documents/errors.hpp"
#include "kinds/kind.hpp"
#include "objects/object_rules.hpp"

namespace kube::apiserver {
namespace {

// The first bytes of a malformed body, in the form of the reference server.
std::string summary(std::string_view body) {
  constexpr std::size_t kMax = 30;
  if (body.empty()) return "<empty>";
  const std::string_view shown = body.substr(0, kMax);
  std::string out;
  if (body.front() == '{') {
    out = shown;
  } else {
    for (const char c : shown) ascii::append_hex(c, out);
  }
  if (body.size() > kMax) out += " ...";
  return out;
}

std::string described_kind_error(std::string_view why) {
  return "couldn't get version/kind; json parse error: " + std::string(why);
}

// The reference server reads YAML through JSON, in which Go writes 1.0 as 1.
void write_integers(json::Value& value) {
  if (json::Object* members = value.if_object()) {
    for (auto& [name, member] : *members) write_integers(member);
  } else if (json::Array* items = value.if_array()) {
    for (json::Value& item : *items) write_integers(item);
  } else if (const double* number = value.if_double(); number != nullptr) {
    constexpr double kLimit = 9007199254740992.0;  // 2^53
    if (std::abs(*number) <= kLimit && std::trunc(*number) == *number)
      value = static_cast<std::int64_t>(*number);
  }
}

/// Returns the kind in the envelope, with parts of `expected` for those that it does not have.
Result<meta::GroupVersionKind> named_kind(const meta::Unknown& envelope,
                                          const meta::GroupVersionKind& expected) {
  meta::GroupVersionKind out = expected;
  if (!envelope.kind.empty()) out.kind = envelope.kind;
  if (envelope.api_version.empty()) return out;
  const auto version = meta::parse_group_version(envelope.api_version);
  if (!version) return version.error();
  out.group = version->group;
  out.version = version->version;
  return out;
}

Result<json::Value> read_protobuf(const std::string& body, const meta::GroupVersionKind& expected) {
  if (body.empty()) return unrecognized(expected, "empty data", body);
  const auto envelope = meta::open_envelope(body);
  if (!envelope) return unrecognized(expected, envelope.error().message(), body);
  const auto kind = named_kind(*envelope, expected);
  if (!kind) return unrecognized(expected, kind.error().message(), body);
  if (!envelope->content_type.empty() && envelope->content_type != to_string(MediaType::Protobuf)) {
    return not_handled(*kind, expected,
                       "unsupported content type " + std::string(envelope->content_type) +
                           " in a runtime.Unknown");
  }
  // check_document() reports a kind other than the expected one.
  json::Object named{{"kind", kind->kind}, {"apiVersion", kind->api_version()}};
  if (kind->kind != expected.kind) return named;
  const meta::TypeDescriptor* type = api::find_type(*kind);
  // Options exist in every version, with the same fields.
  if (type == nullptr) type = api::find_type(expected);
  if (type == nullptr || !meta::has_protobuf(*type)) {
    return not_handled(*kind, expected, "the kind has no protobuf form");
  }
  auto text = meta::message_to_json(*type, envelope->raw);
  if (!text) return not_handled(*kind, expected, text.error().message());
  auto document = json::parse(*text);
  if (!document) return document;
  for (const auto& [key, value] : named) document->if_object()->set(key, value);
  return document;
}

}  // namespace

std::optional<std::string> kind_problem(const json::Value& document) {
  if (document.is_null()) return std::nullopt;
  if (!document.is_object()) {
    return described_kind_error(go::cannot_unmarshal(
        go::json_kind(document),
        R"(value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; )"
        R"(Kind string "json:\"kind,omitempty\"" })"));
  }
  for (const char* name : {"apiVersion", "kind"}) {
    const json::Value* value = document.at_path({name});
    if (value == nullptr || value->is_string() || value->is_null()) continue;
    return described_kind_error(go::cannot_unmarshal(
        go::json_kind(*value), "struct field ." + std::string(name) + " of type string"));
  }
  const std::string api_version(document.string_at({"apiVersion"}));
  if (std::ranges::count(api_version, '/') > 1)
    return "unexpected GroupVersion string: " + api_version;
  return std::nullopt;
}

Error unrecognized(const meta::GroupVersionKind& expected, std::string_view why,
                   std::string_view body) {
  return meta::bad_request_error(
      "the object provided is unrecognized (must be of type " + expected.kind + "): " +
      std::string(why) + (is_confidential(expected.kind) ? "" : " (" + summary(body) + ")"));
}

Result<json::Value> read_yaml(std::string_view body, std::vector<std::string>& repeated_keys) {
  auto documents = yaml::parse_all(yaml::first_document(body), repeated_keys);
  if (!documents) return documents.error();
  if (documents->empty()) return json::Value();
  json::Value document = std::move(documents->front());
  write_integers(document);
  return document;
}

std::optional<std::string> body_problem(const Result<json::Value>& read, const std::string& body,
                                        MediaType media) {
  if (read) return kind_problem(*read);
  const std::string problem = media == MediaType::Yaml ? std::string() : go::json_problem(body);
  return problem.empty() ? read.error().message() : described_kind_error(problem);
}

Result<json::Value> named_document(Result<json::Value> read, const std::string& body,
                                   MediaType media, const meta::GroupVersionKind& expected) {
  if (const auto problem = body_problem(read, body, media))
    return unrecognized(expected, *problem, body);
  if (read->is_null()) return json::Object{};
  return read;
}

Result<json::Value> read_document(const std::string& body, MediaType media,
                                  const meta::GroupVersionKind& expected) {
  if (media == MediaType::Protobuf) return read_protobuf(body, expected);
  std::vector<std::string> repeated_keys;
  return named_document(
      media == MediaType::Yaml ? read_yaml(body, repeated_keys) : json::parse(body), body, media,
      expected);
}

Result<json::Value> read_typed_body(const HttpRequest& request,
                                    const meta::GroupVersionKind& expected) {
  const auto media = body_type(request.content_type, true);
  if (!media) return media.error();
  return read_document(request.body, *media, expected);
}

Result<json::Value> read_checked_body(const HttpRequest& request, const Resource& resource) {
  auto body = read_typed_body(request, resource.gvk);
  return body ? check_document(resource, *std::move(body)) : body;
}

}  // namespace kube::apiserver
