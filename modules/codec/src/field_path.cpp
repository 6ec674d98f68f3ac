// SPDX-License-Identifier: Apache-2.0
#include "field_path.hpp"

#include <algorithm>

namespace kube::meta {
namespace {

// Takes a quoted text. A backslash escapes any character, as in kubectl's JSONPath.
bool take_quoted(std::string_view& path, std::string& text) {
  const char quote = path.front();
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i] == quote) {
      path.remove_prefix(i + 1);
      return true;
    }
    if (path[i] == '\\' && ++i == path.size()) return false;
    text += path[i];
  }
  return false;
}

// Takes brackets with their content.
bool take_brackets(std::string_view& path, PathPart& part) {
  path.remove_prefix(1);
  part.bracket = true;
  part.quoted = path.starts_with('\'') || path.starts_with('"');
  if (part.quoted) {
    if (!take_quoted(path, part.text)) return false;
  } else {
    part.text = path.substr(0, path.find(']'));
    path.remove_prefix(part.text.size());
  }
  if (!path.starts_with(']')) return false;
  path.remove_prefix(1);
  return true;
}

}  // namespace

bool split_path(std::string_view path, std::vector<PathPart>& parts) {
  while (!path.empty()) {
    if (path.front() == '[') {
      if (!take_brackets(path, parts.emplace_back())) return false;
      continue;
    }
    if (!parts.empty()) {
      if (path.front() != '.') return false;
      path.remove_prefix(1);
    }
    const std::size_t length = std::min(path.find_first_of(".["), path.size());
    if (length == 0) return false;
    parts.push_back({std::string(path.substr(0, length))});
    path.remove_prefix(length);
  }
  return !parts.empty();
}

}  // namespace kube::meta
