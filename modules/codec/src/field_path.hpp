// SPDX-License-Identifier: Apache-2.0
//
// Splits the text of a field's path: spec.containers[0].image,
// metadata.labels['app.kubernetes.io/name'].
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kube::meta {

/// A part of a path: a name, or the content of brackets.
struct PathPart {
  std::string text{};
  bool bracket = false;
  bool quoted = false;

  /// Whether it is [*].
  bool is_every() const { return bracket && !quoted && text == "*"; }
};

inline constexpr std::string_view kPathSyntax =
    "expected names separated by dots, [index] or ['key']";

/// Appends the parts of a path. Returns false when it is not one.
bool split_path(std::string_view path, std::vector<PathPart>& parts);

}  // namespace kube::meta
