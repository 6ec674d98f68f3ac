// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include <kube/base/file.hpp>

namespace kube::gen {
namespace {

Result<void> write_file(const std::filesystem::path& path, const std::string& text) {
  if (const auto present = read_file(path.string()); present && *present == text) return {};
  std::error_code code;
  std::filesystem::create_directories(path.parent_path(), code);
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) return {};
  return Error(ErrorCode::Config,
               path.string() + ": cannot be written: " + std::generic_category().message(errno));
}

}  // namespace

Result<void> write_files(const std::filesystem::path& directory, const std::vector<File>& files) {
  for (const File& file : files) {
    if (auto written = write_file(directory / file.path, file.text); !written) return written;
  }
  return {};
}

Result<void> compare_headers(const std::vector<File>& headers, const std::filesystem::path& list) {
  const auto text = read_file(list.string());
  if (!text) return text.error();
  std::istringstream lines(*text);
  std::vector<std::string> expected;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with('#')) expected.push_back(line);
  }
  std::vector<std::string> made;
  made.reserve(headers.size());
  for (const File& header : headers) made.push_back(header.path);
  std::ranges::sort(expected);
  std::ranges::sort(made);
  std::string difference;
  std::vector<std::string> only;
  std::ranges::set_difference(made, expected, std::back_inserter(only));
  for (const std::string& path : only) difference += "\n  + " + path;
  only.clear();
  std::ranges::set_difference(expected, made, std::back_inserter(only));
  for (const std::string& path : only) difference += "\n  - " + path;
  if (difference.empty()) return {};
  return Error(ErrorCode::Config,
               list.string() + ": the list of headers is out of date:" + difference);
}

}  // namespace kube::gen
