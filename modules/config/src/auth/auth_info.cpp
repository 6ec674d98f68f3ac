// SPDX-License-Identifier: Apache-2.0
#include <kube/config/auth_info.hpp>

#include <string_view>
#include <utility>

#include <kube/base/file.hpp>
#include <kube/json/value.hpp>

namespace kube::rest {
namespace {

constexpr std::pair<std::string_view, std::string AuthInfo::*> kInfoTexts[] = {
    {"User", &AuthInfo::user},        {"Password", &AuthInfo::password},
    {"CAFile", &AuthInfo::ca_file},   {"CertFile", &AuthInfo::certificate_file},
    {"KeyFile", &AuthInfo::key_file}, {"BearerToken", &AuthInfo::bearer_token}};
constexpr std::string_view kInsecure = "Insecure";

}  // namespace

Result<AuthInfo> AuthInfo::load(const std::string& path) {
  const Result<std::string> text = read_file(path, kMaxSmallFileBytes);
  if (!text) return text.error();
  const Result<json::Value> document = json::parse(*text);
  const auto wrong = [&path](const std::string& why) {
    return Error(ErrorCode::Config, path + ": " + why);
  };
  if (!document) return wrong(document.error().message());
  if (!document->is_object()) return wrong("expected a JSON object");
  AuthInfo info;
  for (const auto& [name, member] : kInfoTexts) {
    const json::Value* value = document->at_path({name});
    if (value == nullptr || value->is_null()) continue;
    if (!value->is_string()) return wrong(std::string(name) + ": expected a string");
    info.*member = *value->if_string();
  }
  const json::Value* insecure = document->at_path({kInsecure});
  if (insecure != nullptr && !insecure->is_null()) {
    if (!insecure->is_bool()) return wrong(std::string(kInsecure) + ": expected a boolean");
    info.insecure = *insecure->if_bool();
  }
  return info;
}

Result<void> AuthInfo::save(const std::string& path) const {
  json::Object document;
  for (const auto& [name, member] : kInfoTexts) document.set(name, this->*member);
  document.set(kInsecure, insecure ? json::Value(*insecure) : json::Value());
  return replace_file(path, json::dump(document), {.file_mode = 0600});
}

Config AuthInfo::merged_with(Config config) const {
  config.username = user;
  config.password = password;
  config.tls.ca.file = ca_file;
  config.tls.certificate.file = certificate_file;
  config.tls.key.file = key_file;
  config.bearer_token = bearer_token;
  if (insecure) config.tls.insecure_skip_verify = *insecure;
  return config;
}

bool AuthInfo::is_complete() const {
  return !user.empty() || !certificate_file.empty() || !bearer_token.empty();
}

}  // namespace kube::rest
