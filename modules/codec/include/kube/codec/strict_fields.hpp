// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Collects unknown and duplicate fields of a document, as the API server's strict field validation
// reports them.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/codec.hpp>

namespace kube::json {
class Reader;
}

namespace kube::meta {

/// The maximum that the API server reports.
inline constexpr std::size_t kMaxProblems = 100;

/// Moves the problems to where the options want them.
/// @par Errors   Decode with all problems, if there are any and the options are strict.
Result<void> report_problems(std::vector<std::string> problems, const ReadOptions& options);

/// The path of the value that is being read, which enter() and leave() maintain, and the problems.
///
/// @par Thread safety   Not thread-safe.
class StrictFields {
 public:
  /// Whether a field of one object has been read, by number.
  using Seen = std::vector<bool>;
  using SeenKeys = std::set<std::string, std::less<>>;

  void enter(std::string_view field);
  void enter(std::size_t index);
  void leave();

  void report(std::string_view what, std::string_view field);
  void meet(Seen& seen, std::size_t number, std::string_view field);
  void meet(SeenKeys& seen, std::string_view key);

  /// Skips a value without a descriptor, at this depth of the document, and reports its duplicate
  /// fields. Returns false for invalid JSON: `in` has failed then.
  bool skip(json::Reader& in, int depth);

  /// Returns the problems, without duplicates.
  std::vector<std::string> problems() && { return std::move(problems_); }

 private:
  std::string path_;
  std::vector<std::size_t> lengths_;  // the lengths of the parents' paths
  std::vector<std::string> problems_;
  std::size_t reported_bytes_ = 0;  // all reported paths, duplicates included
};

}  // namespace kube::meta
