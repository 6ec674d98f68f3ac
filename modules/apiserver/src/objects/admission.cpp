// SPDX-License-Identifier: Apache-2.0
#include "objects/admission.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "kinds/fields.hpp"

namespace kube::apiserver {
namespace {

struct Admission {
  const Write& write;
  Store& store;
  json::Value& object;

  json::Object& spec() const { return member({"spec"}); }
  json::Object& member(json::Value::Path path) const {
    json::Value& value = object.ensure_path(path);
    if (!value.is_object()) value = json::Object{};
    return *value.if_object();
  }
  bool creates() const { return write.before == nullptr; }
};

Result<void> forbid(const Admission& admission, std::string why) {
  if (admission.write.loaded) return {};
  return meta::forbidden_error(admission.write.resource.group_resource(),
                               metadata_text(admission.object, "name"), why);
}

json::Value content_of(const StoredObject& object) {
  auto content = json::parse("{" + std::string(object.body));
  return content ? *std::move(content) : json::Value(json::Object{});
}

std::optional<json::Value> find_object(const Admission& admission, const OwnResource& resource,
                                       std::string_view name) {
  const ObjectPtr found = admission.store.collection(resource.storage()).get(name);
  if (!found) return std::nullopt;
  return content_of(*found);
}

// Returns the newest object with the annotation "true"; of two of one second, the first by name.
std::optional<json::Value> find_default(const Admission& admission, const OwnResource& resource,
                                        std::string_view annotation) {
  std::optional<json::Value> newest;
  for (const ObjectPtr& each :
       admission.store.collection(resource.storage()).snapshot({}).objects) {
    if (each->body.find(annotation) == std::string_view::npos) continue;
    json::Value object = content_of(*each);
    const json::Value* mark = object.at_path({"metadata", "annotations", annotation});
    if (mark == nullptr || mark->string_or_empty() != "true") continue;
    if (!newest ||
        metadata_text(object, "creationTimestamp") > metadata_text(*newest, "creationTimestamp"))
      newest = std::move(object);
  }
  return newest;
}

// Returns the class that pods without one have; of several, the one with the lowest value.
std::optional<json::Value> find_default_priority(const Admission& admission) {
  std::optional<json::Value> lowest;
  Collection& classes = admission.store.collection(builtin::kPriorityClasses.storage());
  for (const ObjectPtr& each : classes.snapshot({}).objects) {
    if (each->body.find("\"globalDefault\":true") == std::string_view::npos) continue;
    json::Value object = content_of(*each);
    if (!object.true_at({"globalDefault"})) continue;
    if (!lowest || object.int_at({"value"}) < lowest->int_at({"value"})) lowest = std::move(object);
  }
  return lowest;
}

// Plugin Priority, for a new pod.
Result<void> set_priority(const Admission& admission) {
  json::Object& spec = admission.spec();
  const std::string name(admission.object.string_at({"spec", "priorityClassName"}));
  const std::optional<json::Value> found =
      name.empty() ? find_default_priority(admission)
                   : find_object(admission, builtin::kPriorityClasses, name);
  if (!name.empty() && !found)
    return forbid(admission, "no PriorityClass with name " + name + " was found");
  const std::int64_t value = found ? found->int_at({"value"}).value_or(0) : 0;
  const auto given = admission.object.int_at({"spec", "priority"});
  if (given && *given != value) {
    return forbid(
        admission,
        "the integer value of priority (" + std::to_string(*given) +
            ") must not be provided in pod spec; priority admission controller computed " +
            std::to_string(value) + " from the given PriorityClass name");
  }
  std::string policy(found ? found->string_at({"preemptionPolicy"}) : "PreemptLowerPriority");
  const json::Value* own = spec.find("preemptionPolicy");
  if (!policy.empty() && own != nullptr && own->is_string() && *own != json::Value(policy)) {
    return forbid(
        admission,
        "the string value of PreemptionPolicy (" + *own->if_string() +
            ") must not be provided in pod spec; priority admission controller computed " + policy +
            " from the given PriorityClass name");
  }
  if (found) spec.set("priorityClassName", metadata_text(*found, "name"));
  spec.set("priority", value);
  if (!policy.empty()) spec.set("preemptionPolicy", std::move(policy));
  return {};
}

// Plugin DefaultTolerationSeconds: a pod leaves a node that fails after five minutes.
void add_tolerations(json::Object& spec) {
  constexpr std::int64_t kSeconds = 300;
  json::Value& value = spec["tolerations"];
  if (!value.is_array()) value = json::Array{};
  json::Array& tolerations = *value.if_array();
  const std::size_t given = tolerations.size();
  for (const std::string_view key :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const auto tolerates = [key](const json::Value& toleration) {
      const std::string_view own = toleration.string_at({"key"});
      const std::string_view effect = toleration.string_at({"effect"});
      return (own.empty() || own == key) && (effect.empty() || effect == "NoExecute");
    };
    const auto end = tolerations.begin() + static_cast<std::ptrdiff_t>(given);
    if (std::any_of(tolerations.begin(), end, tolerates)) continue;
    tolerations.emplace_back(json::Object{{"key", key},
                                          {"operator", "Exists"},
                                          {"effect", "NoExecute"},
                                          {"tolerationSeconds", kSeconds}});
  }
}

// Plugin RuntimeClass, for a new pod.
Result<void> set_runtime(const Admission& admission) {
  json::Object& spec = admission.spec();
  const json::Value* named = spec.find("runtimeClassName");
  if (named == nullptr || !named->is_string()) return {};
  const std::string name = *named->if_string();
  if (name.empty() && !admission.write.loaded) return unexplained("resource name may not be empty");
  const auto found = find_object(admission, builtin::kRuntimeClasses, name);
  if (!found) return forbid(admission, "pod rejected: RuntimeClass \"" + name + "\" not found");
  if (const json::Value* overhead = found->at_path({"overhead", "podFixed"})) {
    const json::Value* own = spec.find("overhead");
    if (own != nullptr && !own->is_null() && !(*own == *overhead))
      return forbid(admission,
                    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    spec.set("overhead", *overhead);
  }
  if (const json::Value* selector = found->at_path({"scheduling", "nodeSelector"});
      selector != nullptr && selector->is_object()) {
    json::Object& nodes = admission.member({"spec", "nodeSelector"});
    for (const auto& [key, value] : *selector->if_object()) {
      const json::Value* given = nodes.find(key);
      if (given != nullptr && !(*given == value)) {
        return forbid(admission, "conflict: runtimeClass.scheduling.nodeSelector[" + key +
                                     "] = " + std::string(value.string_or_empty()) +
                                     "; pod.spec.nodeSelector[" + key +
                                     "] = " + std::string(given->string_or_empty()));
      }
      nodes.set(key, value);
    }
  }
  const json::Array& more = found->array_at({"scheduling", "tolerations"});
  if (more.empty()) return {};
  json::Array& tolerations = *spec.find("tolerations")->if_array();
  for (const json::Value& each : more) {
    if (std::ranges::find(tolerations, each) == tolerations.end()) tolerations.push_back(each);
  }
  return {};
}

// The same plugin, for a pod that is valid.
Result<void> check_overhead(const Admission& admission) {
  const json::Value* own = admission.object.at_path({"spec", "overhead"});
  const auto emptied = admission.write.asked.emptied();
  const bool is_empty = std::ranges::find(emptied, "spec.overhead") != emptied.end();
  if (!is_empty && (own == nullptr || own->is_null())) return {};
  const auto found = find_object(admission, builtin::kRuntimeClasses,
                                 admission.object.string_at({"spec", "runtimeClassName"}));
  if (found && found->at_path({"overhead", "podFixed"}) != nullptr) return {};
  return forbid(
      admission,
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
}

// Plugin PodTopologyLabels: a pod that gets its node says where that is.
void copy_topology(const Admission& admission) {
  const std::string_view node = admission.object.string_at({"spec", "nodeName"});
  const bool had_node =
      !admission.creates() && !admission.write.before->string_at({"spec", "nodeName"}).empty();
  if (node.empty() || had_node) return;
  const auto found = find_object(admission, builtin::kNodes, node);
  if (!found) return;
  for (const std::string_view label :
       {"topology.kubernetes.io/zone", "topology.kubernetes.io/region"}) {
    if (const json::Value* value = found->at_path({"metadata", "labels", label}))
      admission.object.ensure_path({"metadata", "labels", label}) = *value;
  }
}

Result<void> admit_pod(const Admission& admission) {
  copy_topology(admission);
  if (!admission.creates()) {
    if (admission.write.part != Part::Main) return {};
    const json::Value& before = *admission.write.before;
    for (const std::string_view key : {"priority", "preemptionPolicy"}) {
      const json::Value* old = before.at_path({"spec", key});
      if (old != nullptr && admission.object.at_path({"spec", key}) == nullptr)
        admission.spec().set(key, *old);
    }
    add_tolerations(admission.spec());
    return {};
  }
  if (auto set = set_priority(admission); !set) return set;
  add_tolerations(admission.spec());
  return set_runtime(admission);
}

// Plugin TaintNodesByCondition: a new node is not ready.
Result<void> admit_node(const Admission& admission) {
  if (!admission.creates()) return {};
  json::Value& value = admission.spec()["taints"];
  if (!value.is_array()) value = json::Array{};
  constexpr std::string_view kKey = "node.kubernetes.io/not-ready";
  constexpr std::string_view kEffect = "NoSchedule";
  const bool has = std::ranges::any_of(*value.if_array(), [&](const json::Value& taint) {
    return taint.string_at({"key"}) == kKey && taint.string_at({"effect"}) == kEffect;
  });
  if (!has) value.if_array()->emplace_back(json::Object{{"key", kKey}, {"effect", kEffect}});
  return {};
}

// Plugin StorageObjectInUseProtection.
void add_finalizer(const Admission& admission, std::string_view name) {
  std::vector<std::string> finalizers = finalizers_of(admission.object);
  if (std::ranges::find(finalizers, name) != finalizers.end()) return;
  finalizers.emplace_back(name);
  set_finalizers(admission.object, finalizers);
}

Result<void> admit_volume(const Admission& admission) {
  if (admission.creates()) add_finalizer(admission, "kubernetes.io/pv-protection");
  return {};
}

Result<void> admit_attributes_class(const Admission& admission) {
  if (admission.creates()) add_finalizer(admission, "kubernetes.io/vac-protection");
  return {};
}

bool has_annotation(const json::Value& object, std::string_view name) {
  return object.at_path({"metadata", "annotations", name}) != nullptr;
}

// Also plugin DefaultStorageClass.
Result<void> admit_claim(const Admission& admission) {
  if (!admission.creates()) return {};
  add_finalizer(admission, "kubernetes.io/pvc-protection");
  const json::Value* own = admission.object.at_path({"spec", "storageClassName"});
  if ((own != nullptr && !own->is_null()) ||
      has_annotation(admission.object, "volume.beta.kubernetes.io/storage-class")) {
    return {};
  }
  const auto found = find_default(admission, builtin::kStorageClasses,
                                  "storageclass.kubernetes.io/is-default-class");
  if (found) admission.spec().set("storageClassName", metadata_text(*found, "name"));
  return {};
}

// Plugin PersistentVolumeClaimResize, for a claim that is valid.
Result<void> check_growth(const Admission& admission) {
  const json::Value& claim = admission.object;
  const json::Value& before = *admission.write.before;
  if (serving::size_of_claim(claim) <= serving::size_of_claim(before)) return {};
  const std::string_view name = serving::class_of_claim(claim);
  if (!name.empty() && name == serving::class_of_claim(before)) {
    const auto found = find_object(admission, builtin::kStorageClasses, name);
    if (found && found->true_at({"allowVolumeExpansion"})) return {};
  }
  return forbid(admission,
                "only dynamically provisioned pvc can be resized and the storageclass that "
                "provisions the pvc must support resize");
}

// Plugin DefaultIngressClass.
Result<void> admit_ingress(const Admission& admission) {
  const json::Value* own = admission.object.at_path({"spec", "ingressClassName"});
  if (!admission.creates() || (own != nullptr && !own->is_null()) ||
      has_annotation(admission.object, "kubernetes.io/ingress.class")) {
    return {};
  }
  const auto found = find_default(admission, builtin::kIngressClasses,
                                  "ingressclass.kubernetes.io/is-default-class");
  if (found) admission.spec().set("ingressClassName", metadata_text(*found, "name"));
  return {};
}

struct Rule {
  OwnResource resource;
  Result<void> (*admit)(const Admission& admission);
};

constexpr Rule kRules[] = {
    {builtin::kNodes, admit_node},
    {builtin::kVolumeClaims, admit_claim},
    {builtin::kVolumes, admit_volume},
    {builtin::kPods, admit_pod},
    {builtin::kIngresses, admit_ingress},
    {builtin::kVolumeAttributesClasses, admit_attributes_class},
};

}  // namespace

Result<void> admit(const Write& write, Store& store, json::Value& object) {
  const Resource& resource = write.resource;
  if (write.part == Part::Status || resource.is_custom()) return {};
  const auto found = std::ranges::find_if(kRules, [&](const Rule& rule) {
    return rule.resource.is(resource.gvk.group, resource.plural);
  });
  return found == std::end(kRules) ? Result<void>{} : found->admit({write, store, object});
}

Result<void> admit_valid(const Write& write, Store& store, json::Value& object) {
  const auto is_of = [&](const OwnResource& resource) {
    return resource.is(write.resource.gvk.group, write.resource.plural);
  };
  const Admission admission{write, store, object};
  if (write.before == nullptr && is_of(builtin::kPods)) return check_overhead(admission);
  const bool changes = write.before != nullptr && write.part == Part::Main;
  return changes && is_of(builtin::kVolumeClaims) ? check_growth(admission) : Result<void>{};
}

}  // namespace kube::apiserver
