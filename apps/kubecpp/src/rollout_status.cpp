// SPDX-License-Identifier: Apache-2.0
#include "rollout_status.hpp"

#include <charconv>
#include <optional>
#include <string_view>

#include <kube/names/go_text.hpp>

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;
using kube::meta::ResourceInfo;
namespace json = kube::json;

constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";

Error no_rollout(const std::string& text) {
  return {ErrorCode::Config, text};
}

// The numbers and words of the object.
class RolloutFields {
 public:
  explicit RolloutFields(const Unstructured& object) : content_(object.content) {}

  std::optional<std::int64_t> replicas() const { return content_.int_at({"spec", "replicas"}); }
  std::int64_t status(std::string_view name) const {
    return content_.int_at({"status", name}).value_or(0);
  }
  std::string word_of_status(std::string_view name) const {
    return std::string(content_.string_at({"status", name}));
  }
  bool is_rolling_update() const {
    return content_.string_at({"spec", "updateStrategy", "type"}) == "RollingUpdate";
  }
  const json::Value& content() const { return content_; }

 private:
  const json::Value& content_;
};

std::string out_of(std::int64_t updated, std::int64_t wanted, const char* what) {
  return std::to_string(updated) + " out of " + std::to_string(wanted) + " new " + what +
         " have been updated...";
}

std::string available_of(std::int64_t available, std::int64_t updated, const char* what) {
  return std::to_string(available) + " of " + std::to_string(updated) + " updated " + what +
         " are available...";
}

// Begins the lines of a kind.
std::string waiting_for(const std::string& what, const Unstructured& object) {
  return "Waiting for " + what + " " + kube::go::quote(object.name()) + " rollout to finish: ";
}

std::string rolled_out(const std::string& what, const Unstructured& object) {
  return what + " " + kube::go::quote(object.name()) + " successfully rolled out";
}

bool is_observed(const Unstructured& object) {
  return object.generation() <= RolloutFields(object).status("observedGeneration");
}

Result<void> check_revision(const Unstructured& object, std::int64_t wanted) {
  if (wanted <= 0) return {};
  const auto annotations = object.annotations();
  const auto found = annotations.find(kRevision);
  std::int64_t revision = 0;
  if (found != annotations.end()) {
    const std::string& text = found->second;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), revision);
    if (failed != std::errc() || end != text.data() + text.size()) {
      return no_rollout("cannot get the revision of deployment " + kube::go::quote(object.name()) +
                        ": strconv.ParseInt: parsing " + kube::go::quote(text) +
                        ": invalid syntax");
    }
  }
  if (revision == wanted) return {};
  return no_rollout("desired revision (" + std::to_string(wanted) +
                    ") is different from the running revision (" + std::to_string(revision) + ")");
}

bool is_late(const RolloutFields& fields) {
  for (const json::Value& condition : fields.content().array_at({"status", "conditions"})) {
    if (condition.string_at({"type"}) == "Progressing")
      return condition.string_at({"reason"}) == "ProgressDeadlineExceeded";
  }
  return false;
}

Result<RolloutState> state_of_deployment(const Unstructured& object, std::int64_t revision) {
  if (auto checked = check_revision(object, revision); !checked) return checked.error();
  if (!is_observed(object))
    return RolloutState{"Waiting for deployment spec update to be observed..."};
  const RolloutFields fields(object);
  if (is_late(fields)) {
    return no_rollout("deployment " + kube::go::quote(object.name()) +
                      " exceeded its progress deadline");
  }
  const std::string waiting = waiting_for("deployment", object);
  const std::int64_t updated = fields.status("updatedReplicas");
  const std::int64_t available = fields.status("availableReplicas");
  const std::int64_t old = fields.status("replicas") - updated;
  if (fields.replicas() && updated < *fields.replicas())
    return RolloutState{waiting + out_of(updated, *fields.replicas(), "replicas")};
  if (old > 0) {
    return RolloutState{waiting + std::to_string(old) + " old replicas are pending termination..."};
  }
  if (available < updated)
    return RolloutState{waiting + available_of(available, updated, "replicas")};
  return RolloutState{rolled_out("deployment", object), true};
}

Error not_rolling() {
  return no_rollout("rollout status is only available for RollingUpdate strategy type");
}

Result<RolloutState> state_of_daemon_set(const Unstructured& object) {
  const RolloutFields fields(object);
  if (!fields.is_rolling_update()) return not_rolling();
  if (!is_observed(object))
    return RolloutState{"Waiting for daemon set spec update to be observed..."};
  const std::string waiting = waiting_for("daemon set", object);
  const std::int64_t wanted = fields.status("desiredNumberScheduled");
  const std::int64_t updated = fields.status("updatedNumberScheduled");
  const std::int64_t available = fields.status("numberAvailable");
  if (updated < wanted) return RolloutState{waiting + out_of(updated, wanted, "pods")};
  if (available < wanted) return RolloutState{waiting + available_of(available, wanted, "pods")};
  return RolloutState{rolled_out("daemon set", object), true};
}

Result<RolloutState> state_of_stateful_set(const Unstructured& object) {
  const RolloutFields fields(object);
  if (!fields.is_rolling_update()) return not_rolling();
  if (fields.status("observedGeneration") == 0 || !is_observed(object))
    return RolloutState{"Waiting for statefulset spec update to be observed..."};
  const auto replicas = fields.replicas();
  if (replicas && fields.status("readyReplicas") < *replicas) {
    return RolloutState{"Waiting for " +
                        std::to_string(*replicas - fields.status("readyReplicas")) +
                        " pods to be ready..."};
  }
  const std::int64_t updated = fields.status("updatedReplicas");
  if (fields.content().at_path({"spec", "updateStrategy", "rollingUpdate"}) != nullptr) {
    const auto partition =
        fields.content().int_at({"spec", "updateStrategy", "rollingUpdate", "partition"});
    if (replicas && partition && updated < *replicas - *partition) {
      return RolloutState{"Waiting for partitioned roll out to finish: " +
                          out_of(updated, *replicas - *partition, "pods")};
    }
    return RolloutState{"partitioned roll out complete: " + std::to_string(updated) +
                            " new pods have been updated...",
                        true};
  }
  const std::string at = " pods at revision ";
  const std::string current = fields.word_of_status("currentRevision");
  const std::string next = fields.word_of_status("updateRevision");
  if (next != current) {
    return RolloutState{"waiting for statefulset rolling update to complete " +
                        std::to_string(updated) + at + next + "..."};
  }
  return RolloutState{"statefulset rolling update complete " +
                          std::to_string(fields.status("currentReplicas")) + at + current + "...",
                      true};
}

}  // namespace

bool has_rollout(const ResourceInfo& resource) {
  const std::string& kind = resource.kind;
  return resource.group == "apps" &&
         (kind == "Deployment" || kind == "DaemonSet" || kind == "StatefulSet");
}

Result<RolloutState> rollout_state(const ResourceInfo& resource, const Unstructured& object,
                                   std::int64_t revision) {
  if (resource.kind == "DaemonSet") return state_of_daemon_set(object);
  if (resource.kind == "StatefulSet") return state_of_stateful_set(object);
  return state_of_deployment(object, revision);
}

}  // namespace kubecpp
