// SPDX-License-Identifier: Apache-2.0
#include "requests/answers.hpp"

#include <kube/api/types.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/transcode.hpp>
#include <kube/json/yaml.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"

namespace kube::apiserver {

Result<EncodingPtr> choose_encoding(ApiContext& api, const ResourceRequest& request,
                                    AnswerShape shape) {
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

HttpResponse object_answer(int status, const Resource& resource, const StoredObject& object,
                           const Encoding& encoding) {
  HttpResponse answer;
  answer.status = status;
  answer.content_type = to_string(encoding.media());
  encoding.object(resource, object, answer.body);
  if (encoding.media() != MediaType::Protobuf) {
    answer.body = to_media(std::move(answer.body), encoding.media());
  }
  return answer;
}

HttpResponse document_answer(int status, const json::Value& document, MediaType media) {
  HttpResponse answer;
  answer.status = status;
  const std::string text = json::dump(document);
  if (media == MediaType::Protobuf) {
    const std::string_view api_version = document.string_at({"apiVersion"});
    const std::string_view kind = document.string_at({"kind"});
    const meta::TypeDescriptor* type = api::find_type(api_version, kind);
    const auto message =
        type == nullptr ? std::nullopt : std::optional(meta::json_to_message(*type, text));
    if (message && *message) {
      answer.content_type = to_string(media);
      meta::write_envelope({.api_version = api_version, .kind = kind, .raw = **message},
                           answer.body);
      return answer;
    }
    media = MediaType::Json;
  }
  answer.content_type = to_string(media);
  answer.body = media == MediaType::Yaml ? yaml::dump(document) : text + "\n";
  return answer;
}

HttpResponse error_answer(const Error& error, std::string_view accept) {
  const json::Value status = meta::status_json(error);
  const auto code = static_cast<int>(status.int_at({"code"}).value_or(500));
  const auto accepted = negotiate(accept, AnswerShape::Part, true);
  HttpResponse answer = document_answer(code, status, accepted ? accepted->media : MediaType::Json);
  if (const std::int64_t seconds = status.int_at({"details", "retryAfterSeconds"}).value_or(0);
      seconds > 0) {
    answer.headers.emplace_back("Retry-After", std::to_string(seconds));
  }
  return answer;
}

HttpResponse text_answer(int status, std::string text) {
  HttpResponse answer;
  answer.status = status;
  answer.content_type = "text/plain; charset=utf-8";
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  answer.body = std::move(text);
  return answer;
}

void indent_json(HttpResponse& answer) {
  if (answer.watch || answer.content_type != to_string(MediaType::Json)) return;
  if (const auto stream = std::move(answer.stream)) {
    constexpr std::size_t kPieceSize = std::size_t{128} << 10U;
    while (stream->next(kPieceSize, answer.body)) {
    }
  }
  if (const auto document = json::parse(answer.body)) answer.body = json::dump_pretty(*document);
}

void add_warnings(const std::vector<std::string>& warnings, HttpResponse& answer) {
  constexpr std::size_t kBudget = 4096;
  std::size_t used = 0;
  for (const std::string& warning : warnings) {
    std::string text = "299 - \"";
    for (const char c : warning) {
      if (c == '"' || c == '\\') text += '\\';
      text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    text += '"';
    used += text.size();
    if (used > kBudget) return;
    answer.headers.emplace_back("Warning", std::move(text));
  }
}

}  // namespace kube::apiserver
