// SPDX-License-Identifier: Apache-2.0
//
// Parses Content-Type values like Go's mime package.
#include "media_type.hpp"

#include <algorithm>

#include <kube/base/ascii.hpp>

namespace kube::rest {
namespace {

bool is_token_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > ' ' && byte < 0x7f &&
         std::string_view("()<>@,;:\\\"/[]?=").find(c) == std::string_view::npos;
}

std::string_view take_token(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_token_character);
  const std::string_view token = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(token.size());
  return token;
}

void skip_space(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

Error malformed(const char* what) {
  return {ErrorCode::Decode, std::string("mime: ") + what};
}

Result<std::string> take_value(std::string_view& text) {
  if (text.empty() || text.front() != '"') {
    const std::string_view token = take_token(text);
    if (token.empty()) return malformed("invalid media parameter");
    return std::string(token);
  }
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return value;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    value.push_back(text[i]);
  }
  return malformed("invalid media parameter");
}

}  // namespace

std::string_view MediaType::parameter(std::string_view name) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string_view() : std::string_view(found->second);
}

Result<MediaType> parse_media_type(std::string_view text) {
  MediaType media;
  skip_space(text);
  const std::string_view major = take_token(text);
  if (major.empty()) return malformed("no media type");
  media.type = ascii::to_lower(major);
  if (!text.empty() && text.front() == '/') {
    text.remove_prefix(1);
    const std::string_view minor = take_token(text);
    if (minor.empty()) return malformed("expected token after slash");
    media.type.append("/").append(ascii::to_lower(minor));
  }
  for (;;) {
    skip_space(text);
    if (text.empty()) return media;
    if (text.front() != ';') return malformed("unexpected content after media subtype");
    text.remove_prefix(1);
    skip_space(text);
    if (text.empty()) return media;  // a trailing semicolon is ignored, as Go does
    const std::string_view name = take_token(text);
    if (name.empty() || text.empty() || text.front() != '=') {
      return malformed("invalid media parameter");
    }
    text.remove_prefix(1);
    Result<std::string> value = take_value(text);
    if (!value) return value.error();
    media.parameters.insert_or_assign(ascii::to_lower(name), *std::move(value));
  }
}

}  // namespace kube::rest
