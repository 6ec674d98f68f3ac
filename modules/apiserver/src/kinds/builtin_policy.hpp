// SPDX-License-Identifier: Apache-2.0
//
// Facts about built-in resources that the schema does not list: how they behave when written, where
// scales are, which stored field a selector means.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "resources/resource.hpp"

namespace kube::apiserver {

WritePolicy builtin_policy(std::string_view group, std::string_view plural, bool has_status);
std::optional<ScalePaths> builtin_scale(std::string_view group, std::string_view plural);
StoredField builtin_field(std::string_view group, std::string_view plural, std::string_view label);
/// False for subresources that need a kubelet behind them, such as exec.
bool is_served_subresource(std::string_view name);
/// The group whose collection holds the objects: events.k8s.io and core share their events.
std::string_view storage_group(std::string_view group, std::string_view plural);

}  // namespace kube::apiserver
