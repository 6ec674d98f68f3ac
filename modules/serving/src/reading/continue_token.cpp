// SPDX-License-Identifier: Apache-2.0
#include "reading/continue_token.hpp"

#include <algorithm>

#include <kube/codec/go_problems.hpp>
#include <kube/json/base64.hpp>
#include <kube/json/value.hpp>
#include <kube/names/go_text.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"

namespace kube::serving {
namespace {

constexpr std::string_view kTokenVersion = "meta.k8s.io/v1";

Error invalid_token(std::string_view why) {
  return meta::bad_request_error("invalid continue token: continue key is not valid: " +
                                 std::string(why));
}

}  // namespace

std::string format_token(const ContinueToken& token) {
  json::Object content{{"v", kTokenVersion}};
  if (token.revision) {
    content.set("rv", *token.revision);
  } else {
    content.set("rv", -1);
  }
  content.set("start", token.start);
  if (token.remaining != 0) content.set("left", static_cast<std::uint64_t>(token.remaining));
  std::string out;
  json::write_base64(json::dump(content), out);
  while (out.ends_with('=')) out.pop_back();
  std::ranges::replace(out, '+', '-');
  std::ranges::replace(out, '/', '_');
  return out;
}

Result<ContinueToken> parse_token(std::string_view text) {
  std::string padded(text);
  std::ranges::replace(padded, '-', '+');
  std::ranges::replace(padded, '_', '/');
  const std::string plain = padded;
  while (padded.size() % 4 != 0) padded += '=';
  const auto bytes = json::read_base64(padded);
  if (!bytes) return invalid_token(go::base64_problem(plain));
  const auto content = json::parse(*bytes);
  if (!content || !content->is_object()) return invalid_token("it is not a JSON object");
  if (const std::string_view version = content->string_at({"v"}); version != kTokenVersion) {
    return invalid_token("server does not recognize this encoded version \"" +
                         std::string(version) + "\"");
  }
  ContinueToken token;
  const std::int64_t revision = content->int_at({"rv"}).value_or(0);
  if (revision == 0 || revision < -1) return invalid_token("incorrect resourceVersion");
  if (revision > 0) token.revision = static_cast<std::uint64_t>(revision);
  token.start = content->string_at({"start"});
  if (token.start.empty() || token.start.starts_with('/')) {
    return invalid_token("incorrect start key");
  }
  const auto segments = go::split(token.start, '/');
  if (std::ranges::find(segments, "..") != segments.end()) {
    return invalid_token("incorrect start key");
  }
  const std::int64_t left = content->int_at({"left"}).value_or(0);
  if (left > 0) token.remaining = static_cast<std::size_t>(left);
  return token;
}

}  // namespace kube::serving
