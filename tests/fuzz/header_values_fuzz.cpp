// SPDX-License-Identifier: Apache-2.0
//
// Values of headers and tokens that come from the other side: Warning, RFC 2047 words, media types,
// Retry-After and continue tokens. What is understood is written again and reads back the same.
//
// Input: the value.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "encoded_word.hpp"
#include "media_type.hpp"
#include "reading/continue_token.hpp"
#include "retry_after.hpp"

#include <kube/client/warnings.hpp>

namespace {

using namespace kube;

void expect(bool holds, int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "line %d: does not hold\n", line);
  std::abort();
}

void check_warnings(const std::string& text) {
  const transport::Headers headers{{"Other", text}, {"warning", text}};
  const auto all = rest::parse_warnings(headers);
  std::string rest = text;
  std::size_t count = 0;
  while (!rest.empty()) {
    const auto parsed = rest::parse_warning_header(rest);
    if (!parsed) {
      expect(parsed.error().code() == ErrorCode::Decode);
      break;
    }
    const rest::Warning& warning = parsed->warning;
    expect(count < all.size() && all[count] == warning);
    ++count;
    expect(warning.code >= 0 && warning.code <= 999 && !warning.agent.empty());
    expect(parsed->remainder.size() < rest.size() && text.find(parsed->remainder) != text.npos);
    // A text can spell an encoded word, which a header can't say; an agent can hold a quote.
    const bool plain = rest::decode_encoded_words(warning.text) == warning.text &&
                       warning.agent.find('"') == std::string::npos;
    if (const auto made = rest::make_warning_header(warning); plain) {
      expect(made.has_value());
      const auto again = rest::parse_warning_header(*made);
      expect(again.has_value() && again->warning == warning && again->remainder.empty());
      const auto joined = rest::parse_warnings({{"Warning", *made + ", " + *made}});
      expect(joined.size() == 2 && joined[0] == warning && joined[1] == warning);
    }
    rest = parsed->remainder;
  }
  expect(count == all.size());
}

// The text as one encoded word, each byte by its number.
std::string word_of(std::string_view text) {
  std::string word = "=?utf-8?Q?";
  for (const char c : text) {
    char buffer[4];
    std::snprintf(buffer, sizeof buffer, "=%02X", static_cast<unsigned>(c) & 0xffU);
    word += buffer;
  }
  return word + "?=";
}

void check_words(const std::string& text) {
  const std::string decoded = rest::decode_encoded_words(text);
  if (text.find("=?") == std::string::npos) expect(decoded == text);
  // A byte of another charset is at most three of UTF-8.
  expect(decoded.size() <= 3 * text.size());
  const std::string word = word_of(text);
  expect(rest::decode_encoded_words(word) == text);
  expect(rest::decode_encoded_words(word + " \t" + word) == text + text);
  expect(rest::decode_encoded_words("a " + word + " b") == "a " + text + " b");
}

void check_media_type(const std::string& text) {
  const auto media = rest::parse_media_type(text);
  if (!media) {
    expect(media.error().code() == ErrorCode::Decode);
    expect(media.error().message().starts_with("mime: "));
    return;
  }
  std::string written = media->type;
  for (const auto& [name, value] : media->parameters) {
    expect(media->parameter(name) == value);
    written += " ; " + name + "=\"";
    for (const char c : value) written += {'\\', c};
    written += '"';
  }
  const auto again = rest::parse_media_type(written);
  expect(again.has_value() && again->type == media->type && again->parameters == media->parameters);
}

void check_retry_after(const std::string& text) {
  const auto seconds = retry_after({{"retry-after", text}}, WallTime{});
  // A second reading: digits alone, that fit; as "-0" is nought.
  std::string_view digits = text;
  if (digits.starts_with("-")) {
    digits.remove_prefix(1);
    if (digits.find_first_not_of('0') != digits.npos) digits = {};
  }
  std::optional<long long> expected;
  if (!digits.empty() && digits.find_first_not_of("0123456789") == digits.npos) {
    long long value = 0;
    for (const char c : digits) value = std::min(value * 10 + (c - '0'), 1LL << 40);
    if (value <= 2147483647LL) expected = value;
  }
  if (!expected && seconds) {  // a date
    expect(text.size() == 29 && text.ends_with(" GMT") && seconds->count() >= 0);
    return;
  }
  expect(seconds.has_value() == expected.has_value());
  if (expected) expect(seconds->count() == *expected);
}

void check_token(const std::string& text) {
  const auto token = serving::parse_token(text);
  if (!token) {
    expect(token.error().http_status() == 400);
  } else {
    expect(!token->start.empty() && token->start.front() != '/' && token->revision != 0U);
    const auto again = serving::parse_token(serving::format_token(*token));
    expect(again.has_value() && again->revision == token->revision);
    expect(again->start == token->start && again->remaining == token->remaining);
  }
  // As a start key it comes back, or is refused because it leads elsewhere.
  const serving::ContinueToken made{.revision = text.size() + 1, .start = text, .remaining = 7};
  const std::string formatted = serving::format_token(made);
  expect(formatted.find_first_of("+/=") == std::string::npos);
  const auto back = serving::parse_token(formatted);
  const bool leads_elsewhere =
      text.empty() || text.front() == '/' || ('/' + text + '/').find("/../") != std::string::npos;
  if (back) {
    expect(!leads_elsewhere && back->revision == made.revision && back->remaining == 7);
  } else {
    expect(leads_elsewhere);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_warnings(text);
  check_words(text);
  check_media_type(text);
  check_retry_after(text);
  check_token(text);
  return 0;
}
