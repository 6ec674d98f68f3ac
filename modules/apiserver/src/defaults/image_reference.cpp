// SPDX-License-Identifier: Apache-2.0
#include "defaults/image_reference.hpp"

#include <algorithm>

#include <kube/base/ascii.hpp>

namespace kube::apiserver {
namespace {

constexpr std::size_t kMaxPath = 255;
constexpr std::size_t kIdentifier = 64;

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_letter_or_digit(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}

bool is_digest(std::string_view digest) {
  const std::size_t colon = digest.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view algorithm = digest.substr(0, colon);
  const std::string_view sum = digest.substr(colon + 1);
  const std::size_t size = algorithm == "sha256" ? 64 : algorithm == "sha384" ? 96 : 128;
  return (size != 128 || algorithm == "sha512") && sum.size() == size &&
         std::ranges::all_of(sum, is_lower_hex);
}

// Letters and digits with one of ". _ __" or any number of "-" between them.
bool is_path_component(std::string_view text) {
  if (text.empty() || !is_lower_or_digit(text.front()) || !is_lower_or_digit(text.back()))
    return false;
  for (std::size_t i = 0; i < text.size();) {
    if (is_lower_or_digit(text[i])) {
      ++i;
      continue;
    }
    const std::size_t end = std::min(text.find_first_not_of(text[i], i), text.size());
    const std::size_t most = text[i] == '.'   ? 1
                             : text[i] == '_' ? 2
                             : text[i] == '-' ? text.size()
                                              : 0;
    if (end - i > most || !is_lower_or_digit(text[end])) return false;
    i = end;
  }
  return true;
}

bool is_path(std::string_view path) {
  if (path.size() > kMaxPath) return false;
  for (std::size_t slash = 0; (slash = path.find('/')) != std::string_view::npos;) {
    if (!is_path_component(path.substr(0, slash))) return false;
    path.remove_prefix(slash + 1);
  }
  return is_path_component(path);
}

bool is_host_name(std::string_view host) {
  for (;;) {
    const std::size_t dot = host.find('.');
    const std::string_view label = host.substr(0, dot);
    if (label.empty() || !is_letter_or_digit(label.front()) || !is_letter_or_digit(label.back()) ||
        !std::ranges::all_of(label, [](char c) { return is_letter_or_digit(c) || c == '-'; })) {
      return false;
    }
    if (dot == std::string_view::npos) return true;
    host.remove_prefix(dot + 1);
  }
}

// A host name or an IPv6 address in brackets, with or without a port.
bool is_domain(std::string_view domain) {
  if (domain.starts_with('[')) {
    const std::size_t end = domain.find(']');
    if (end == std::string_view::npos || end == 1) return false;
    const auto fits = [](char c) { return is_lower_hex(c) || (c >= 'A' && c <= 'F') || c == ':'; };
    if (!std::ranges::all_of(domain.substr(1, end - 1), fits)) return false;
    domain.remove_prefix(end + 1);
  } else {
    const std::size_t colon = std::min(domain.find(':'), domain.size());
    if (!is_host_name(domain.substr(0, colon))) return false;
    domain.remove_prefix(colon);
  }
  return domain.empty() || (domain.size() > 1 && domain.front() == ':' &&
                            std::ranges::all_of(domain.substr(1), is_digit));
}

// The first part of a name is the domain of a registry if it looks like one.
bool is_name(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return is_path(name);
  const std::string_view first = name.substr(0, slash);
  const bool has_domain = first == "localhost" ||
                          first.find_first_of(".:") != std::string_view::npos ||
                          ascii::to_lower(first) != first;
  if (!has_domain) return is_path(name);
  return is_domain(first) && is_path(name.substr(slash + 1));
}

}  // namespace

bool is_moving_image(std::string_view reference) {
  if (reference.size() == kIdentifier && std::ranges::all_of(reference, is_lower_hex)) return false;
  std::string_view name = reference;
  const std::size_t at = name.find('@');
  const bool has_digest = at != std::string_view::npos;
  if (has_digest) {
    if (!is_digest(name.substr(at + 1))) return false;
    name = name.substr(0, at);
  }
  const std::size_t slash = name.rfind('/');
  const std::size_t colon = name.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon == std::string_view::npos) return !has_digest && is_name(name);
  return name.substr(colon + 1) == "latest" && is_name(name.substr(0, colon));
}

}  // namespace kube::apiserver
