// SPDX-License-Identifier: Apache-2.0
//
// From the entries of kubeconfig files to one rest::Config.
#pragma once

#include <string_view>

#include <kube/config/config.hpp>

#include "kubeconfig_file.hpp"

namespace kube::kubeconfig {

/// What the wanted context (empty: the current one) amounts to, after the checks of
/// docs/reference/clients-and-config.md ch. 10 that concern it. Reads the token file, and opens
/// certificates to see that it can.
Result<rest::Config> resolve(const File& file, std::string_view wanted);

/// The error of a missing configuration; is_empty_config() recognizes it.
Error empty_config(std::string_view why);

}  // namespace kube::kubeconfig
