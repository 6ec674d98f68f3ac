// SPDX-License-Identifier: Apache-2.0
//
// The text of generated files.
#pragma once

#include <string>
#include <vector>

#include "layout.hpp"

namespace kube::gen {

/// A file to write: path relative to the output directory of its sort, and its text.
struct File {
  std::string path;
  std::string text;
};

/// All headers of a package: those of the layout, the constants, and for packages other than
/// meta.v1 one that includes all.
/// @par Errors   Decode, as Planner::layout.
Result<std::vector<File>> emit_headers(const Layout& layout, Planner& planner);

/// The descriptors of a package in `shards` files: core_v1_1.cpp, ...
/// @par Errors   As above; also when no hash tells the keys of a type apart.
Result<std::vector<File>> emit_sources(const Layout& layout, Schema& schema, const Choices& choices,
                                       std::size_t shards);
std::vector<std::string> source_names(const std::string& package, std::size_t shards);

/// The first lines of every generated file.
std::string banner(const Layout& layout);

}  // namespace kube::gen
