// SPDX-License-Identifier: Apache-2.0
//
// JSONPath as kubectl and printer columns use it: ".spec.containers[*].name", ".a['b','c'].d\.e",
// ".conditions[?(@.type==\"Ready\")].status", "..image".
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube::json {

/// A path that is compiled once and finds values in many documents. The paths are those of the
/// expressions in a JsonPathTemplate, which prints what they find.
///
/// @par Thread safety   Immutable.
class JsonPath {
 public:
  /// Compiles a path. Braces around it are allowed, and its first dot may be missing.
  /// @par Errors   InvalidArgument, naming the offset.
  static Result<JsonPath> compile(std::string_view text);

  /// The maximum number of values that find() and find_first() visit: far more than users read, so
  /// that a path with [*] is cheap in a document of any size. The values after them are not found.
  static constexpr std::size_t kMaxLooks = 10'000;

  /// Returns the values of the path, in the order of the document, null values included. Nothing is
  /// found where the document is not as the path expects: a missing member, an index of an object.
  /// They live until `root` changes.
  std::vector<const Value*> find(const Value& root) const;
  std::vector<const Value*> find(const Value&& root) const =
      delete;  // Give the Value a name first.
  /// Returns the first value that is not null; null when there is none.
  const Value* find_first(const Value& root) const;
  const Value* find_first(const Value&& root) const = delete;  // Give the Value a name first.

  /// Returns the names at the beginning of the path.
  std::vector<std::string> leading_names() const;

 private:
  struct Steps;
  std::shared_ptr<const Steps> steps_;
};

}  // namespace kube::json
