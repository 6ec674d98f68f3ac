// SPDX-License-Identifier: Apache-2.0
#include "stored_response.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <map>
#include <vector>

#include <kube/base/ascii.hpp>

#include "response_head_parser.hpp"

namespace kube::transport {
namespace {

using std::chrono::system_clock;

std::string sha256(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> sum{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum.data());
  return {sum.begin(), sum.end()};
}

// Returns the elements of a header that is a list, of all its fields.
std::vector<std::string> listed(const Headers& headers, std::string_view name) {
  std::vector<std::string> elements;
  for (const auto& [field, value] : headers) {
    if (!ascii::equal_ignoring_case(field, name)) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      const std::string_view element = ascii::trim_blanks(rest.substr(0, end));
      if (!element.empty()) elements.emplace_back(element);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return elements;
}

// The directives of Cache-Control, in lower case, with their values.
std::map<std::string, std::string, std::less<>> cache_control(const Headers& headers) {
  std::map<std::string, std::string, std::less<>> directives;
  for (const std::string& element : listed(headers, "Cache-Control")) {
    const std::size_t equals = std::min(element.find('='), element.size());
    directives[ascii::to_lower(ascii::trim_blanks(std::string_view(element).substr(0, equals)))] =
        element.substr(std::min(equals + 1, element.size()));
  }
  return directives;
}

// "Mon, 23 Nov 2026 14:48:39 GMT"; API servers write UTC in Expires.
std::optional<system_clock::time_point> http_date(const Headers& headers, std::string_view name) {
  const auto field = headers.find(name);
  if (!field) return std::nullopt;
  const std::string text(*field);
  std::tm date{};
  const char* zone = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S", &date);
  if (zone == nullptr) return std::nullopt;
  const std::string_view name_of_zone = ascii::trim_blanks(zone);
  if (name_of_zone != "GMT" && name_of_zone != "UTC") return std::nullopt;
  return system_clock::from_time_t(::timegm(&date));
}

std::optional<std::chrono::seconds> lifetime_of(const HttpResponse& response) {
  const auto directives = cache_control(response.headers);
  if (const auto found = directives.find("max-age"); found != directives.end()) {
    const std::string& text = found->second;
    std::int64_t seconds = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, 31'536'000));
  }
  const auto date = http_date(response.headers, "Date");
  const auto expires = http_date(response.headers, "Expires");
  if (!date || !expires) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::seconds>(*expires - *date);
}

// Reads a chunked body; nullopt when it is cut off.
std::optional<std::string> unchunked(std::string_view bytes) {
  std::string body;
  for (;;) {
    const std::size_t end = bytes.find("\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    std::size_t length = 0;
    const auto read = std::from_chars(bytes.data(), bytes.data() + end, length, 16);
    if (read.ec != std::errc()) return std::nullopt;
    bytes.remove_prefix(end + 2);
    if (length == 0) return body;
    if (bytes.size() < 2 || bytes.size() - 2 < length) return std::nullopt;
    body.append(bytes.substr(0, length));
    bytes.remove_prefix(length + 2);
  }
}

std::optional<std::string> body_of(const Headers& headers, std::string_view bytes) {
  if (ascii::equal_ignoring_case(headers.find("Transfer-Encoding").value_or(""), "chunked")) {
    return unchunked(bytes);
  }
  const auto length_text = headers.find("Content-Length");
  if (!length_text) return std::string(bytes);
  std::size_t length = 0;
  const char* end = length_text->data() + length_text->size();
  const auto read = std::from_chars(length_text->data(), end, length);
  if (read.ec != std::errc() || read.ptr != end || length != bytes.size()) return std::nullopt;
  return std::string(bytes);
}

// Headers about one connection, and those that describe the bytes on the wire.
constexpr std::array<std::string_view, 9> kHopByHop = {
    "Connection",          "Keep-Alive", "Proxy-Authenticate",
    "Proxy-Authorization", "Te",         "Trailers",
    "Transfer-Encoding",   "Upgrade",    "Content-Length"};

bool is_hop_by_hop(std::string_view name) {
  return std::ranges::any_of(
      kHopByHop, [&](std::string_view each) { return ascii::equal_ignoring_case(each, name); });
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  std::string hex;
  for (const char byte : sha256(text)) ascii::append_hex(byte, hex);
  return hex;
}

std::string to_stored(const HttpResponse& response) {
  std::string text = "HTTP/1.1 " + std::to_string(response.status) +
                     (response.status == 200 ? " OK" : "") + "\r\n";
  for (const auto& [name, value] : response.headers) {
    if (is_hop_by_hop(name) || ascii::equal_ignoring_case(name, "Content-Encoding")) continue;
    text.append(name).append(": ").append(value).append("\r\n");
  }
  text.append("Content-Length: ").append(std::to_string(response.body.size())).append("\r\n\r\n");
  text.append(response.body);
  return sha256(text) + text;
}

std::optional<HttpResponse> from_stored(std::string_view bytes) {
  if (bytes.size() < SHA256_DIGEST_LENGTH) return std::nullopt;
  const std::string_view text = bytes.substr(SHA256_DIGEST_LENGTH);
  if (bytes.substr(0, SHA256_DIGEST_LENGTH) != sha256(text)) return std::nullopt;
  if (!text.starts_with("HTTP/")) return std::nullopt;
  ResponseHeadParser head;
  std::size_t at = 0;
  while (!head.complete()) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return std::nullopt;
    head.add_line(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  ResponseHead parsed = head.take();
  if (parsed.headers.find("Content-Encoding")) return std::nullopt;
  auto body = body_of(parsed.headers, text.substr(at));
  if (!body) return std::nullopt;
  return HttpResponse{parsed.status, std::move(parsed.headers), *std::move(body)};
}

bool is_worth_storing(const Headers& request, const HttpResponse& response) {
  if (response.status != 200) return false;
  if (cache_control(request).contains("no-store")) return false;
  if (cache_control(response.headers).contains("no-store")) return false;
  if (std::ranges::count(listed(response.headers, "Vary"), "*") > 0) return false;
  return response.headers.find("ETag") || response.headers.find("Last-Modified") ||
         lifetime_of(response).value_or(std::chrono::seconds(0)).count() > 0;
}

void add_varied(const Headers& request, HttpResponse& response) {
  for (const std::string& name : listed(response.headers, "Vary")) {
    const std::string_view value = request.find(name).value_or("");
    if (!value.empty()) response.headers.set("X-Varied-" + name, std::string(value));
  }
}

bool varies_alike(const Headers& request, const HttpResponse& stored) {
  return std::ranges::all_of(listed(stored.headers, "Vary"), [&](const std::string& name) {
    return request.find(name).value_or("") == stored.headers.find("X-Varied-" + name).value_or("");
  });
}

bool is_fresh(const Headers& request, const HttpResponse& stored, system_clock::time_point now) {
  const auto asked = cache_control(request);
  const auto answered = cache_control(stored.headers);
  if (asked.contains("no-cache") || answered.contains("no-cache")) return false;
  const auto date = http_date(stored.headers, "Date");
  const auto lifetime = lifetime_of(stored);
  return date && lifetime && now - *date < *lifetime;
}

void renew(HttpResponse& stored, const Headers& not_modified) {
  for (const auto& [name, value] : not_modified) {
    if (!is_hop_by_hop(name)) stored.headers.set(name, value);
  }
}

}  // namespace kube::transport
