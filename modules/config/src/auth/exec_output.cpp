// SPDX-License-Identifier: Apache-2.0
//
// Reads the ExecCredential that a plugin prints. No error quotes it: it holds the credentials.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/json/value.hpp>
#include <kube/names/time.hpp>
#include <kube/transport/client_certificate.hpp>

#include "exec_plugin.hpp"
#include "exec_versions.hpp"

namespace kube::rest {
namespace {

Error exec_decode_error(const std::string& why) {
  return {ErrorCode::Credentials, "decoding stdout: " + why};
}

// "" for a missing member and null.
Result<std::string> text_member(const json::Object& status, std::string_view name) {
  const json::Value* value = status.find(name);
  if (value == nullptr || value->is_null()) return std::string();
  if (!value->is_string()) {
    return exec_decode_error("status." + std::string(name) + " is not a string");
  }
  return *value->if_string();
}

Result<std::optional<WallTime>> expiry(const json::Object& status) {
  constexpr std::string_view kName = "expirationTimestamp";
  const Result<std::string> text = text_member(status, kName);
  if (!text) return text.error();
  if (text->empty()) return std::optional<WallTime>();
  const Result<meta::Time> time = meta::Time::parse(*text);
  if (!time)
    return exec_decode_error("status." + std::string(kName) + " is not a time of RFC 3339");
  return std::optional<WallTime>(time->to_wall_time());
}

bool fits_a_header(std::string_view token) {
  return std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

Result<Credentials> read_status(const json::Object& status) {
  Credentials out;
  const Result<std::string> token = text_member(status, "token");
  if (!token) return token.error();
  Result<std::string> certificate = text_member(status, "clientCertificateData");
  if (!certificate) return certificate.error();
  const Result<std::string> key = text_member(status, "clientKeyData");
  if (!key) return key.error();
  const Result<std::optional<WallTime>> expires = expiry(status);
  if (!expires) return expires.error();
  const auto wrong = [](const char* text) { return Error(ErrorCode::Credentials, text); };
  if (token->empty() && certificate->empty() && key->empty()) {
    return wrong("exec plugin didn't return a token or cert/key pair");
  }
  if (certificate->empty() != key->empty()) {
    return wrong("exec plugin returned only certificate or key, not both");
  }
  if (!fits_a_header(*token)) {
    return wrong("exec plugin returned a token that is not one word of ASCII characters");
  }
  if (!certificate->empty()) {
    const Result<WallTime> valid_until = transport::check_client_certificate(*certificate, *key);
    if (!valid_until)
      return valid_until.error().with_context("failed parsing client key/certificate");
    out.certificate_expires = *valid_until;
  }
  out.token = *token;
  out.certificate = *std::move(certificate);
  out.key = *key;
  out.expires = *expires;
  return out;
}

}  // namespace

Result<Credentials> parse_exec_output(std::string_view text, const std::string& api_version) {
  if (ascii::trim_space(text).empty())
    return exec_decode_error("it is empty; expected an ExecCredential");
  const Result<json::Value> document = json::parse(text);
  if (!document) {
    return exec_decode_error(document.error().message() +
                             "; expected an ExecCredential and nothing else");
  }
  if (!document->is_object()) return exec_decode_error("expected a JSON object");
  const std::string_view version = document->string_at({"apiVersion"});
  if (version.empty()) return exec_decode_error("Object 'apiVersion' is missing");
  const std::string_view kind = document->string_at({"kind"});
  if (kind.empty()) return exec_decode_error("Object 'kind' is missing");
  if (version != api_version) {
    // Any other text is not known to be harmless.
    return Error(
        ErrorCode::Credentials,
        "exec plugin is configured to use API version " + api_version + ", plugin returned " +
            (is_exec_version(version) ? "version " + std::string(version) : "an unknown version"));
  }
  if (kind != "ExecCredential") return exec_decode_error("the kind is not ExecCredential");
  const json::Value* status = document->at_path({"status"});
  if (status == nullptr || status->is_null()) {
    return Error(ErrorCode::Credentials, "exec plugin didn't return a status field");
  }
  const json::Object* members = status->if_object();
  if (members == nullptr) return exec_decode_error("status is not an object");
  return read_status(*members);
}

}  // namespace kube::rest
