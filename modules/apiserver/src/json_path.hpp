// SPDX-License-Identifier: Apache-2.0
//
// The JSON paths of printer columns: ".spec.containers[*].name", ".a['b.c'].d\.e",
// ".conditions[?(@.type==\"Ready\")].status".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube::apiserver {

/// Immutable.
class JsonPath {
 public:
  /// Names, indexes (negative ones from the end), [*], and filters by equality; no slices, no "..".
  /// Braces around it are allowed.
  /// @par Errors   InvalidArgument, naming the offset.
  static Result<JsonPath> compile(std::string_view text);

  /// What it leads to, in the order of the document. Null values count as found.
  std::vector<const json::Value*> find(const json::Value& root) const;

  /// The names alone, while it consists of names.
  std::vector<std::string> leading_names() const;

 private:
  struct Step {
    enum class Kind : std::uint8_t { Member, Index, All, Filter };
    Kind kind = Kind::Member;
    std::string name{};  ///< Member; of a filter, the member that is compared.
    std::int64_t index = 0;
    json::Value wanted{};
    bool equal = true;
  };

  static bool passes(const Step& step, const json::Value& value);
  static void follow(const Step& step, const json::Value& value,
                     std::vector<const json::Value*>& out);

  std::vector<Step> steps_;

  friend class JsonPathParser;
};

}  // namespace kube::apiserver
