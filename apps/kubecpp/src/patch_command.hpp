// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp patch`: changes objects by a patch.
#pragma once

#include <string>

#include "command.hpp"
#include "output.hpp"
#include "result_printer.hpp"
#include "selection.hpp"

namespace kubecpp {

struct PatchCommandOptions {
  ConnectionOptions connection{};
  Selection selection{};           ///< Each object by its name, or of files.
  std::string type = "strategic";  ///< "strategic", "merge" or "json"; also in capitals.
  std::string patch{};             ///< JSON or YAML; or `patch_file` has it.
  std::string patch_file{};
  std::string subresource{};  ///< Such as "scale"; empty: the object itself.
  bool local = false;         ///< Changes what the files contain; needs no server.
  std::string dry_run{};      ///< See parse_dry_run().
  std::string field_manager = "kubectl-patch";
  ResultOutput output = ResultOutput::Words;
  bool managed_fields = false;
};

int run_patch(const PatchCommandOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_patch(CLI::App& command);

}  // namespace kubecpp
