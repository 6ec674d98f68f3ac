// SPDX-License-Identifier: Apache-2.0
#include "requests/review_handlers.hpp"

#include <openssl/crypto.h>

#include <utility>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "forms/negotiation.hpp"
#include "reading/responses.hpp"
#include "requests/request_body.hpp"

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
  if (!user) return {{"authenticated", false}, {"error", "invalid bearer token"}};
  return {{"authenticated", true}, {"user", user_info(*user)}};
}

json::Object all_rules() {
  const json::Array all{"*"};
  return {{"resourceRules",
           json::Array{json::Object{{"verbs", all}, {"apiGroups", all}, {"resources", all}}}},
          {"nonResourceRules", json::Array{json::Object{{"verbs", all}, {"nonResourceURLs", all}}}},
          {"incomplete", false}};
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
  if (auto options = read_write_options(request.route.query, WriteKind::Create); !options) {
    return options.error();
  }
  auto review = read_checked_body(request.http, *request.resource);
  if (!review) return review.error();

  const Review kind = request.resource->kind->review;
  json::Object status;
  if (kind == Review::Self) {
    status.set("userInfo", user_info(request.user));
  } else if (kind == Review::Token) {
    status = token_status(api.options, *review);
  } else if (kind == Review::SelfRules) {
    status = all_rules();
  } else {
    User user = kind == Review::SelfAccess ? request.user : reviewed_user(*review);
    status.set("allowed", is_allowed(api.options, wanted_access(*review, std::move(user))));
  }
  metadata_of(*review).set("creationTimestamp", api.objects.now_text());
  review->if_object()->set("status", std::move(status));
  return document_response(201, *review, accepted->media);
}

}  // namespace kube::apiserver
