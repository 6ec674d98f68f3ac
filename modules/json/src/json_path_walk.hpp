// SPDX-License-Identifier: Apache-2.0
//
// Follows the nodes of a JSONPath expression through a document.
#pragma once

#include <cstddef>
#include <vector>

#include <kube/base/result.hpp>

#include "json_path_nodes.hpp"

namespace kube::json::path {

using Found = std::vector<const Value*>;

/// @par Thread safety   Not thread-safe.
class Walk {
 public:
  /// What happens at a member that none of the values has, and after max_looks values.
  enum class Mode {
    Strict,   ///< Both are errors.
    Lenient,  ///< Missing members are nothing; too many values are an error.
    Bounded,  ///< Missing members are nothing; the values after the first ones are not found.
  };
  Walk(Mode mode, std::size_t max_looks) : mode_(mode), left_(max_looks) {}

  /// Returns values of the document, and literals of the nodes.
  /// @par Errors   InvalidArgument: the document does not have what the path asks for.
  Result<Found> follow(const Nodes& nodes, const Value& from) { return follow(nodes, {&from}, 0); }

 private:
  Result<Found> follow(const Nodes& nodes, Found in, std::size_t first);
  Result<void> step(const Node& node, const Found& in, Found& out);
  Result<void> field(const Node& node, const Found& in, Found& out);
  Result<void> slice(const Node& node, const Found& in, Found& out);
  Result<void> filter(const Node& node, const Found& in, Found& out);
  Result<bool> passes(const Node& node, const Value& value);
  Result<bool> look(const Value& value, Found& out);
  Result<void> members(const Value& value, Found& out);
  Result<void> descend(const Value& value, Found& out);

  const Mode mode_;
  std::size_t left_;
};

}  // namespace kube::json::path
