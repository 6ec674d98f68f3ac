// SPDX-License-Identifier: Apache-2.0
//
// Stores the tokens that an auth provider renewed in the file that the user came from.
#pragma once

#include <string>

#include <kube/config/credentials.hpp>

namespace kube::kubeconfig {

/// Makes the provider store changed settings in the file that the user came from, under the file's
/// lock. A renewal waits for a lock that is held; persist() does not.
void persist_in(const std::string& file, const std::string& user,
                rest::AuthProviderConfig& provider);

}  // namespace kube::kubeconfig
