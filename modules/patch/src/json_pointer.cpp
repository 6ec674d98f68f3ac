// SPDX-License-Identifier: Apache-2.0
#include <kube/patch/json_pointer.hpp>

#include <charconv>
#include <cstdint>

#include <kube/names/go_text.hpp>

namespace kube::meta::detail {

Result<Pointer> parse_pointer(std::string_view text) {
  Pointer pointer;
  if (text.empty()) return pointer;
  if (!text.starts_with('/')) {
    return Error(ErrorCode::InvalidArgument,
                 "a JSON pointer must start with \"/\", but found " + go::quote(text));
  }
  for (const std::string_view part : go::split(text.substr(1), '/')) {
    std::string& token = pointer.emplace_back();
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i] != '~') {
        token += part[i];
        continue;
      }
      ++i;
      if (i == part.size() || (part[i] != '0' && part[i] != '1')) {
        return Error(ErrorCode::InvalidArgument,
                     "in a JSON pointer \"~\" must precede 0 or 1: " + go::quote(text));
      }
      token += part[i] == '0' ? '~' : '/';
    }
  }
  return pointer;
}

Pointer parse_loose_pointer(std::string_view text) {
  Pointer pointer;
  const std::size_t first = text.find('/');
  if (first == std::string_view::npos) return pointer;
  for (const std::string_view part : go::split(text.substr(first + 1), '/')) {
    std::string& token = pointer.emplace_back();
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::string_view pair = part.substr(i, 2);
      const bool is_escape = pair == "~0" || pair == "~1";
      token += !is_escape ? part[i] : pair == "~0" ? '~' : '/';
      if (is_escape) ++i;
    }
  }
  return pointer;
}

std::optional<std::size_t> parse_index(std::string_view token, std::size_t size) {
  // Go's Atoi.
  if (token.starts_with('+') && !token.starts_with("+-")) token.remove_prefix(1);
  std::int64_t index = 0;
  const char* const end = token.data() + token.size();
  const auto [rest, error] = std::from_chars(token.data(), end, index);
  if (error != std::errc{} || rest != end) return std::nullopt;
  const auto count = static_cast<std::int64_t>(size);
  if (index < 0) index += count;
  if (index < 0 || index >= count) return std::nullopt;
  return static_cast<std::size_t>(index);
}

json::Value* step(json::Value& value, std::string_view token) {
  if (json::Object* object = value.if_object()) return object->find(token);
  json::Array* array = value.if_array();
  if (array == nullptr) return nullptr;
  const std::optional<std::size_t> index = parse_index(token, array->size());
  return index ? &(*array)[*index] : nullptr;
}

json::Value* resolve(json::Value& document, const Pointer& pointer, std::size_t length) {
  json::Value* at = &document;
  for (std::size_t i = 0; i < length && at != nullptr; ++i) at = step(*at, pointer[i]);
  return at;
}

}  // namespace kube::meta::detail
