// SPDX-License-Identifier: Apache-2.0
#include "requests/review_handlers.hpp"

#include <openssl/crypto.h>

#include <utility>

#include <kube/codec/normalize.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "forms/negotiation.hpp"
#include "reading/responses.hpp"
#include "requests/write_handlers.hpp"
#include "validation/type_validation.hpp"

namespace kube::apiserver {
namespace {

json::Object user_info(const User& user) {
  json::Object out{{"username", user.name}};
  if (!user.uid.empty()) out.set("uid", user.uid);
  if (!user.groups.empty()) out.set("groups", json::Array(user.groups.begin(), user.groups.end()));
  return out;
}

AccessRequest wanted_access(const json::Value& review, User user) {
  AccessRequest access;
  access.user = std::move(user);
  const json::Value* resource = review.at_path({"spec", "resourceAttributes"});
  if (resource != nullptr) {
    access.verb = resource->string_at({"verb"});
    access.group = resource->string_at({"group"});
    access.version = resource->string_at({"version"});
    access.resource = resource->string_at({"resource"});
    access.subresource = resource->string_at({"subresource"});
    access.namespace_ = resource->string_at({"namespace"});
    access.name = resource->string_at({"name"});
  } else {
    access.verb = review.string_at({"spec", "nonResourceAttributes", "verb"});
    access.path = review.string_at({"spec", "nonResourceAttributes", "path"});
  }
  return access;
}

User reviewed_user(const json::Value& review) {
  User user;
  user.name = review.string_at({"spec", "user"});
  user.uid = review.string_at({"spec", "uid"});
  if (const json::Value* groups = review.at_path({"spec", "groups"});
      groups != nullptr && groups->is_array()) {
    for (const json::Value& group : *groups->if_array()) {
      user.groups.emplace_back(group.string_or_empty());
    }
  }
  return user;
}

json::Object token_status(const ApiServer::Options& options, const json::Value& review) {
  const auto user = user_of_token(options, review.string_at({"spec", "token"}));
  if (!user) return {{"error", "invalid bearer token"}};
  return {{"authenticated", true}, {"user", user_info(*user)}};
}

json::Object all_rules() {
  const json::Array all{"*"};
  return {{"resourceRules",
           json::Array{json::Object{{"verbs", all}, {"apiGroups", all}, {"resources", all}}}},
          {"nonResourceRules", json::Array{json::Object{{"verbs", all}, {"nonResourceURLs", all}}}},
          {"incomplete", false}};
}

Result<json::Object> status_of_access(const ApiContext& api, const ResourceRequest& request,
                                      const json::Value& review) {
  const Review kind = request.resource->kind->review;
  const meta::FieldErrors errors = validate_type(*request.resource->type, {review});
  // The reference server does not name the kind.
  if (!errors.empty()) return meta::invalid_error({request.resource->gvk.group, ""}, "", errors);
  User user = kind == Review::SelfAccess ? request.user : reviewed_user(review);
  return json::Object{{"allowed", is_allowed(api.options, wanted_access(review, std::move(user)))}};
}

Result<json::Object> status_of(const ApiContext& api, const ResourceRequest& request,
                               const json::Value& review) {
  switch (request.resource->kind->review) {
    case Review::Self:
      return json::Object{{"userInfo", user_info(request.user)}};
    case Review::Token:
      if (review.string_at({"spec", "token"}).empty())
        return meta::bad_request_error("token is required for TokenReview in authentication");
      return token_status(api.options, review);
    case Review::SelfRules:
      if (review.string_at({"spec", "namespace"}).empty())
        return meta::bad_request_error("no namespace on request");
      return all_rules();
    default:
      return status_of_access(api, request, review);
  }
}

Result<void> complete_review(const ApiContext& api, const ResourceRequest& request,
                             json::Value& review) {
  const Resource& resource = *request.resource;
  if (auto match = match_namespace(resource, request.route.namespace_, review); !match)
    return match;
  auto status = status_of(api, request, review);
  if (!status) return status.error();
  review.if_object()->set("status", *std::move(status));
  if (resource.kind->review == Review::Self)
    review.if_object()->set("metadata",
                            json::Object{{"creationTimestamp", api.objects.now_text()}});
  const auto fitted = meta::normalize_to_type(*resource.type, review);
  if (!fitted) return fitted.error();
  return {};
}

}  // namespace

bool is_allowed(const ApiServer::Options& options, const AccessRequest& access) {
  if (!options.authorizer) return true;
  try {
    return options.authorizer(access);
  } catch (const std::exception& thrown) {
    KUBE_LOG(options.runtime.logger, LogLevel::Error, "apiserver", "authorizer threw",
             {"error", thrown.what()});
  } catch (...) {
    KUBE_LOG(options.runtime.logger, LogLevel::Error, "apiserver", "authorizer threw");
  }
  return false;
}

std::optional<User> user_of_token(const ApiServer::Options& options, std::string_view token) {
  const BearerToken* found = nullptr;
  for (const BearerToken& known : options.tokens) {
    const std::string& text = known.token.reveal();
    if (text.size() == token.size() && !token.empty() &&
        CRYPTO_memcmp(text.data(), token.data(), token.size()) == 0) {
      found = &known;
    }
  }
  if (found == nullptr) return std::nullopt;
  return found->user;
}

Result<HttpResponse> create_review(ApiContext& api, const ResourceRequest& request) {
  const auto accepted = negotiate(request.http.accept, ResponseShape::Part, true);
  if (!accepted) return accepted.error();
  std::vector<std::string> warnings;
  auto input = read_input(api, request, WriteKind::Create, warnings);
  if (!input) return input.error();
  const auto done = complete_review(api, request, input->document);
  HttpResponse response = done ? document_response(201, input->document, accepted->media)
                               : error_response(done.error(), request.http.accept);
  add_warnings(warnings, response);
  return response;
}

}  // namespace kube::apiserver
