// SPDX-License-Identifier: Apache-2.0
//
// The candidates that a server and kubeconfigs have.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "complete_command.hpp"

namespace kubecpp {

enum class KubeconfigNames { Contexts, Clusters, Users };

/// Returns the names of a kubeconfig's entries; none when it can't be read.
std::vector<Candidate> names_in_kubeconfig(const std::string& file, KubeconfigNames which);

/// What a server is asked with: the flags that were typed.
struct CompletionServer {
  ConnectionOptions connection{};
  std::string namespace_{};
};

/// Returns the resources of the server that can be read.
std::vector<Candidate> resource_candidates(const CompletionServer& server);

/// Returns the names of a resource's objects; the resource by any of its names.
std::vector<Candidate> name_candidates(const CompletionServer& server, const std::string& resource);

/// Returns the containers of a pod, or of the first pod of TYPE/NAME, which a word names as with
/// logs and exec.
std::vector<Candidate> container_candidates(const CompletionServer& server,
                                            const std::string& word);

}  // namespace kubecpp
