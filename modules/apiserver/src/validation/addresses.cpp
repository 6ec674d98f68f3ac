// SPDX-License-Identifier: Apache-2.0
#include "validation/addresses.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string>

#include <kube/base/ascii.hpp>
#include <kube/names/go_text.hpp>

namespace kube::apiserver {
namespace {

constexpr std::size_t kV4At = 12;

std::optional<int> parse_small(std::string_view digits, int max) {
  if (digits.empty() || !std::ranges::all_of(digits, ascii::is_digit)) return std::nullopt;
  int value = 0;
  for (const char digit : digits) {
    value = value * 10 + (digit - '0');
    if (value > max) return std::nullopt;
  }
  return value;
}

std::optional<IpAddress> parse_v4(std::string_view text) {
  const auto parts = go::split(text, '.');
  if (parts.size() != 4) return std::nullopt;
  IpAddress out;
  out.is_v4 = true;
  out.bytes[10] = out.bytes[11] = 0xff;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto part = parse_small(parts[i], 255);
    if (!part) return std::nullopt;
    out.has_leading_zero = out.has_leading_zero || (parts[i].size() > 1 && parts[i][0] == '0');
    out.bytes[kV4At + i] = static_cast<std::uint8_t>(*part);
  }
  return out;
}

std::uint32_t v4_number(const IpAddress& address) {
  std::uint32_t number = 0;
  for (std::size_t i = kV4At; i < address.bytes.size(); ++i)
    number = number << 8 | address.bytes[i];
  return number;
}

meta::Problems canonical_problems(std::string_view text, const std::string& canonical) {
  if (text == canonical) return {};
  return {"must be in canonical form (" + go::quote(canonical) + ")"};
}

bool has_bits_beyond(const CidrBlock& block) {
  for (int bit = block.prefix; bit < 128; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    if ((block.address.bytes[byte] >> (7 - bit % 8) & 1) != 0) return true;
  }
  return false;
}

}  // namespace

