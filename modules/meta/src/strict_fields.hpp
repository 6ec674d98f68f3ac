// SPDX-License-Identifier: Apache-2.0
//
// Unknown and duplicate fields of a document, as the API server's strict field validation reports
// them.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/meta/codec.hpp>

namespace kube::meta {

/// As many as the API server reports.
inline constexpr std::size_t kMaxProblems = 100;

/// Hands the problems over as the options ask; an error for strict reading if there are any.
Result<void> report_problems(std::vector<std::string> problems, const ReadOptions& options);

/// Follows the reader through the document: enter() and leave() keep the path of the value that is
/// being read.
class StrictFields {
 public:
  /// The fields of one object that have been met, by number.
  using Seen = std::vector<bool>;
  using SeenKeys = std::set<std::string, std::less<>>;

  void enter(std::string_view field);
  void enter(std::size_t index);
  void leave();

  void report(std::string_view what, std::string_view field);
  void meet(Seen& seen, std::size_t number, std::string_view field);
  void meet(SeenKeys& seen, std::string_view key);

  /// What the options ask for.
  Result<void> finish(const ReadOptions& options) &&;

 private:
  std::string path_;
  std::vector<std::size_t> lengths_;  // of the paths around
  std::vector<std::string> problems_;
  std::size_t told_ = 0;  // bytes of all paths that were reported, the repeated ones too
};

}  // namespace kube::meta
