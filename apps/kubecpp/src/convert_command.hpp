// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp convert`: objects from one encoding into another.
#pragma once

#include <string>

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
/// nothing when an object is wrong.
int run_convert(const ConvertOptions& options, Output& out);

}  // namespace kubecpp
