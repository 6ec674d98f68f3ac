// SPDX-License-Identifier: Apache-2.0
//
// describe_node_pods(): what the pods of a node request and may use at most, beside what it has.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/names/quantity.hpp>

#include "describer.hpp"

namespace kubecpp {
namespace {

namespace json = kube::json;
using json::Value;
using kube::meta::Quantity;
using Amounts = std::map<std::string, Quantity, std::less<>>;

Amounts amounts_of(const Value* object) {
  Amounts amounts;
  if (object == nullptr || !object->is_object()) return amounts;
  for (const auto& [name, text] : *object->if_object()) {
    if (auto amount = Quantity::parse(go_text(text))) amounts[name] = *std::move(amount);
  }
  return amounts;
}

void add_all(Amounts& to, const Amounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    const auto [at, is_new] = to.try_emplace(name, amount);
    if (!is_new) at->second += amount;
  }
}

void raise_to(Amounts& to, const Amounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    const auto [at, is_new] = to.try_emplace(name, amount);
    if (!is_new && at->second < amount) at->second = amount;
  }
}

// Returns a pod's requests or limits as the scheduler counts them: the sum of its containers, with
// the init containers that go on, or what an init container needs while it runs if that is more;
// what the pod itself says comes first; and its overhead.
Amounts pod_amounts(const Value& pod, std::string_view field) {
  Amounts sum;
  for (const Value& container : pod.array_at({"spec", "containers"}))
    add_all(sum, amounts_of(container.at_path({"resources", field})));
  Amounts going_on;
  Amounts at_start;
  for (const Value& container : pod.array_at({"spec", "initContainers"})) {
    Amounts own = amounts_of(container.at_path({"resources", field}));
    if (container.string_at({"restartPolicy"}) == "Always") {
      add_all(sum, own);
      add_all(going_on, own);
      own = going_on;
    } else {
      add_all(own, going_on);
    }
    raise_to(at_start, own);
  }
  raise_to(sum, at_start);
  for (auto& [name, amount] : amounts_of(pod.at_path({"spec", "resources", field})))
    sum[name] = amount;
  for (const auto& [name, amount] : amounts_of(pod.at_path({"spec", "overhead"}))) {
    // A limit that is not set remains without one.
    if (field == "requests" || sum.contains(name)) add_all(sum, {{name, amount}});
  }
  return sum;
}

Quantity amount_at(const Amounts& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? Quantity::of(0) : found->second;
}

// Returns "250m (12%)".
std::string share_text(const Amounts& amounts, const Amounts& available, std::string_view name) {
  const Quantity amount = amount_at(amounts, name);
  const Quantity whole = amount_at(available, name);
  const bool by_milli = name == "cpu";
  const auto of = static_cast<double>(by_milli ? amount.milli_value() : amount.value());
  const auto all = static_cast<double>(by_milli ? whole.milli_value() : whole.value());
  const auto percent = all == 0 ? 0 : static_cast<std::int64_t>(of / all * 100);
  return amount.to_string() + " (" + std::to_string(percent) + "%)";
}

void add_sums(const Amounts& requests, const Amounts& limits, const Amounts& available,
              Description& out) {
  out.add(0,
          "Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)\n");
  out.add(1, "Resource\tRequests\tLimits\n");
  out.add(1, "--------\t--------\t------\n");
  std::vector<std::string> names = {"cpu", "memory", "ephemeral-storage"};
  std::vector<std::string> others;
  for (const auto& [name, amount] : available) {
    if (name.starts_with("hugepages-")) {
      names.push_back(name);
    } else if (std::ranges::find(names, name) == names.end() && name != "pods") {
      others.push_back(name);
    }
  }
  for (const std::string& name : names) {
    out.add(1, name + "\t" + share_text(requests, available, name) + "\t" +
                   share_text(limits, available, name) + "\n");
  }
  for (const std::string& name : others) {
    out.add(1, name + "\t" + amount_at(requests, name).to_string() + "\t" +
                   amount_at(limits, name).to_string() + "\n");
  }
}

}  // namespace

void describe_node_pods(const Value& node, const std::vector<kube::Unstructured>& pods,
                        Description& out) {
  Amounts available = amounts_of(node.at_path({"status", "allocatable"}));
  if (available.empty()) available = amounts_of(node.at_path({"status", "capacity"}));
  out.field(0, "Non-terminated Pods", "(" + std::to_string(pods.size()) + " in total)");
  out.add(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge\n");
  out.add(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---\n");
  Amounts all_requests;
  Amounts all_limits;
  for (const kube::Unstructured& pod : pods) {
    const Amounts requests = pod_amounts(pod.content, "requests");
    const Amounts limits = pod_amounts(pod.content, "limits");
    out.add(1, std::string(pod.namespace_()) + "\t" + std::string(pod.name()) + "\t\t" +
                   share_text(requests, available, "cpu") + "\t" +
                   share_text(limits, available, "cpu") + "\t" +
                   share_text(requests, available, "memory") + "\t" +
                   share_text(limits, available, "memory") + "\t" +
                   time_since(pod.creation_timestamp()) + "\n");
    add_all(all_requests, requests);
    add_all(all_limits, limits);
  }
  add_sums(all_requests, all_limits, available, out);
}

}  // namespace kubecpp
