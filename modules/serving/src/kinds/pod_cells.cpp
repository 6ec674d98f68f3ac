// SPDX-License-Identifier: Apache-2.0
//
// Cells of pods.
#include "kinds/pod_cells.hpp"

#include <algorithm>

#include <kube/names/time.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"

namespace kube::serving {
namespace {

bool is_restartable(const json::Value& container) {
  return container.string_at({"restartPolicy"}) == "Always";
}

/// The values of a pod's columns, from one pass over its containers.
class PodState {
 public:
  explicit PodState(const json::Value& pod)
      : pod_(pod), phase_(pod.string_at({"status", "phase"})), reason_(phase_) {
    if (const std::string_view why = pod.string_at({"status", "reason"}); !why.empty()) {
      reason_ = why;
    }
    if (const json::Value* scheduled = find_condition(pod, "PodScheduled");
        scheduled != nullptr && scheduled->string_at({"reason"}) == "SchedulingGated") {
      reason_ = "SchedulingGated";
    }
    const json::Array& init = pod.array_at({"spec", "initContainers"});
    total_ = static_cast<std::int64_t>(pod.array_at({"spec", "containers"}).size()) +
             std::ranges::count_if(init, is_restartable);
    look_at_init_containers(init);
    if (!initializing_ || is_condition_true(pod, "Initialized")) look_at_containers();
    if (!metadata_text(pod, "deletionTimestamp").empty()) {
      if (pod.string_at({"status", "reason"}) == "NodeLost") {
        reason_ = "Unknown";
      } else if (phase_ != "Succeeded" && phase_ != "Failed") {
        reason_ = "Terminating";
      }
    }
  }

  std::string ready() const { return std::to_string(ready_) + "/" + std::to_string(total_); }
  const std::string& status() const { return reason_; }
  std::string restarts(WallTime now) const {
    std::string out = std::to_string(restarts_.count);
    if (restarts_.count != 0 && !restarts_.last.is_zero()) {
      out += " (" + since(restarts_.last.to_string(), now) + " ago)";
    }
    return out;
  }

 private:
  struct Restarts {
    std::int64_t count = 0;
    meta::Time last{};

    void add(const json::Value& status) {
      count += status.int_at({"restartCount"}).value_or(0);
      const auto ended =
          meta::Time::parse(status.string_at({"lastState", "terminated", "finishedAt"}));
      if (ended) last = std::max(last, *ended);
    }
  };

  static const json::Value* state(const json::Value& status, std::string_view name) {
    const json::Value* found = status.at_path({"state", name});
    return found != nullptr && found->is_object() ? found : nullptr;
  }

  // Returns the reason, or "Signal:9" or "ExitCode:1" for a container without one.
  static std::string end_of(const json::Value& terminated) {
    if (const std::string_view why = terminated.string_at({"reason"}); !why.empty()) {
      return std::string(why);
    }
    const std::int64_t signal = terminated.int_at({"signal"}).value_or(0);
    return signal != 0 ? "Signal:" + std::to_string(signal)
                       : "ExitCode:" + std::to_string(terminated.int_at({"exitCode"}).value_or(0));
  }

  void look_at_init_containers(const json::Array& containers) {
    const json::Array& statuses = pod_.array_at({"status", "initContainerStatuses"});
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      const json::Value& status = statuses[i];
      const bool restartable = std::ranges::any_of(containers, [&](const json::Value& container) {
        return container.string_at({"name"}) == status.string_at({"name"}) &&
               is_restartable(container);
      });
      restarts_.add(status);
      if (restartable) of_restartable_.add(status);
      const json::Value* terminated = state(status, "terminated");
      const json::Value* waiting = state(status, "waiting");
      if (terminated != nullptr && terminated->int_at({"exitCode"}).value_or(0) == 0) continue;
      if (restartable && status.true_at({"started"})) {
        if (status.true_at({"ready"})) ++ready_;
        continue;
      }
      const std::string_view why =
          waiting == nullptr ? std::string_view{} : waiting->string_at({"reason"});
      if (terminated != nullptr) {
        reason_ = "Init:" + end_of(*terminated);
      } else if (!why.empty() && why != "PodInitializing") {
        reason_ = "Init:" + std::string(why);
      } else {
        reason_ = "Init:" + std::to_string(i) + "/" + std::to_string(containers.size());
      }
      initializing_ = true;
      return;
    }
  }

  void look_at_containers() {
    restarts_ = of_restartable_;
    bool has_running = false;
    const json::Array& statuses = pod_.array_at({"status", "containerStatuses"});
    for (auto at = statuses.rbegin(); at != statuses.rend(); ++at) {
      restarts_.add(*at);
      const json::Value* terminated = state(*at, "terminated");
      const json::Value* waiting = state(*at, "waiting");
      const std::string_view why =
          waiting == nullptr ? std::string_view{} : waiting->string_at({"reason"});
      if (!why.empty()) {
        reason_ = why;
      } else if (terminated != nullptr) {
        reason_ = end_of(*terminated);
      } else if (at->true_at({"ready"}) && state(*at, "running") != nullptr) {
        has_running = true;
        ++ready_;
      }
    }
    if (reason_ == "Completed" && has_running) {
      reason_ = is_condition_true(pod_, "Ready") ? "Running" : "NotReady";
    }
  }

  const json::Value& pod_;
  std::string_view phase_;
  std::string reason_;
  std::int64_t total_ = 0;
  std::int64_t ready_ = 0;
  Restarts restarts_;
  Restarts of_restartable_;
  bool initializing_ = false;
};

}  // namespace

json::Value pod_ready(const CellInput& input) {
  return PodState(input.object).ready();
}

json::Value pod_status(const CellInput& input) {
  return PodState(input.object).status();
}

json::Value pod_restarts(const CellInput& input) {
  return PodState(input.object).restarts(input.now);
}

// A real server copies podIP into podIPs when it stores a status.
json::Value pod_ip(const CellInput& input) {
  const std::string ip = input.found.empty()
                             ? std::string(input.object.string_at({"status", "podIP"}))
                             : first_text(input);
  return text_or(ip, "<none>");
}

json::Value readiness_gates(const CellInput& input) {
  const json::Array& gates = input.object.array_at({"spec", "readinessGates"});
  if (gates.empty()) return "<none>";
  const auto passed = std::ranges::count_if(gates, [&](const json::Value& gate) {
    return is_condition_true(input.object, gate.string_at({"conditionType"}));
  });
  return std::to_string(passed) + "/" + std::to_string(gates.size());
}

}  // namespace kube::serving
