// SPDX-License-Identifier: Apache-2.0
#include <kube/names/int_or_string.hpp>

#include <charconv>
#include <cmath>
#include <optional>

namespace kube::meta {
namespace {

// Reads a number like Go's Atoi: a sign is allowed.
std::optional<std::int32_t> to_int32(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  std::int32_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

IntOrString IntOrString::parse(std::string_view text) {
  if (const auto number = to_int32(text)) return *number;
  return std::string(text);
}

std::int32_t IntOrString::int_value() const {
  if (const std::int32_t* number = if_int()) return *number;
  return to_int32(*if_string()).value_or(0);
}

std::string IntOrString::to_string() const {
  if (const std::int32_t* number = if_int()) return std::to_string(*number);
  return *if_string();
}

Result<std::int64_t> scaled_value(const IntOrString& value, std::int64_t total, bool round_up) {
  if (const std::int32_t* number = value.if_int()) return std::int64_t{*number};
  const std::string& text = *value.if_string();
  const auto percent = text.ends_with('%')
                           ? to_int32(std::string_view(text).substr(0, text.size() - 1))
                           : std::nullopt;
  if (!percent) {
    return Error(ErrorCode::InvalidArgument, "invalid value for IntOrString: \"" + text +
                                                 "\" is neither a number nor a percentage");
  }
  const double exact = static_cast<double>(*percent) * static_cast<double>(total) / 100;
  return static_cast<std::int64_t>(round_up ? std::ceil(exact) : std::floor(exact));
}

}  // namespace kube::meta
