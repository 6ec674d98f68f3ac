// SPDX-License-Identifier: Apache-2.0
#include "page/html_page.hpp"

#include <algorithm>
#include <array>

#include <kube/base/ascii.hpp>
#include <kube/json/base64.hpp>

#include "documents/digest.hpp"

namespace kube::cacheserver {

using serving::HttpRequest;
using serving::HttpResponse;

namespace {

constexpr std::string_view kPage =
#include "page.inc"
    ;

/// Browsers read every end of a line as "\n", and make hashes of what they have read.
std::string with_plain_lines(std::string_view html) {
  std::string out;
  out.reserve(html.size());
  for (std::size_t i = 0; i < html.size(); ++i) {
    if (html[i] != '\r') {
      out += html[i];
    } else if (!html.substr(i + 1).starts_with('\n')) {
      out += '\n';
    }
  }
  return out;
}

/// Returns where a tag begins, such as "<script" or "</script", or the end.
std::size_t find_tag(std::string_view lower, std::string_view tag, std::size_t from) {
  constexpr std::string_view kAfterName = " \t\n\f/>";
  for (std::size_t at = lower.find(tag, from); at != lower.npos; at = lower.find(tag, at + 1)) {
    const std::size_t next = at + tag.size();
    if (next < lower.size() && kAfterName.find(lower[next]) != kAfterName.npos) return at;
  }
  return lower.size();
}

/// Returns the sources of a policy that are the elements of a name: " 'sha256-...'" for each.
std::string hashes_of(std::string_view html, std::string_view name) {
  const std::string lower = ascii::to_lower(html);
  const std::string begin = "<" + std::string(name);
  const std::string end = "</" + std::string(name);
  std::string out;
  for (std::size_t at = 0; (at = find_tag(lower, begin, at)) < lower.size();) {
    const std::size_t from = std::min(lower.find('>', at), lower.size() - 1) + 1;
    at = find_tag(lower, end, from);
    const auto digest = serving::sha256(html.substr(from, at - from));
    out += " 'sha256-";
    json::write_base64({reinterpret_cast<const char*>(digest.data()), digest.size()}, out);
    out += '\'';
  }
  return out.empty() ? " 'none'" : out;
}

}  // namespace

std::string content_policy(std::string_view html) {
  const std::string read = with_plain_lines(html);
  return "default-src 'none'; connect-src 'self'; script-src" + hashes_of(read, "script") +
         "; style-src" + hashes_of(read, "style") +
         "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

HtmlPage::HtmlPage(std::string_view own)
    : html_(own.empty() ? kPage : own), policy_(content_policy(html_)) {}

std::optional<HttpResponse> HtmlPage::serve(const HttpRequest& request,
                                            const serving::Route& route) const {
  const bool only_reads = request.method == "GET" || request.method == "HEAD";
  const bool is_browser = request.accept.find("text/html") != std::string::npos;
  if (!only_reads || route.path != "/" || !is_browser) return std::nullopt;
  HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.headers = {{"Content-Security-Policy", policy_},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"}};
  response.body = html_;
  return response;
}

}  // namespace kube::cacheserver
