// SPDX-License-Identifier: Apache-2.0
//
// Reads the conditions of Unstructured.
#include <kube/client/condition_is.hpp>

#include <algorithm>

#include <kube/base/printable.hpp>
#include <kube/client/detail/state_wait.hpp>

namespace kube {
namespace {

constexpr std::size_t kMaxWord = 64;
constexpr std::size_t kMaxText = 512;
constexpr std::size_t kMaxOthers = 10;

// Whether the condition describes an older generation of the object than the current one.
bool is_outdated(const Unstructured& object, const json::Value& condition) {
  const auto generation = object.content.int_at({"metadata", "generation"});
  auto observed = condition.int_at({"observedGeneration"});
  if (!observed) observed = object.content.int_at({"status", "observedGeneration"});
  return generation && observed && *observed < *generation;
}

std::string value_of(const json::Value& condition) {
  return printable(condition.string_at({"type"}), kMaxWord) + "=" +
         printable(condition.string_at({"status"}), kMaxWord);
}

// " (ContainersNotReady: containers with unready status: [web])"
std::string cause_of(const json::Value& condition) {
  std::string text = printable(condition.string_at({"reason"}), kMaxWord);
  if (const auto message = condition.string_at({"message"}); !message.empty())
    text.append(text.empty() ? "" : ": ").append(printable(message, kMaxText));
  return text.empty() ? text : " (" + text + ")";
}

}  // namespace

bool ConditionIs::is_met_by(const Unstructured& object) const {
  for (const json::Value& condition : object.content.array_at({"status", "conditions"})) {
    if (!ascii::equal_ignoring_case(condition.string_at({"type"}), type)) continue;
    const json::Value* const found = condition.at_path({"status"});
    if (found == nullptr || !found->is_string()) continue;
    return !is_outdated(object, condition) &&
           ascii::equal_ignoring_case(found->string_or_empty(), status);
  }
  return false;
}

namespace detail {

std::string state_text(const Unstructured& object, std::string_view condition) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    text.append(text.empty() ? "" : ", ").append(part);
  };
  if (object.is_being_deleted()) add("being deleted");
  if (const auto phase = object.content.string_at({"status", "phase"}); !phase.empty())
    add("phase " + printable(phase, kMaxWord));
  const json::Array& conditions = object.content.array_at({"status", "conditions"});
  for (const json::Value& each : conditions) {
    if (condition.empty() || !ascii::equal_ignoring_case(each.string_at({"type"}), condition))
      continue;
    add(value_of(each) + cause_of(each));
    if (is_outdated(object, each)) add("of an older generation");
    return text;
  }
  if (!condition.empty()) add("no condition " + printable(condition, kMaxWord));
  for (std::size_t i = 0; i < std::min(conditions.size(), kMaxOthers); ++i)
    add(value_of(conditions[i]));
  return text.empty() ? "it exists" : text;
}

}  // namespace detail
}  // namespace kube
