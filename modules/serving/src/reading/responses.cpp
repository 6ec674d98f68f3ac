// SPDX-License-Identifier: Apache-2.0
#include "reading/responses.hpp"

#include <kube/api/types.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/transcode.hpp>
#include <kube/json/yaml.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"

namespace kube::serving {

Result<EncodingPtr> choose_encoding(ReadContext& api, const ReadRequest& request,
                                    ResponseShape shape) {
  const auto accepted = negotiate(request.http.accept, shape, request.resource->is_typed());
  if (!accepted) return accepted.error();
  IncludeObject include = IncludeObject::Metadata;
  if (accepted->transform == Transform::Table) {
    const std::string_view wanted = request.route.query.get("includeObject");
    if (wanted == "None") {
      include = IncludeObject::None;
    } else if (wanted == "Object") {
      include = IncludeObject::Object;
    } else if (!wanted.empty() && wanted != "Metadata") {
      return meta::bad_request_error("unrecognized includeObject value: \"" + std::string(wanted) +
                                     "\"");
    }
  }
  return make_encoding(*accepted, include, api.timers.clock());
}

HttpResponse object_response(int status, const Resource& resource, const StoredObject& object,
                             const Encoding& encoding) {
  HttpResponse response;
  response.status = status;
  response.content_type = to_string(encoding.media());
  encoding.object(resource, object, response.body.text);
  if (encoding.media() != MediaType::Protobuf) {
    response.body = to_media(std::move(response.body.text), encoding.media());
  }
  return response;
}

HttpResponse document_response(int status, const json::Value& document, MediaType media) {
  HttpResponse response;
  response.status = status;
  const std::string text = json::dump(document);
  if (media == MediaType::Protobuf) {
    const std::string_view api_version = document.string_at({"apiVersion"});
    const std::string_view kind = document.string_at({"kind"});
    const meta::TypeDescriptor* type = api::find_type(api_version, kind);
    const auto message =
        type == nullptr ? std::nullopt : std::optional(meta::json_to_message(*type, text));
    if (message && *message) {
      response.content_type = to_string(media);
      meta::write_envelope({.api_version = api_version, .kind = kind, .raw = **message},
                           response.body.text);
      return response;
    }
    media = MediaType::Json;
  }
  response.content_type = to_string(media);
  response.body =
      media == MediaType::Yaml ? yaml::dump(json::sorted_members(document)) : text + "\n";
  return response;
}

HttpResponse error_response(const Error& error, std::string_view accept) {
  const json::Value status = meta::status_json(error);
  const auto code = static_cast<int>(status.int_at({"code"}).value_or(500));
  const auto accepted = negotiate(accept, ResponseShape::Part, true);
  HttpResponse response =
      document_response(code, status, accepted ? accepted->media : MediaType::Json);
  if (const std::int64_t seconds = status.int_at({"details", "retryAfterSeconds"}).value_or(0);
      seconds > 0) {
    response.headers.emplace_back("Retry-After", std::to_string(seconds));
  }
  return response;
}

void indent_json(HttpResponse& response) {
  if (response.watch || response.content_type != to_string(MediaType::Json)) return;
  if (const auto stream = std::move(response.stream)) {
    constexpr std::size_t kPieceSize = std::size_t{128} << 10U;
    auto state = BodySource::State::More;
    while (state == BodySource::State::More) state = stream->next(kPieceSize, response.body);
    if (state == BodySource::State::Lost) {
      response = error_response(
          meta::resource_expired_error("The list changed too much while it was read: list again."),
          to_string(MediaType::Json));
      return;
    }
  }
  response.body.flatten();
  if (const auto document = json::parse(response.body.text))
    response.body = json::dump_pretty(*document);
}

namespace {

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
    if (begins && count-- == 0) break;
  }
  return text.substr(0, end);
}

}  // namespace

// All of them in full, or the beginning of each.
void add_warnings(const std::vector<std::string>& warnings, HttpResponse& response) {
  constexpr std::size_t kBudget = 4096;
  constexpr std::size_t kShort = 256;
  std::size_t all = 0;
  for (const std::string& warning : warnings) all += warning.size();
  std::size_t used = 0;
  for (const std::string& warning : warnings) {
    const std::string_view shown = all > kBudget ? first_characters(warning, kShort) : warning;
    used += shown.size();
    if (used > kBudget) return;
    std::string text = "299 - \"";
    for (const char c : shown) {
      if (c == '"' || c == '\\') text += '\\';
      text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    text += '"';
    response.headers.emplace_back("Warning", std::move(text));
  }
}

}  // namespace kube::serving
