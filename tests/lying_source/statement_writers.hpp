// SPDX-License-Identifier: Apache-2.0
//
// Statements in each of the two encodings.
#pragma once

#include <string>

#include "statement.hpp"

namespace kube::lying {

/// Deeper than anything that our readers take.
inline constexpr std::size_t kTooDeep = 600;

std::string write_json(const ListStatement& list);
std::string write_json(const EventStatement& event);
std::string write_json(const StatusStatement& status);

std::string write_protobuf(const ListStatement& list);
std::string write_protobuf(const EventStatement& event);
std::string write_protobuf(const StatusStatement& status);

}  // namespace kube::lying
