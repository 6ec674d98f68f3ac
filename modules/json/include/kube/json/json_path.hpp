// SPDX-License-Identifier: Apache-2.0
//
// JSONPath as kubectl and printer columns use it: ".spec.containers[*].name", ".a['b.c'].d\.e",
// ".conditions[?(@.type==\"Ready\")].status".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube::json {

/// A path that is compiled once and finds values in many documents.
///
/// @par Thread safety   Immutable.
class JsonPath {
 public:
  /// Compiles names, indexes (negative ones count from the end), [*], and filters by equality; no
  /// slices, no "..". Braces around the path are allowed.
  /// @par Errors   InvalidArgument, naming the offset.
  static Result<JsonPath> compile(std::string_view text);

  /// The maximum number of values that find() and find_first() visit: far more than users read, so
  /// that a path with [*] is cheap in a document of any size. The values after them are not found.
  static constexpr std::size_t kMaxLooks = 10'000;

  /// Returns the values of the path, in the order of the document, null values included.
  std::vector<const Value*> find(const Value& root) const;
  /// Returns the first value that is not null; null when there is none.
  const Value* find_first(const Value& root) const;

  /// Returns the names at the beginning of the path.
  std::vector<std::string> leading_names() const;

 private:
  struct Step {
    enum class Kind : std::uint8_t { Member, Index, All, Filter };
    Kind kind = Kind::Member;
    std::string name{};  ///< The member, or the member that a filter compares.
    std::int64_t index = 0;
    Value wanted{};
    bool equal = true;
  };

  class Search;

  static bool passes(const Step& step, const Value& value);

  std::vector<Step> steps_;

  friend class JsonPathParser;
};

}  // namespace kube::json
