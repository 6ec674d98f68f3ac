// SPDX-License-Identifier: Apache-2.0
//
// Converts names of the API to names of C++.
#pragma once

#include <string>
#include <string_view>

namespace kube::gen {

/// "nodeName" -> "node_name", "podIPs" -> "pod_ips", "HTTPGetAction" -> "http_get_action";
/// characters that no identifier may have become an underscore.
std::string snake_case(std::string_view name);

/// Whether C++ reserves the name: keywords, and macros of system headers.
bool is_reserved(std::string_view name);

/// Whether something global of C has the name: "time", "log", "timezone".
bool is_global(std::string_view name);

/// Returns a member's name: snake case, with a trailing underscore for reserved names and for those
/// that generated structs declare themselves.
std::string member_name(std::string_view wire_name);

/// Returns an enumerator's name for a wire string: "Running" -> "Running", "TCP" -> "Tcp",
/// "ephemeral-storage" -> "EphemeralStorage"; "" for text without letters and digits.
std::string enumerator_name(std::string_view text);

/// Returns a name that no other text has, here or in enumerator_name(): letters and digits do not
/// change, other bytes are in hex. "TCP" -> "ValueOf_TCP", "a-b" -> "ValueOf_a_2db", ">=" ->
/// "Value_3e_3d", "" -> "Empty_".
std::string exact_enumerator_name(std::string_view text);

}  // namespace kube::gen
