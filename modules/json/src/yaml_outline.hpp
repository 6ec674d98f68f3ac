// SPDX-License-Identifier: Apache-2.0
//
// The places of the nodes of a YAML text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kube::yaml {

/// A node of a document. Lines and columns count from 0; columns count bytes.
struct OutlineNode {
  enum class Kind { Scalar, List, Map, Null, Alias };

  Kind kind = Kind::Null;
  bool in_block = false;  ///< A list or map without brackets or braces.
  std::size_t line = 0;
  std::size_t column = 0;
  std::string key{};  ///< Of a member of a map.
  /// Where a member begins: at its key. Where an element of a list does: at itself, after the "- ".
  std::size_t key_line = 0;
  std::size_t key_column = 0;
  std::vector<OutlineNode> children{};  ///< The elements of a list, the members of a map.
};

/// Returns the first document with content; std::nullopt for none, and for a text that is not YAML
/// or has keys that are not text.
std::optional<OutlineNode> outline_of(const std::string& text);

}  // namespace kube::yaml
