// SPDX-License-Identifier: Apache-2.0
//
// Encodes queries and path segments.
#include "request_url.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/base/percent.hpp>
#include <kube/names/time.hpp>
#include <kube/names/validation.hpp>

namespace kube {
namespace {

bool is_unreserved(char c) {
  return ascii::is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '~';
}

void append_query_text(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (is_unreserved(c)) {
      out.push_back(c);
    } else if (c == ' ') {
      out.push_back('+');
    } else {
      append_percent_escape(c, out);
    }
  }
}

}  // namespace

std::string encode_query(QueryParameters query) {
  std::stable_sort(query.begin(), query.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out;
  for (const auto& [name, value] : query) {
    if (!out.empty()) out.push_back('&');
    append_query_text(name, out);
    out.push_back('=');
    append_query_text(value, out);
  }
  return out;
}

std::string escape_segment(std::string_view text) {
  return percent_encoded(text, [](char c) {
    return is_unreserved(c) || std::string_view("$&+,:;=@").find(c) != std::string_view::npos;
  });
}

Result<void> check_segment(std::string_view text, std::string_view what) {
  if (meta::is_path_segment_name(text)) return {};
  return Error(ErrorCode::InvalidArgument,
               "invalid " + std::string(what) + " \"" + std::string(text) + "\": [" +
                   join(meta::validate_path_segment_name(text), ", ") + "]");
}

std::string go_duration(std::chrono::milliseconds duration) {
  // A Duration holds about 292 years.
  constexpr auto kMax =
      std::chrono::floor<std::chrono::milliseconds>(std::chrono::nanoseconds::max());
  return meta::Duration(std::clamp(duration, -kMax, kMax)).to_string();
}

}  // namespace kube
