// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp __complete WORD...`: what the scripts of `kubecpp completion` ask, in the protocol of
// kubectl's, so that kubectl asks it of a plugin, too.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "output.hpp"

namespace kubecpp {

/// A word that may come next, and what it means.
struct Candidate {
  std::string word{};
  std::string meaning{};  ///< May be empty.
};

/// What the shell does beside offering the candidates; numbers of the protocol.
enum class CompletionDirective { Files = 0, NoSpace = 2, NoFiles = 4, NoSpaceNoFiles = 6 };

struct Completions {
  std::vector<Candidate> candidates{};
  CompletionDirective directive = CompletionDirective::NoFiles;
};

/// Returns what may be the last of the words, which is typed as far as it goes; the words before it
/// are complete. Reads kubeconfigs and asks the server for resources and names; what fails gives no
/// candidates.
/// @par Blocks   At most some seconds, for the server.
Completions complete(const CLI::App& app, std::vector<std::string> words);

/// Prints a line for each candidate, with its meaning after a tab, then ":" and the directive.
int run_complete(const CLI::App& app, std::vector<std::string> words, bool meanings, Output& out);

}  // namespace kubecpp
