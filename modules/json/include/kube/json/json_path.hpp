// SPDX-License-Identifier: Apache-2.0
//
// JSON paths as kubectl and printer columns have them: ".spec.containers[*].name",
// ".a['b.c'].d\.e", ".conditions[?(@.type==\"Ready\")].status".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube::json {

/// A path that is read once and leads to values of many documents.
///
/// @par Thread safety   Immutable.
class JsonPath {
 public:
  /// Names, indexes (negative ones from the end), [*], and filters by equality; no slices, no "..".
  /// Braces around it are allowed.
  /// @par Errors   InvalidArgument, naming the offset.
  static Result<JsonPath> compile(std::string_view text);

  /// Values that find() and find_first() look at: many more than people read, so that a path with
  /// [*] costs little however large the document is. What is behind them counts as not there.
  static constexpr std::size_t kMaxLooks = 10'000;

  /// What it leads to, in the order of the document. Null values count as found.
  std::vector<const Value*> find(const Value& root) const;
  /// The first that is not null; null when there is none.
  const Value* find_first(const Value& root) const;

  /// The names alone, while it consists of names.
  std::vector<std::string> leading_names() const;

 private:
  struct Step {
    enum class Kind : std::uint8_t { Member, Index, All, Filter };
    Kind kind = Kind::Member;
    std::string name{};  ///< Member; of a filter, the member that is compared.
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
