// SPDX-License-Identifier: Apache-2.0
//
// Reads the expiry of ID tokens. The API server verifies the signature.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <kube/json/base64.hpp>
#include <kube/json/value.hpp>

#include "oidc.hpp"

namespace kube::rest {

Result<WallTime> id_token_expiry(const SecretText& secret) {
  const std::string_view token = secret.reveal();
  const auto wrong = [](const char* why) {
    return Error(ErrorCode::Credentials, std::string("the ID token is malformed: ") + why);
  };
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) {
    return wrong("expected three parts");
  }
  const bool printable =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (!printable) return wrong("it is not one word of ASCII characters");
  std::string text(token.substr(first + 1, second - first - 1));
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  const auto bytes = json::read_base64(text);
  if (!bytes) return wrong("the payload is not base64");
  const Result<json::Value> claims = json::parse(*bytes);
  if (!claims || !claims->is_object()) return wrong("the payload is not a JSON object");
  const json::Value* expiry = claims->at_path({"exp"});
  double seconds = 0;
  if (expiry != nullptr && expiry->is_int()) {
    seconds = static_cast<double>(*expiry->if_int());
  } else if (expiry != nullptr && expiry->is_double()) {
    seconds = *expiry->if_double();
  } else {
    return wrong("the claim exp is not a number");
  }
  constexpr double kLatest = 9e9;  // Later times do not fit a WallTime.
  return WallTime(
      std::chrono::seconds(std::llround(std::clamp(std::floor(seconds), 0.0, kLatest))));
}

}  // namespace kube::rest
