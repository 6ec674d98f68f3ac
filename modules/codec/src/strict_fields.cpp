// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/strict_fields.hpp>

#include <algorithm>

#include <kube/base/join.hpp>
#include <kube/names/go_text.hpp>

namespace kube::meta {
namespace {

// Without this limit the cost of a long key with many duplicates would be their product.
constexpr std::size_t kMaxReportedBytes = std::size_t{4} << 20U;

}  // namespace

void StrictFields::enter(std::string_view field) {
  lengths_.push_back(path_.size());
  if (!path_.empty()) path_ += '.';
  path_ += field;
}

void StrictFields::enter(std::size_t index) {
  lengths_.push_back(path_.size());
  path_ += '[' + std::to_string(index) + ']';
}

void StrictFields::leave() {
  path_.resize(lengths_.back());
  lengths_.pop_back();
}

void StrictFields::report(std::string_view what, std::string_view field) {
  if (problems_.size() == kMaxProblems || reported_bytes_ > kMaxReportedBytes) return;
  std::string path = path_;
  if (!path.empty()) path += '.';
  path += field;
  reported_bytes_ += path.size();
  std::string problem = std::string(what) + " " + go::quote(path);
  if (std::ranges::find(problems_, problem) == problems_.end())
    problems_.push_back(std::move(problem));
}

void StrictFields::meet(Seen& seen, std::size_t number, std::string_view field) {
  if (seen.size() <= number) seen.resize(number + 1);
  if (seen[number]) report("duplicate field", field);
  seen[number] = true;
}

void StrictFields::meet(SeenKeys& seen, std::string_view key) {
  if (!seen.emplace(key).second) report("duplicate field", key);
}

Result<void> report_problems(std::vector<std::string> problems, const ReadOptions& options) {
  Result<void> answer;
  if (options.strict && !problems.empty()) {
    answer = Error(ErrorCode::Decode, "strict decoding error: " + join(problems, ", "));
  }
  if (options.problems != nullptr) *options.problems = std::move(problems);
  return answer;
}

}  // namespace kube::meta
