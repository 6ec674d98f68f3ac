// SPDX-License-Identifier: Apache-2.0
//
// What admission webhooks and policies share.
#pragma once

#include "validation/place.hpp"

namespace kube::apiserver {

inline constexpr std::string_view kFailurePolicies[] = {"Fail", "Ignore"};
inline constexpr std::string_view kMatchPolicies[] = {"Equivalent", "Exact"};
inline constexpr std::string_view kReinvocations[] = {"IfNeeded", "Never"};

bool is_blank(std::string_view text);
/// The conditions of a webhook or a policy.
void check_conditions(const Place& owner);

}  // namespace kube::apiserver
