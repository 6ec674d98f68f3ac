// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kube/config/config.hpp>

#include "canary.hpp"

namespace secrets {

/// What a program does with a configuration: prints it, reads and writes Secrets, watches them, and
/// keeps a cache of them until that has had its first trouble. All that any of it prints goes into
/// `outputs`.
void use(const kube::rest::Config& config, Outputs& outputs);

}  // namespace secrets
