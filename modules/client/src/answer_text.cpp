// SPDX-License-Identifier: Apache-2.0
//
// Describes unexpected responses for users.
#include "answer_text.hpp"

#include <algorithm>

#include <kube/base/ascii.hpp>
#include <kube/base/printable.hpp>
#include <kube/transport/url.hpp>

namespace kube {
namespace {

constexpr std::size_t kLongestTitle = 100;
constexpr std::size_t kLongestType = 100;
constexpr std::size_t kLongestBody = 2048;  // the part of a body that client-go keeps
constexpr std::size_t kSearched = 16384;    // the part of a page that is searched for its title

// Returns the title of a page; empty when it has none.
std::string title_of(std::string_view page) {
  page = page.substr(0, kSearched);
  const std::string lower = ascii::to_lower(page);
  std::size_t begin = lower.find("<title");
  if (begin != std::string::npos) begin = lower.find('>', begin);
  if (begin == std::string::npos) return {};
  const std::size_t end = lower.find('<', begin);
  if (end == std::string::npos) return {};
  return printable(ascii::trim_space(page.substr(begin + 1, end - begin - 1)), kLongestTitle);
}

// Where a redirect leads: a path as it is, without what follows "?", which may be a session.
std::string target_of(std::string_view location) {
  const bool is_path = location.starts_with('/') && !location.starts_with("//");
  return printable(is_path ? std::string(location.substr(0, location.find_first_of("?#")))
                           : transport::printable_url(location),
                   kLongestBody);
}

}  // namespace

Error reworded(const Error& error, std::string message) {
  Error copy(error.code(), std::move(message));
  std::string context = error.to_string();
  context.resize(context.size() - error.message().size());
  constexpr std::string_view kEnd = ": ";
  if (!context.empty()) {
    context.resize(context.size() - kEnd.size());
    copy = copy.with_context(context);
  }
  copy = copy.with_http_status(error.http_status()).with_reason(error.reason());
  if (error.retry_after()) copy = copy.with_retry_after(*error.retry_after());
  if (error.detail()) copy = copy.with_detail(error.detail());
  return copy;
}

bool is_html(std::string_view content_type, std::string_view body) {
  if (ascii::to_lower(content_type).starts_with("text/html")) return true;
  const std::string begin = ascii::to_lower(ascii::trim_space(body.substr(0, 64)));
  return begin.starts_with("<!doctype html") || begin.starts_with("<html");
}

std::string what_body_is(std::string_view content_type, std::string_view body) {
  if (ascii::trim_space(body).empty()) return "without a body";
  if (is_html(content_type, body)) {
    const std::string title = title_of(body);
    return "with an HTML page" + (title.empty() ? "" : " (\"" + title + "\")") +
           ", which no Kubernetes API server sends";
  }
  if (content_type.empty()) return "with a body without a Content-Type";
  return "with a body of type " + printable(content_type, kLongestType);
}

std::string quotable_body(std::string_view content_type, std::string_view body) {
  if (!is_html(content_type, body)) return printable(ascii::trim_space(body), kLongestBody);
  const std::string title = title_of(body);
  return title.empty() ? "an HTML page" : title;
}

std::string what_answer_is(int status, const transport::Headers& headers, std::string_view body) {
  std::string text = "HTTP " + std::to_string(status) + " ";
  const auto location = headers.find("Location");
  if (status >= 300 && status < 400 && location) {
    return text + "that redirects to " + target_of(*location) + ", which is not followed";
  }
  return text + what_body_is(headers.find("Content-Type").value_or(""), body);
}

}  // namespace kube
