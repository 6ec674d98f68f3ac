// SPDX-License-Identifier: Apache-2.0
//
// Requests the index of the OpenAPI v3 documents, and the documents.
#include <kube/client/openapi.hpp>

#include <algorithm>
#include <utility>

#include <kube/base/mutex.hpp>
#include <kube/transport/url.hpp>

#include "discovery_request.hpp"
#include "remembered.hpp"
#include "request_url.hpp"

namespace kube {
namespace {

constexpr std::string_view kOpenApiRoot = "/openapi/v3";

// The URL of a document as a request: index entries are relative to the server, requests to the
// client's base path.
Result<Request> document_request(const RestClient& client, const std::string& url) {
  const std::size_t question = std::min(url.find('?'), url.size());
  std::string path = url.substr(0, question);
  if (!path.starts_with(kOpenApiRoot)) {
    const Result<std::string> base_url = rest::base_url(client.config());
    if (!base_url) return base_url.error();
    const Result<transport::Url> base = transport::parse_url(*base_url);
    if (!base) return base.error();
    if (!path.starts_with(base->path)) {
      return Error(ErrorCode::InvalidArgument, "the OpenAPI document \"" + path +
                                                   "\" is not below the server's path \"" +
                                                   base->path + "\"");
    }
    path.erase(0, base->path.size() - 1);  // which ends in a slash
  }
  Request request = discovery_request(client, std::move(path));
  if (question < url.size()) {
    auto query = decode_query(url.substr(question + 1));
    if (!query) return query.error();
    request.query = *std::move(query);
  }
  return request;
}

}  // namespace

std::string openapi_path_of(const meta::GroupVersion& version) {
  return (version.group.empty() ? "api/" : "apis/" + version.group + "/") + version.version;
}

Result<meta::GroupVersion> group_version_of_openapi_path(std::string_view path) {
  const auto parts = [&] {
    std::vector<std::string> found;
    for (std::size_t begin = 0; begin <= path.size();) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      found.emplace_back(path.substr(begin, end - begin));
      begin = end + 1;
    }
    return found;
  }();
  const bool whole = std::ranges::none_of(parts, &std::string::empty);
  if (whole && parts.size() == 2 && parts[0] == "api") {
    return meta::GroupVersion{.group = "", .version = parts[1]};
  }
  if (whole && parts.size() == 3 && parts[0] == "apis") {
    return meta::GroupVersion{.group = parts[1], .version = parts[2]};
  }
  return Error(ErrorCode::InvalidArgument,
               "expected an OpenAPI path such as api/v1 or "
               "apis/apps/v1, got \"" +
                   std::string(path) + "\"");
}

struct OpenApiDocument::State {
  // One for each media type that was asked for.
  Remembered<const std::string>& form(std::string_view content_type) {
    const MutexLock lock(mutex);
    return forms[std::string(content_type)];
  }
  Mutex mutex;
  std::map<std::string, Remembered<const std::string>> forms KUBE_GUARDED_BY(mutex);
};

OpenApiDocument::OpenApiDocument(RestClient client, std::string server_relative_url)
    : client_(std::move(client)),
      url_(std::move(server_relative_url)),
      state_(std::make_unique<State>()) {}
OpenApiDocument::~OpenApiDocument() = default;

Result<std::shared_ptr<const std::string>> OpenApiDocument::schema(std::string_view content_type,
                                                                   std::stop_token stop) const {
  return state_->form(content_type)
      .get(*client_.runtime().clock(), stop, [&]() -> Result<std::shared_ptr<const std::string>> {
        Result<Request> request = document_request(client_, url_);
        if (!request) return request.error();
        request->accept = content_type;
        auto response = client_.send(*request, stop);
        if (!response) return response.error();
        return std::make_shared<const std::string>(std::move(response->body));
      });
}

struct OpenApi::State {
  Remembered<const Documents> index;
};

OpenApi::OpenApi(RestClient client)
    : client_(std::move(client)), state_(std::make_unique<State>()) {}
OpenApi::~OpenApi() = default;

Result<std::shared_ptr<const OpenApi::Documents>> OpenApi::paths(std::stop_token stop) const {
  return state_->index.get(
      *client_.runtime().clock(), stop, [&]() -> Result<std::shared_ptr<const Documents>> {
        const Result<json::Value> index =
            get_discovery_document(client_, std::string(kOpenApiRoot), stop);
        if (!index) return index.error();
        const json::Value* paths = index->at_path({"paths"});
        const json::Object* members = paths == nullptr ? nullptr : paths->if_object();
        if (members == nullptr) {
          return Error(ErrorCode::Decode, "get /openapi/v3: paths: expected an object");
        }
        Documents documents;
        for (const auto& [path, entry] : *members) {
          std::string url(entry.string_at({"serverRelativeURL"}));
          documents.emplace(path, std::make_shared<const OpenApiDocument>(client_, std::move(url)));
        }
        return std::make_shared<const Documents>(std::move(documents));
      });
}

Result<std::vector<meta::GroupVersion>> OpenApi::group_versions(std::stop_token stop) const {
  const auto documents = paths(std::move(stop));
  if (!documents) return documents.error();
  std::vector<meta::GroupVersion> versions;
  for (const auto& [path, document] : **documents) {
    if (auto version = group_version_of_openapi_path(path)) {
      versions.push_back(*std::move(version));
    }
  }
  std::ranges::sort(versions, {}, &meta::GroupVersion::to_string);
  return versions;
}

Result<json::Value> OpenApi::spec_of(const meta::GroupVersion& version,
                                     std::stop_token stop) const {
  const auto documents = paths(stop);
  if (!documents) return documents.error();
  const auto found = (*documents)->find(openapi_path_of(version));
  if (found == (*documents)->end()) {
    return Error(ErrorCode::InvalidArgument,
                 "GroupVersion (" + version.to_string() + ") not found as OpenAPI V3 path");
  }
  const auto text = found->second->schema("application/json", std::move(stop));
  if (!text) return text.error();
  return json::parse(**text).with_context("get " + found->second->server_relative_url());
}

}  // namespace kube
