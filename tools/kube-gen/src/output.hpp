// SPDX-License-Identifier: Apache-2.0
//
// Writes and compares the files of a generator.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <kube/base/result.hpp>

namespace kube::gen {

/// A file to write: its text, and its path relative to the output directory for headers or sources.
struct File {
  std::string path;
  std::string text;
};

/// Writes the files whose text changed below a directory; an unchanged file keeps its time, so that
/// nothing is rebuilt for it.
/// @par Errors   Config, naming the file.
Result<void> write_files(const std::filesystem::path& directory, const std::vector<File>& files);

/// Compares the headers with the list that the build knows in advance: one path per line; "#"
/// begins a comment.
/// @par Errors   Config, naming the list and each header that is missing in the list (+) or was not
///   generated (-).
Result<void> compare_headers(const std::vector<File>& headers, const std::filesystem::path& list);

}  // namespace kube::gen
