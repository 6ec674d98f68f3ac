// SPDX-License-Identifier: Apache-2.0
//
// Evictions of lifecycle.k8s.io.
#include <cstddef>
#include <string>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

json::Value eviction_status(const CellInput& input) {
  const json::Array& conditions = input.object.array_at({"status", "conditions"});
  for (const json::Value& condition : conditions) {
    if (condition.string_at({"status"}) != "True") continue;
    std::string out(condition.string_at({"type"}));
    const std::string_view reason = condition.string_at({"reason"});
    if (!reason.empty() && reason != out) out += " (" + std::string(reason) + ")";
    return out;
  }
  return input.object.array_at({"status", "responders"}).empty() ? "Pending" : "Progressing";
}

/// The active responder, or else the last one, and the number that have finished.
struct Responder {
  std::string name{};
  std::string state{};
  std::size_t processed = 0;
  std::size_t total = 0;
  const json::Value* status = nullptr;
};

Responder responder_of(const json::Value& eviction) {
  Responder out;
  const json::Array& targets = eviction.array_at({"status", "targetResponders"});
  out.total = targets.size();
  bool active = false;
  for (const json::Value& target : targets) {
    const std::string_view state = target.string_at({"state"});
    if (state.empty() || state == "Inactive") continue;
    if (state != "Active") ++out.processed;
    if (active) continue;
    active = state == "Active";
    out.name = target.string_at({"name"});
    out.state = state;
  }
  for (const json::Value& status : eviction.array_at({"status", "responders"})) {
    if (!out.name.empty() && status.string_at({"name"}) == out.name) out.status = &status;
  }
  return out;
}

std::string responder_time(const CellInput& input, std::string_view member) {
  const Responder responder = responder_of(input.object);
  if (responder.status == nullptr) return "<none>";
  const std::string_view time = responder.status->string_at({member});
  return time.empty() ? "<none>" : since(time, input.now);
}

json::Value active_responder(const CellInput& input) {
  const Responder responder = responder_of(input.object);
  if (responder.name.empty()) return "<none>";
  return responder.name + " (" + std::to_string(responder.processed) + "/" +
         std::to_string(responder.total) + ")";
}

json::Value responder_status(const CellInput& input) {
  const Responder responder = responder_of(input.object);
  if (responder.name.empty()) return "<none>";
  if (responder.status == nullptr) return responder.state;
  const std::string_view done = responder.status->string_at({"completionTime"});
  const std::string_view time = done.empty() ? responder.status->string_at({"startTime"}) : done;
  return time.empty() ? responder.state : responder.state + " (" + since(time, input.now) + ")";
}

json::Value responder_message(const CellInput& input) {
  const Responder responder = responder_of(input.object);
  return responder.status == nullptr ? std::string_view{}
                                     : responder.status->string_at({"message"});
}

json::Value requesters(const CellInput& input) {
  std::vector<std::string> names;
  for (const json::Value& requester : input.object.array_at({"status", "requesters"})) {
    if (requester.string_at({"intent"}) == "Withdrawn") continue;
    names.emplace_back(requester.string_at({"name"}));
  }
  return first_of(names, 1, ",");
}

json::Value eviction_target_type(const CellInput& input) {
  return input.object.at_path({"spec", "target", "pod"}) == nullptr ? "<unset>" : "Pod";
}

json::Value eviction_requester(const CellInput& input) {
  return input.object.string_at({"spec", "requester"});
}

json::Value responder_finish(const CellInput& input) {
  const Responder responder = responder_of(input.object);
  if (responder.status == nullptr) return "<none>";
  return text_or(responder.status->string_at({"expectedCompletionTime"}), "<none>");
}

json::Value responder_heartbeat(const CellInput& input) {
  return responder_time(input, "heartbeatTime");
}

constexpr Cell kEvictionRequestCells[] = {
    {"Target", cells::text, "<unset>"},
    {"Target Type", eviction_target_type},
    {"Status", eviction_status},
    {"Requester", eviction_requester},
};
constexpr Cell kEvictionCells[] = {
    {"Target", cells::text, "<unset>"},
    {"Target Type", eviction_target_type},
    {"Status", eviction_status},
    {"Active Responder", active_responder},
    {"Responder Status", responder_status},
    {"Responder Expected Finish", responder_finish},
    {"Requesters", requesters},
    {"Responder Heartbeat", responder_heartbeat},
    {"Responder Status Message", responder_message},
};

constexpr KindRules kEvictionRules[] = {
    {.group = "lifecycle.k8s.io", .resource = "evictionrequests", .cells = kEvictionRequestCells},
    {.group = "lifecycle.k8s.io", .resource = "evictions", .cells = kEvictionCells},
};

}  // namespace

Kinds eviction_kinds() {
  return kEvictionRules;
}

}  // namespace kube::serving
