// SPDX-License-Identifier: Apache-2.0
//
// Makes one rest::Config from the entries of kubeconfig files.
#pragma once

#include <string_view>

#include <kube/config/config.hpp>

#include "kubeconfig_file.hpp"

namespace kube::kubeconfig {

/// Returns the configuration of the wanted context (empty: the current one), after the checks of
/// docs/reference/clients-and-config.md ch. 10 that apply to it. Reads the token file, and opens
/// certificates to check that they can be read.
Result<rest::Config> resolve(const File& file, std::string_view wanted);

/// Returns the error of a missing configuration; is_empty_config() recognizes it.
Error empty_config(std::string_view why);

}  // namespace kube::kubeconfig
