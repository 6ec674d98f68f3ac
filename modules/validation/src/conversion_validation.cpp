// SPDX-License-Identifier: Apache-2.0
#include "conversion_validation.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <kube/names/go_text.hpp>
#include <kube/names/validation.hpp>

namespace kube::meta {
namespace {

void check_url(std::string_view url, const FieldPath& at, FieldErrors& errors) {
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  const std::size_t colon = url.find("://");
  const std::string_view scheme = colon == url.npos ? std::string_view{} : url.substr(0, colon);
  std::string_view rest = colon == url.npos ? std::string_view{} : url.substr(colon + 3);
  const auto refuse = [&](std::string_view value, std::string_view why) {
    errors.push_back(FieldError::invalid(at, value, std::string(why)));
  };
  if (scheme != "https")
    refuse(scheme, "'https' is the only allowed URL scheme" + std::string(kForm));
  const auto cut = [&rest](char separator) {
    const std::size_t end = rest.find(separator);
    const std::string_view part = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
    rest = rest.substr(0, end);
    return part;
  };
  const std::string_view fragment = cut('#');
  const std::string_view query = cut('?');
  const std::string_view authority = rest.substr(0, rest.find('/'));
  const std::size_t user = authority.rfind('@');
  if ((user == authority.npos ? authority : authority.substr(user + 1)).empty())
    refuse("", "host must be specified" + std::string(kForm));
  if (user != authority.npos)
    refuse(authority.substr(0, user), "user information is not permitted in the URL");
  if (!fragment.empty()) refuse(fragment, "fragments are not permitted in the URL");
  if (!query.empty()) refuse(query, "query parameters are not permitted in the URL");
}

void check_url_path(std::string_view path, const FieldPath& at, FieldErrors& errors) {
  if (path.empty() || path == "/") return;
  const auto refuse = [&](const std::string& why) {
    errors.push_back(FieldError::invalid(at, path, why));
  };
  if (path == "//") return refuse("segment[0] may not be empty");
  if (!path.starts_with('/')) refuse("must start with a '/'");
  std::string_view rest = path.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const auto steps = go::split(rest, '/');
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string name = "segment[" + std::to_string(i) + "]";
    if (steps[i].empty()) {
      refuse(name + " may not be empty");
      continue;
    }
    for (const std::string& problem : validate_dns1123_subdomain(steps[i]))
      refuse(name + ": " + problem);
  }
}

void check_service(const json::Value& service, const FieldPath& at, FieldErrors& errors) {
  // The reference server takes one for the other.
  if (service.string_at({"namespace"}).empty())
    errors.push_back(FieldError::required(at.child("name"), ""));
  if (service.string_at({"name"}).empty())
    errors.push_back(FieldError::required(at.child("namespace"), ""));
  const std::int64_t port = service.int_at({"port"}).value_or(443);
  if (port < 1 || port > 65535) {
    errors.push_back(FieldError::invalid(
        at.child("port"), port, "port is not valid: must be between 1 and 65535, inclusive"));
  }
  check_url_path(service.string_at({"path"}), at.child("path"), errors);
}

void check_client(const json::Value* config, const FieldPath& at, FieldErrors& errors) {
  if (config == nullptr || !config->is_object()) {
    errors.push_back(FieldError::required(at, "required when strategy is set to Webhook"));
    return;
  }
  const json::Value* url = config->at_path({"url"});
  const json::Value* service = config->at_path({"service"});
  const bool has_url = url != nullptr && url->is_string();
  const bool has_service = service != nullptr && service->is_object();
  if (has_url == has_service) {
    errors.push_back(FieldError::required(at, "exactly one of url or service is required"));
  } else if (has_url) {
    check_url(*url->if_string(), at.child("url"), errors);
  } else {
    check_service(*service, at.child("service"), errors);
  }
}

void check_review_versions(const json::Array& versions, const FieldPath& at, FieldErrors& errors) {
  if (versions.empty()) {
    errors.push_back(FieldError::required(at, ""));
    return;
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const std::string_view version = versions[i].string_or_empty();
    if (!seen.insert(version).second) {
      errors.push_back(FieldError::invalid(at.index(i), version, "duplicate version"));
      continue;
    }
    for (std::string& problem : validate_dns1035_label(version))
      errors.push_back(FieldError::invalid(at.index(i), version, std::move(problem)));
  }
  if (!seen.contains("v1") && !seen.contains("v1beta1")) {
    errors.push_back(FieldError::invalid(at, versions, "must include at least one of v1, v1beta1"));
  }
}

void check_webhook(const json::Value& definition, const FieldPath& at, FieldErrors& errors) {
  check_client(definition.at_path({"spec", "conversion", "webhook", "clientConfig"}),
               at.child("webhookClientConfig"), errors);
  check_review_versions(
      definition.array_at({"spec", "conversion", "webhook", "conversionReviewVersions"}),
      at.child("conversionReviewVersions"), errors);
}

}  // namespace

void check_conversion(const json::Value& definition, FieldErrors& errors) {
  const FieldPath at = FieldPath("spec").child("conversion");
  const std::string_view strategy = definition.string_at({"spec", "conversion", "strategy"});
  if (strategy == "Webhook") return check_webhook(definition, at, errors);
  if (strategy.empty()) {
    errors.push_back(FieldError::required(at.child("strategy"), ""));
  } else if (strategy != "None") {
    errors.push_back(
        FieldError::not_supported(at.child("strategy"), strategy, {"None", "Webhook"}));
  }
  const auto unset = [&](std::string_view field, const json::Value* value) {
    if (value == nullptr) return;
    errors.push_back(FieldError::forbidden(
        at.child(field), "should not be set when strategy is not set to Webhook"));
  };
  unset("webhookClientConfig",
        definition.at_path({"spec", "conversion", "webhook", "clientConfig"}));
  unset("conversionReviewVersions",
        definition.at_path({"spec", "conversion", "webhook", "conversionReviewVersions"}));
}

}  // namespace kube::meta