bool CidrBlock::contains(const IpAddress& other) const {
  if (address.is_v4 != other.is_v4) return false;
  for (int bit = 0; bit < prefix; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    if (((address.bytes[byte] ^ other.bytes[byte]) >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

std::optional<IpAddress> parse_ip(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return parse_v4(text);
  IpAddress out;
  if (inet_pton(AF_INET6, std::string(text).c_str(), out.bytes.data()) != 1) return std::nullopt;
  in6_addr address{};
  std::memcpy(&address, out.bytes.data(), out.bytes.size());
  out.is_mapped = IN6_IS_ADDR_V4MAPPED(&address) != 0;
  out.is_v4 = out.is_mapped;
  return out;
}

std::optional<CidrBlock> parse_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = parse_ip(text.substr(0, slash));
  if (!address) return std::nullopt;
  const bool short_form = address->is_v4 && !address->is_mapped;
  const std::string_view digits = text.substr(slash + 1);
  const auto prefix = parse_small(digits, short_form ? 32 : 128);
  if (!prefix) return std::nullopt;
  CidrBlock out{*address, short_form ? *prefix + CidrBlock::kV4Prefix : *prefix};
  out.has_leading_zero = address->has_leading_zero || (digits.size() > 1 && digits[0] == '0');
  return out;
}

std::optional<std::uint32_t> parse_ipv4(std::string_view text) {
  const auto address = parse_ip(text);
  return address ? ipv4_number(*address) : std::nullopt;
}

std::optional<std::uint32_t> ipv4_number(const IpAddress& address) {
  if (!address.is_v4 || address.is_mapped || address.has_leading_zero) return std::nullopt;
  return v4_number(address);
}

std::string format_ipv4(std::uint32_t address) {
  std::string out;
  for (const int shift : {24, 16, 8, 0}) {
    if (!out.empty()) out += '.';
    out += std::to_string(address >> shift & 0xff);
  }
  return out;
}

std::string format_ip(const IpAddress& address) {
  if (address.is_v4) return format_ipv4(v4_number(address));
  const auto& b = address.bytes;
  constexpr std::size_t kGroups = 8;
  const auto group = [&](std::size_t at) { return b[2 * at] << 8 | b[2 * at + 1]; };
  // The first of the longest runs of zeros is left out.
  std::size_t gap = kGroups;
  std::size_t gap_size = 1;
  for (std::size_t i = 0; i < kGroups; ++i) {
    std::size_t size = 0;
    while (i + size < kGroups && group(i + size) == 0) ++size;
    if (size <= gap_size) continue;
    gap = i;
    gap_size = size;
  }
  std::string out;
  for (std::size_t i = 0; i < kGroups; ++i) {
    if (i == gap) {
      out += "::";
      i += gap_size - 1;
      continue;
    }
    if (!out.empty() && !out.ends_with(':')) out += ':';
    std::array<char, 4> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), group(i), 16);
    out.append(digits.data(), end.ptr);
  }
  return out;
}

std::string format_cidr(const CidrBlock& block) {
  const bool short_form = block.address.is_v4 && !block.address.is_mapped;
  return format_ip(block.address) + "/" +
         std::to_string(short_form ? block.prefix - CidrBlock::kV4Prefix : block.prefix);
}

meta::Problems interface_address_problems(std::string_view text) {
  const auto block = parse_cidr(text);
  if (!block) return {"must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"};
  constexpr int kMappedBits = CidrBlock::kV4Prefix;
  if (block->address.is_mapped && block->prefix >= kMappedBits) {
    // The reference server counts the bits of the IPv4 address that it shows.
    return canonical_problems(
        text, format_ip(block->address) + "/" + std::to_string(block->prefix - kMappedBits));
  }
  return canonical_problems(text, format_cidr(*block));
}

meta::Problems ip_problems(std::string_view text) {
  const auto address = parse_ip(text);
  if (!address) return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
  if (address->has_leading_zero) return {"must not have leading 0s"};
  if (address->is_mapped) return {"must not be an IPv4-mapped IPv6 address"};
  return {};
}

meta::Problems cidr_problems(std::string_view text) {
  const auto block = parse_cidr(text);
  if (!block) return {"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"};
  if (block->has_leading_zero) return {"must not have leading 0s in IP or prefix length"};
  if (block->address.is_mapped) return {"must not have an IPv4-mapped IPv6 address"};
  if (has_bits_beyond(*block)) return {"must not have bits set beyond the prefix length"};
  return {};
}

meta::Problems canonical_ip_problems(std::string_view text) {
  const meta::Problems problems = ip_problems(text);
  return problems.empty() ? canonical_problems(text, format_ip(*parse_ip(text))) : problems;
}

meta::Problems canonical_cidr_problems(std::string_view text) {
  const meta::Problems problems = cidr_problems(text);
  return problems.empty() ? canonical_problems(text, format_cidr(*parse_cidr(text))) : problems;
}

meta::Problems endpoint_ip_problems(std::string_view text) {
  const auto address = parse_ip(text);
  if (!address) return {"must be a valid IP address"};
  const auto& b = address->bytes;
  const bool v4 = address->is_v4;
  const auto first = v4 ? b.begin() + kV4At : b.begin();
  const bool zero = std::all_of(first, b.end(), [](std::uint8_t byte) { return byte == 0; });
  const bool one =
      std::all_of(b.begin(), b.end() - 1, [](std::uint8_t byte) { return byte == 0; }) &&
      b.back() == 1;
  meta::Problems problems;
  if (zero) problems.push_back("may not be unspecified (" + std::string(text) + ")");
  if (v4 ? b[kV4At] == 127 : one)
    problems.emplace_back("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (v4 ? b[kV4At] == 169 && b[kV4At + 1] == 254 : b[0] == 0xfe && (b[1] & 0xc0) == 0x80)
    problems.emplace_back("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (v4 ? b[kV4At] == 224 && b[kV4At + 1] == 0 && b[kV4At + 2] == 0
         : b[0] == 0xff && (b[1] & 0x0f) == 0x02)
    problems.emplace_back("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  return problems;
}

}  // namespace kube::apiserver
