// SPDX-License-Identifier: Apache-2.0
//
// From the names of the API to those of C++.
#pragma once

#include <string>
#include <string_view>

namespace kube::gen {

/// "nodeName" -> "node_name", "podIPs" -> "pod_ips", "HTTPGetAction" -> "http_get_action"; what no
/// identifier may hold becomes an underscore.
std::string snake_case(std::string_view name);

/// Whether C++ has the name for itself: keywords, and macros of system headers.
bool is_reserved(std::string_view name);

/// Whether a function of C, which is global, has the name: "time", "log".
bool is_function(std::string_view name);

/// A member's name: snake case, with a trailing underscore for what is reserved and for what
/// generated structs declare themselves.
std::string member_name(std::string_view wire_name);

/// An enumerator's name for a wire string: "Running" -> "Running", "TCP" -> "Tcp",
/// "ephemeral-storage" -> "EphemeralStorage"; "" for text without letters and digits.
std::string enumerator_name(std::string_view text);

/// One that no other text has, neither from here nor from enumerator_name(): letters and digits as
/// they are, other bytes in hex. "TCP" -> "ValueOf_TCP", "a-b" -> "ValueOf_a_2db", ">=" ->
/// "Value_3e_3d", "" -> "Empty_".
std::string exact_enumerator_name(std::string_view text);

}  // namespace kube::gen
