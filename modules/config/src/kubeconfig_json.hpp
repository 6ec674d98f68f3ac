// SPDX-License-Identifier: Apache-2.0
//
// The JSON form of kubeconfig entries, for writing.
#pragma once

#include <kube/config/kubeconfig_types.hpp>
#include <kube/json/value.hpp>

namespace kube::kubeconfig {

/// Return the members that are written, in alphabetical order.
json::Object to_object(const Cluster& cluster);
json::Object to_object(const AuthInfo& user);
json::Object to_object(const Context& context);
json::Object to_object(const Preferences& preferences);
json::Value to_list(const Extensions& extensions);
json::Object to_object(const Kubeconfig& config);

}  // namespace kube::kubeconfig
