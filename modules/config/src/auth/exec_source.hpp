// SPDX-License-Identifier: Apache-2.0
//
// The source of a config's exec credential plugin: one for equal plugins and clusters.
//
// Any thread may call these functions.
#pragma once

#include <memory>

#include <kube/base/runtime.hpp>
#include <kube/config/config.hpp>

#include "credentials.hpp"

namespace kube::rest {

/// Returns the source of config.exec_provider, which must be set.
/// @par Errors   Those of check_exec_config() and config_to_exec_cluster().
Result<std::shared_ptr<CredentialSource>> exec_source(const Config& config, const Runtime& runtime);

}  // namespace kube::rest
