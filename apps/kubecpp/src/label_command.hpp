// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp label` and `kubecpp annotate`: change the labels and the annotations of objects.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "metadata_changes.hpp"
#include "output.hpp"
#include "result_printer.hpp"
#include "selection.hpp"

namespace kubecpp {

struct LabelCommandOptions {
  MetadataField field = MetadataField::Labels;
  ConnectionOptions connection{};
  std::vector<std::string> words{};  ///< See parse_metadata_words().
  Selection selection{};             ///< Its words are set from those.
  bool overwrite = false;
  bool list = false;   ///< Prints all values; changes are not sent.
  bool local = false;  ///< Changes what the files contain; needs no server.
  std::string resource_version{};
  std::string dry_run{};  ///< See parse_dry_run().
  std::string field_manager = "kubectl-label";
  ResultOutput output = ResultOutput::Words;
  bool managed_fields = false;
};

/// Changes one object after the other, by merge patches; returns the exit status. It continues
/// after an object that fails; errors are reported at the end.
int run_label(LabelCommandOptions options, Output& out);

/// Adds the flags of a command.
Runner add_label(CLI::App& command);
Runner add_annotate(CLI::App& command);

}  // namespace kubecpp
