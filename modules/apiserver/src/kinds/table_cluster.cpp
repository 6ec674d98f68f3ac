// SPDX-License-Identifier: Apache-2.0
//
// Cells of nodes, events, storage, access rules and the API's own kinds.
#include <algorithm>
#include <string>

#include <kube/base/ascii.hpp>
#include <kube/base/joined.hpp>
#include <kube/meta/label_selector.hpp>

#include "documents/human_duration.hpp"
#include "documents/metadata.hpp"
#include "kinds/table_cells.hpp"

namespace kube::apiserver {
namespace {

std::string pair_at(const json::Value& object, std::initializer_list<std::string_view> path,
                    std::string_view first, std::string_view second) {
  const json::Value* found = object.at_path(path);
  if (found == nullptr || !found->is_object()) return {};
  return std::string(found->string_at({first})) + "/" + std::string(found->string_at({second}));
}

std::string text_or(std::string_view text, std::string_view otherwise) {
  return std::string(text.empty() ? otherwise : text);
}

json::Value node_status(const CellInput& input) {
  const json::Value* ready = find_condition(input.object, "Ready");
  std::string out = ready == nullptr                         ? "Unknown"
                    : ready->string_at({"status"}) == "True" ? "Ready"
                                                             : "NotReady";
  if (bool_at(input.object, {"spec", "unschedulable"})) out += ",SchedulingDisabled";
  return out;
}

json::Value node_roles(const CellInput& input) {
  constexpr std::string_view prefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  if (const json::Value* labels = input.object.at_path({"metadata", "labels"});
      labels != nullptr && labels->is_object()) {
    for (const auto& [key, value] : *labels->if_object()) {
      if (key.starts_with(prefix) && key.size() > prefix.size()) {
        roles.push_back(key.substr(prefix.size()));
      } else if (key == "kubernetes.io/role" && !value.string_or_empty().empty()) {
        roles.emplace_back(value.string_or_empty());
      }
    }
  }
  std::ranges::sort(roles);
  roles.erase(std::unique(roles.begin(), roles.end()), roles.end());
  return text_or(joined(roles, ","), "<none>");
}

std::string first_seen(const CellInput& input) {
  const std::string_view first = input.object.string_at({"firstTimestamp"});
  return since(first.empty() ? input.object.string_at({"eventTime"}) : first, input.now);
}

json::Value last_seen(const CellInput& input) {
  if (const auto last = input.object.string_at({"series", "lastObservedTime"}); !last.empty()) {
    return since(last, input.now);
  }
  const std::string_view last = input.object.string_at({"lastTimestamp"});
  return last.empty() ? first_seen(input) : since(last, input.now);
}

json::Value event_object(const CellInput& input) {
  std::string out = ascii::to_lower(input.object.string_at({"involvedObject", "kind"}));
  const std::string_view name = input.object.string_at({"involvedObject", "name"});
  if (!name.empty()) out += "/" + std::string(name);
  return out;
}

json::Value event_source(const CellInput& input) {
  const json::Value& event = input.object;
  std::string out =
      text_or(event.string_at({"source", "component"}), event.string_at({"reportingComponent"}));
  const std::string host =
      text_or(event.string_at({"source", "host"}), event.string_at({"reportingInstance"}));
  if (!host.empty()) out += ", " + host;
  return out;
}

json::Value event_count(const CellInput& input) {
  const std::int64_t own = std::max<std::int64_t>(input.object.int_at({"count"}).value_or(1), 1);
  return input.object.int_at({"series", "count"}).value_or(own);
}

json::Value data_count(const CellInput& input) {
  std::size_t count = 0;
  for (const std::string_view member : {"data", "binaryData"}) {
    const json::Value* data = input.object.at_path({member});
    if (data != nullptr && data->is_object()) count += data->if_object()->size();
  }
  return static_cast<std::int64_t>(count);
}

json::Value component_health(const CellInput& input) {
  for (const json::Value& condition : list_at(input.object, {"conditions"})) {
    if (condition.string_at({"type"}) != "Healthy") continue;
    return condition.string_at({"status"}) == "True" ? "Healthy" : "Unhealthy";
  }
  return "Unknown";
}

json::Value subjects(const CellInput& input) {
  std::vector<std::string> parts;
  for (const json::Value* subject : input.found) {
    parts.push_back(std::string(subject->string_at({"namespace"})) + "/" +
                    std::string(subject->string_at({"name"})));
  }
  return joined(parts, ", ");
}

json::Value as_duration(const CellInput& input) {
  if (input.found.empty() || !input.found.front()->is_int()) return "<none>";
  return human_duration(std::chrono::seconds(*input.found.front()->if_int()));
}

json::Value signing_condition(const CellInput& input) {
  const auto has = [&](std::string_view type) {
    return find_condition(input.object, type) != nullptr;
  };
  std::string out = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  if (has("Failed")) out += ",Failed";
  if (!input.object.string_at({"status", "certificate"}).empty()) out += ",Issued";
  return out;
}

// The annotation says so of each class that is one; which of several counts, a list decides.
json::Value class_name(const CellInput& input) {
  std::string out(metadata_text(input.object, "name"));
  const json::Value* annotation = input.object.at_path(
      {"metadata", "annotations", "storageclass.kubernetes.io/is-default-class"});
  if (annotation != nullptr && annotation->string_or_empty() == "true") out += " (default)";
  return out;
}

json::Value param_reference(const CellInput& input) {
  if (input.found.empty()) return "<unset>";
  const json::Value& reference = *input.found.front();
  if (const std::string_view name = reference.string_at({"name"}); !name.empty()) {
    return text_or(reference.string_at({"namespace"}), "*") + "/" + std::string(name);
  }
  const json::Value* wanted = reference.at_path({"selector"});
  if (wanted == nullptr) return "<unset>";
  const auto selector = labels::from_label_selector(*wanted);
  return selector ? text_or(selector->to_string(), "<none>") : std::string("<error>");
}

json::Value storage_versions(const CellInput& input) {
  std::vector<std::string> parts;
  for (const json::Value& version : list_at(input.object, {"status", "storageVersions"})) {
    parts.push_back(std::string(version.string_at({"apiServerID"})) + "=" +
                    std::string(version.string_at({"encodingVersion"})));
  }
  return first_of(parts, 3, ",");
}

json::Value service_available(const CellInput& input) {
  const json::Value* available = find_condition(input.object, "Available");
  if (available == nullptr) return "Unknown";
  std::string out(available->string_at({"status"}));
  if (out != "True") out += " (" + std::string(available->string_at({"reason"})) + ")";
  return out;
}

json::Value definition_versions(const CellInput& input) {
  std::vector<std::string> names;
  for (const json::Value& version : list_at(input.object, {"spec", "versions"})) {
    if (!bool_at(version, {"served"})) continue;
    names.push_back(std::string(version.string_at({"name"})) +
                    (bool_at(version, {"storage"}) ? "(storage)" : ""));
  }
  std::ranges::sort(names);
  return joined(names, ",");
}

json::Value resource_and_group(const CellInput& input) {
  if (input.found.empty()) return "";
  const std::string_view group = input.found.front()->string_at({"group"});
  return std::string(input.found.front()->string_at({"resource"})) +
         (group.empty() ? "" : "." + std::string(group));
}

template <const char* member>
json::Value pool_sum(const CellInput& input) {
  const json::Value* status = input.object.at_path({"status"});
  if (status == nullptr || !status->is_object() || status->if_object()->empty()) return "-";
  std::int64_t sum = 0;
  for (const json::Value& pool : list_at(*status, {"pools"}))
    sum += pool.int_at({member}).value_or(0);
  return std::to_string(sum);
}
constexpr char total_devices[] = "totalDevices";
constexpr char available_devices[] = "availableDevices";
constexpr char allocated_devices[] = "allocatedDevices";
constexpr char unavailable_devices[] = "unavailableDevices";

json::Value pool_errors(const CellInput& input) {
  const json::Value* status = input.object.at_path({"status"});
  if (status == nullptr || !status->is_object() || status->if_object()->empty()) return "-";
  return std::to_string(std::ranges::count_if(
      list_at(*status, {"pools"}),
      [](const json::Value& pool) { return !pool.string_at({"validationError"}).empty(); }));
}

json::Value pool_completed(const CellInput& input) {
  const json::Value* complete = find_condition(input.object, "Complete");
  if (complete == nullptr || complete->string_at({"status"}) != "True") return "<none>";
  return since(complete->string_at({"lastTransitionTime"}), input.now);
}

json::Value eviction_status(const CellInput& input) {
  const json::Array& conditions = list_at(input.object, {"status", "conditions"});
  for (const json::Value& condition : conditions) {
    if (condition.string_at({"status"}) != "True") continue;
    std::string out(condition.string_at({"type"}));
    const std::string_view reason = condition.string_at({"reason"});
    if (!reason.empty() && reason != out) out += " (" + std::string(reason) + ")";
    return out;
  }
  return list_at(input.object, {"status", "responders"}).empty() ? "Pending" : "Progressing";
}

/// The responder whose turn it is, else the one that was last, and how many are done.
struct Responder {
  std::string name{};
  std::string state{};
  std::size_t processed = 0;
  std::size_t total = 0;
  const json::Value* status = nullptr;
};

Responder responder_of(const json::Value& eviction) {
  Responder out;
  const json::Array& targets = list_at(eviction, {"status", "targetResponders"});
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
  for (const json::Value& status : list_at(eviction, {"status", "responders"})) {
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
  for (const json::Value& requester : list_at(input.object, {"status", "requesters"})) {
    if (requester.string_at({"intent"}) == "Withdrawn") continue;
    names.emplace_back(requester.string_at({"name"}));
  }
  return first_of(names, 1, ",");
}

constexpr NamedRule cluster_rules[] = {
    {"Ready, NotReady or Unknown; \",SchedulingDisabled\" when spec.unschedulable", node_status},
    {"node-role.kubernetes.io/<role> and kubernetes.io/role labels, sorted, <none> when empty",
     node_roles},
    {"series.lastObservedTime, else lastTimestamp, else first seen; elapsed", last_seen},
    {"firstTimestamp, else eventTime; elapsed",
     [](const CellInput& in) -> json::Value { return first_seen(in); }},
    {"lower case involvedObject.kind/involvedObject.name", event_object},
    {"source.component or reportingComponent, \", \" source.host or reportingInstance",
     event_source},
    {"series.count, else count, else 1", event_count},
    {"count of data plus count of binaryData", data_count},
    {"spec.claimRef.namespace/spec.claimRef.name",
     [](const CellInput& in) -> json::Value {
       return pair_at(in.object, {"spec", "claimRef"}, "namespace", "name");
     }},
    {"Healthy, Unhealthy or Unknown from the Healthy condition", component_health},
    {"roleRef.kind/roleRef.name",
     [](const CellInput& in) -> json::Value {
       return pair_at(in.object, {"roleRef"}, "kind", "name");
     }},
    {"namespace/name joined by \", \"", subjects},
    {"as a duration, <none> when unset", as_duration},
    {"Denied, Approved or Pending; \",Failed\"; \",Issued\" with a certificate", signing_condition},
    {"\" (default)\" after the effective default in a list", class_name},
    {"spec.paramKind.apiVersion/spec.paramKind.kind, <unset> when unset",
     [](const CellInput& in) -> json::Value {
       return text_or(pair_at(in.object, {"spec", "paramKind"}, "apiVersion", "kind"), "<unset>");
     }},
    {"namespace/name, */name, or the selector; <unset> when unset", param_reference},
    {"apiServerID=encodingVersion of the first three", storage_versions},
    {"spec.service.namespace/spec.service.name, Local when unset",
     [](const CellInput& in) -> json::Value {
       return text_or(pair_at(in.object, {"spec", "service"}, "namespace", "name"), "Local");
     }},
    {"status of the Available condition, with its reason unless True", service_available},
    {"served names, \"(storage)\" after the stored one, sorted, joined by comma",
     definition_versions},
    {"Established condition is True",
     [](const CellInput& in) -> json::Value {
       return is_condition_true(in.object, "Established");
     }},
    {"resource.group", resource_and_group},
    {"sum of status.pools totalDevices, \"-\" before status", pool_sum<total_devices>},
    {"sum of status.pools availableDevices, \"-\" before status", pool_sum<available_devices>},
    {"sum of status.pools allocatedDevices, \"-\" before status", pool_sum<allocated_devices>},
    {"sum of status.pools unavailableDevices, \"-\" before status", pool_sum<unavailable_devices>},
    {"count of status.pools with validationError, \"-\" before status", pool_errors},
    {"time since the Complete condition, <none> without", pool_completed},
    {"Pod or <unset>",
     [](const CellInput& in) -> json::Value {
       return in.object.at_path({"spec", "target", "pod"}) == nullptr ? "<unset>" : "Pod";
     }},
    {"Pending, Progressing, or the true condition with its reason", eviction_status},
    {"requester of the spec",
     [](const CellInput& in) -> json::Value {
       return in.object.string_at({"spec", "requester"});
     }},
    {"active (else last processed) target responder, with processed/total counts",
     active_responder},
    {"state of that responder with elapsed time", responder_status},
    {"expected completion of that responder",
     [](const CellInput& in) -> json::Value {
       const Responder responder = responder_of(in.object);
       if (responder.status == nullptr) return "<none>";
       return text_or(responder.status->string_at({"expectedCompletionTime"}), "<none>");
     }},
    {"heartbeat of that responder",
     [](const CellInput& in) -> json::Value { return responder_time(in, "heartbeatTime"); }},
    {"message of that responder", responder_message},
    {"names that are not withdrawn, first one then \"+ n more...\"", requesters},
};

}  // namespace

CellRule find_cluster_rule(std::string_view rule) {
  return find_rule(cluster_rules, rule);
}

}  // namespace kube::apiserver
