// SPDX-License-Identifier: Apache-2.0
#include <kube/config/auth_info.hpp>

#include <string_view>
#include <utility>

#include <kube/base/file.hpp>
#include <kube/json/value.hpp>

namespace kube::rest {
namespace {

// Calls f(name, text) for each member that is text, or a secret.
template <class Info, class F>
void each_info_text(Info& info, const F& f) {
  f("User", info.user);
  f("Password", info.password);
  f("CAFile", info.ca_file);
  f("CertFile", info.certificate_file);
  f("KeyFile", info.key_file);
  f("BearerToken", info.bearer_token);
}

const std::string& info_to_write(const std::string& text) {
  return text;
}
const std::string& info_to_write(const SecretText& secret) {
  return secret.reveal();
}

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
  std::string_view not_text;
  each_info_text(info, [&](std::string_view name, auto& member) {
    const json::Value* value = document->at_path({name});
    if (value == nullptr || value->is_null()) return;
    if (const std::string* string = value->if_string()) {
      member = *string;
    } else if (not_text.empty()) {
      not_text = name;
    }
  });
  if (!not_text.empty()) return wrong(std::string(not_text) + ": expected a string");
  const json::Value* insecure = document->at_path({kInsecure});
  if (insecure != nullptr && !insecure->is_null()) {
    if (!insecure->is_bool()) return wrong(std::string(kInsecure) + ": expected a boolean");
    info.insecure = *insecure->if_bool();
  }
  return info;
}

Result<void> AuthInfo::save(const std::string& path) const {
  json::Object document;
  each_info_text(*this, [&](std::string_view name, const auto& member) {
    document.set(name, info_to_write(member));
  });
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
