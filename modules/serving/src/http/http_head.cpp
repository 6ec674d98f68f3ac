// SPDX-License-Identifier: Apache-2.0
#include "http/http_head.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include <boost/beast/http/status.hpp>

namespace kube::serving {
namespace {

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string date_text(std::chrono::sys_seconds seconds) {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::weekday weekday(day);
  const std::chrono::hh_mm_ss clock(seconds - day);
  std::array<char, 48> text{};
  const int size = std::snprintf(
      text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT", kDays[weekday.c_encoding()],
      static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
      static_cast<int>(date.year()), static_cast<int>(clock.hours().count()),
      static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()));
  return {text.data(), static_cast<std::size_t>(size)};
}

// Made once a second.
const std::string& http_date(WallTime time) {
  thread_local std::chrono::sys_seconds second{};
  thread_local std::string text = date_text(second);
  const auto now = std::chrono::floor<std::chrono::seconds>(time);
  if (now != second) text = date_text(second = now);
  return text;
}

// A header's value must not contain characters that end its line.
std::string header_value(std::string_view value) {
  std::string out(value);
  std::erase_if(out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  return out;
}

bool has_header(const HttpResponse& response, std::string_view name) {
  return std::ranges::any_of(response.headers,
                             [name](const auto& header) { return header.first == name; });
}

}  // namespace

std::string make_head(const HttpResponse& response, const HeadFacts& facts) {
  namespace http = boost::beast::http;
  const auto reason =
      http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status)));
  std::string out = facts.chunked ? "HTTP/1.1 " : "HTTP/1.0 ";
  out += std::to_string(response.status);
  out += ' ';
  out.append(reason.data(), reason.size());
  const auto add = [&out](std::string_view name, std::string_view value) {
    out.append("\r\n").append(name).append(": ").append(header_value(value));
  };
  add("Audit-Id", facts.audit_id);
  if (!has_header(response, "Cache-Control")) add("Cache-Control", "no-cache, private");
  if (!response.content_type.empty()) add("Content-Type", response.content_type);
  for (const auto& [name, value] : response.headers) add(name, value);
  add("Date", http_date(facts.now));
  if (facts.length) {
    if (response.status != 304) add("Content-Length", std::to_string(*facts.length));
  } else if (facts.chunked) {
    add("Transfer-Encoding", "chunked");
  }
  if (!facts.keep_alive) {
    add("Connection", "close");
  } else if (!facts.chunked) {
    add("Connection", "keep-alive");
  }
  out += "\r\n\r\n";
  return out;
}

}  // namespace kube::serving
