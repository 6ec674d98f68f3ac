// SPDX-License-Identifier: Apache-2.0
//
// What a generator does with the files it made.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <kube/base/result.hpp>

namespace kube::gen {

/// A file to write: path relative to the output directory of its sort, and its text.
struct File {
  std::string path;
  std::string text;
};

/// Writes the files whose text changed below a directory; one that is as it was keeps its age, so
/// that nothing is built anew for it.
/// @par Errors   Config, naming the file.
Result<void> write_files(const std::filesystem::path& directory, const std::vector<File>& files);

/// Compares the headers with the list from which the build knows them before they are made: one
/// path a line; "#" begins a comment.
/// @par Errors   Config, naming the list and each header that is too much (+) or missing (-).
Result<void> compare_headers(const std::vector<File>& headers, const std::filesystem::path& list);

}  // namespace kube::gen
