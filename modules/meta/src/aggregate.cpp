// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/aggregate.hpp>

#include <algorithm>
#include <memory>
#include <string>

#include <kube/base/join.hpp>

namespace kube {

namespace {

struct AggregateDetail final : ErrorDetail {
  std::vector<Error> errors;
  static constexpr char kType{};
  const void* type() const override { return &kType; }
};

/// Calls `visit` for every member that is not an aggregate itself.
template <class Visit>
void visit(const Error& error, const Visit& see) {
  const std::vector<Error>* members = errors_of(error);
  if (members == nullptr) return see(error);
  for (const Error& member : *members) visit(member, see);
}

std::string text_of(const std::vector<Error>& errors) {
  if (errors.size() == 1) return errors.front().to_string();
  std::vector<std::string> texts;
  for (const Error& error : errors) {
    visit(error, [&texts](const Error& member) {
      std::string text = member.to_string();
      // by text: what would be said twice is said once
      if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
        texts.push_back(std::move(text));
      }
    });
  }
  return texts.size() == 1 ? texts.front() : '[' + join(texts, ", ") + ']';
}

}  // namespace

Optional<Error> aggregate(std::vector<Error> errors) {
  if (errors.empty()) return std::nullopt;
  const ErrorCode first = errors.front().code();
  const bool agree = std::all_of(errors.begin(), errors.end(),
                                 [first](const Error& e) { return e.code() == first; });
  std::string text = text_of(errors);
  auto detail = std::make_shared<AggregateDetail>();
  detail->errors = std::move(errors);
  return Error(agree ? first : ErrorCode::Internal, std::move(text)).with_detail(std::move(detail));
}

const std::vector<Error>* errors_of(const Error& error) {
  const auto* detail = detail_as<AggregateDetail>(error);
  return detail != nullptr ? &detail->errors : nullptr;
}

bool any_error(const Error& error, const std::function<bool(const Error&)>& matches) {
  bool found = false;
  visit(error, [&](const Error& member) { found = found || matches(member); });
  return found;
}

Optional<Error> filter_out(const Error& error, const std::function<bool(const Error&)>& matches) {
  const std::vector<Error>* members = errors_of(error);
  if (members == nullptr) return matches(error) ? Optional<Error>() : Optional<Error>(error);
  std::vector<Error> left;
  for (const Error& member : *members) {
    if (auto kept = filter_out(member, matches)) left.push_back(*std::move(kept));
  }
  return aggregate(std::move(left));
}

Error flatten(const Error& error) {
  if (errors_of(error) == nullptr) return error;
  std::vector<Error> members;
  visit(error, [&members](const Error& member) { members.push_back(member); });
  return *aggregate(std::move(members));
}

Error reduce(const Error& error) {
  const std::vector<Error>* members = errors_of(error);
  return members != nullptr && members->size() == 1 ? members->front() : error;
}

}  // namespace kube
