// SPDX-License-Identifier: Apache-2.0
//
// Unknown and duplicate fields of a document, as the API server's strict field validation reports
// them: for readers that know more of a document than its descriptor says.
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

/// As many as the API server reports.
inline constexpr std::size_t kMaxProblems = 100;

/// Hands the problems over as the options ask.
/// @par Errors   Decode: in strict reading, if there are any.
Result<void> report_problems(std::vector<std::string> problems, const ReadOptions& options);

/// Follows the reader through the document: enter() and leave() keep the path of the value that is
/// being read.
/// @par Thread safety   For one thread.
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

  /// Skips a value that no descriptor describes, at this depth of the document, and reports the
  /// fields that come twice in it. False when it is no JSON: `in` has failed then.
  bool skip(json::Reader& in, int depth);

  /// All that was reported, each once.
  std::vector<std::string> problems() && { return std::move(problems_); }

 private:
  std::string path_;
  std::vector<std::size_t> lengths_;  // of the paths around
  std::vector<std::string> problems_;
  std::size_t told_ = 0;  // bytes of all paths that were reported, the repeated ones too
};

}  // namespace kube::meta
