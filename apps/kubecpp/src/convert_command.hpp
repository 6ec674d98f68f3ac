// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp convert`: converts objects from one encoding to another.
#pragma once

#include <string>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

enum class ConvertFormat { Json, Yaml, Protobuf };

struct ConvertOptions {
  std::string file = "-";  ///< "-": standard input.
  ConvertFormat to = ConvertFormat::Json;
  bool strict = false;
  std::string out{};  ///< Empty: standard output.
};

/// Reads objects in any encoding and writes them in another; returns the exit status. It writes
/// nothing when an object is invalid.
int run_convert(const ConvertOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_convert(CLI::App& command);

}  // namespace kubecpp
