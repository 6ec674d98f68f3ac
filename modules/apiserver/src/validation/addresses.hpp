// SPDX-License-Identifier: Apache-2.0
//
// IP addresses and CIDR blocks as Go reads them. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <kube/names/validation.hpp>

namespace kube::apiserver {

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};  ///< IPv4 in the last four.
  bool is_v4 = false;                    ///< Written as IPv4, or mapped into IPv6.
  bool is_mapped = false;                ///< IPv4 that is written as IPv6.
  bool has_leading_zero = false;         ///< A part of IPv4 begins with 0.
};

struct CidrBlock {
  static constexpr int kV4Prefix = 96;  ///< The bits before those of IPv4.

  IpAddress address{};
  int prefix = 0;  ///< The bits of the network, in IPv6's 128.
  bool has_leading_zero = false;

  bool contains(const IpAddress& other) const;
};

std::optional<IpAddress> parse_ip(std::string_view text);
std::optional<CidrBlock> parse_cidr(std::string_view text);

/// An address as a number, for those who count. Reads the form that is written, "10.0.0.1", alone.
std::optional<std::uint32_t> parse_ipv4(std::string_view text);
/// Nothing for IPv6, for an address that is mapped into it, and for leading zeros.
std::optional<std::uint32_t> ipv4_number(const IpAddress& address);
std::string format_ipv4(std::uint32_t address);

/// The canonical form of an address: that of RFC 5952, or "10.0.0.1", also for a mapped one.
std::string format_ip(const IpAddress& address);
/// The canonical form of a block, whose address has no bits beyond its prefix.
std::string format_cidr(const CidrBlock& block);
/// The address of an interface with its network's prefix, in canonical form.
meta::Problems interface_address_problems(std::string_view text);
/// The address of a host, in its present form.
meta::Problems ip_problems(std::string_view text);
meta::Problems cidr_problems(std::string_view text);
/// The same, and in canonical form.
meta::Problems canonical_ip_problems(std::string_view text);
meta::Problems canonical_cidr_problems(std::string_view text);
/// What an address may not be to be an endpoint.
meta::Problems endpoint_ip_problems(std::string_view text);

}  // namespace kube::apiserver
