// SPDX-License-Identifier: Apache-2.0
#include "answers.hpp"

#include <kube/json/yaml.hpp>

#include "encoding.hpp"
#include "errors.hpp"
#include "metadata.hpp"

namespace kube::apiserver {

HttpResponse object_answer(int status, const Resource& resource, const StoredObject& object,
                           const Accepted& accepted) {
  HttpResponse answer;
  answer.status = status;
  answer.content_type = to_string(accepted.media);
  json_encoding(accepted.transform).object(resource, object, answer.body);
  answer.body = to_media(std::move(answer.body), accepted.media);
  return answer;
}

HttpResponse document_answer(int status, const json::Value& document, MediaType media) {
  HttpResponse answer;
  answer.status = status;
  answer.content_type = to_string(media);
  answer.body = media == MediaType::Yaml ? yaml::dump(document) : json::dump(document) + "\n";
  return answer;
}

HttpResponse error_answer(const Error& error) {
  const json::Value status = meta::status_json(error);
  const auto code = static_cast<int>(int_at(status, {"code"}, 500));
  HttpResponse answer = document_answer(code, status, MediaType::Json);
  if (const std::int64_t seconds = int_at(status, {"details", "retryAfterSeconds"}, 0);
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

void add_warnings(const std::vector<std::string>& warnings, HttpResponse& answer) {
  constexpr std::size_t budget = 4096;
  std::size_t used = 0;
  for (const std::string& warning : warnings) {
    std::string text = "299 - \"";
    for (const char c : warning) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
    used += text.size();
    if (used > budget) return;
    answer.headers.emplace_back("Warning", std::move(text));
  }
}

Result<json::Value> read_document(const std::string& body, MediaType media) {
  auto document = media == MediaType::Yaml ? yaml::parse(body) : json::parse(body);
  if (!document)
    return meta::bad_request_error("error decoding the body: " + document.error().message());
  return document;
}

}  // namespace kube::apiserver
