// SPDX-License-Identifier: Apache-2.0
#include "kinds/kind_rules.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <kube/json/base64.hpp>

#include "documents/metadata.hpp"

namespace kube::apiserver {
namespace {

json::Object& child(json::Object& object, std::string_view key) {
  json::Value& value = object[key];
  if (!value.is_object()) value = json::Object{};
  return *value.if_object();
}

template <class F>
void for_each_object(json::Object& object, std::string_view key, const F& f) {
  json::Value* list = object.find(key);
  if (list == nullptr || !list->is_array()) return;
  for (json::Value& entry : *list->if_array()) {
    if (entry.is_object()) f(*entry.if_object());
  }
}

// An image is always pulled when its tag can move: ":latest" or none, and no digest.
bool has_moving_tag(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return false;
  const std::size_t slash = image.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const std::size_t colon = last.find(':');
  return colon == std::string_view::npos || last.substr(colon + 1) == "latest";
}

void default_container(json::Object& container) {
  const json::Value* image = container.find("image");
  const bool moving = image != nullptr && has_moving_tag(image->string_or_empty());
  set_default(container, "resources", json::Object{});
  set_default(container, "terminationMessagePath", "/dev/termination-log");
  set_default(container, "terminationMessagePolicy", "File");
  set_default(container, "imagePullPolicy", moving ? "Always" : "IfNotPresent");
  for_each_object(container, "ports",
                  [](json::Object& port) { set_default(port, "protocol", "TCP"); });
}

void default_pod_spec(json::Object& spec) {
  for_each_object(spec, "containers", default_container);
  for_each_object(spec, "initContainers", default_container);
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "dnsPolicy", "ClusterFirst");
  set_default(spec, "securityContext", json::Object{});
  set_default(spec, "schedulerName", "default-scheduler");
  if (const json::Value* account = spec.find("serviceAccountName"); account != nullptr) {
    set_default(spec, "serviceAccount", *account);
  }
}

void default_template(json::Object& spec) {
  json::Value* pod = spec.find("template");
  if (pod == nullptr || !pod->is_object()) return;
  default_pod_spec(child(*pod->if_object(), "spec"));
}

void default_workload(std::string_view kind, json::Object& spec) {
  default_template(spec);
  if (kind != "DaemonSet" && kind != "Job") set_default(spec, "replicas", 1);
  if (kind == "Deployment") {
    json::Object& strategy = child(spec, "strategy");
    set_default(strategy, "type", "RollingUpdate");
    if (strategy.find("type")->string_or_empty() == "RollingUpdate") {
      json::Object& rolling = child(strategy, "rollingUpdate");
      set_default(rolling, "maxUnavailable", "25%");
      set_default(rolling, "maxSurge", "25%");
    }
    set_default(spec, "revisionHistoryLimit", 10);
    set_default(spec, "progressDeadlineSeconds", 600);
  } else if (kind == "StatefulSet") {
    set_default(spec, "podManagementPolicy", "OrderedReady");
    json::Object& strategy = child(spec, "updateStrategy");
    set_default(strategy, "type", "RollingUpdate");
    set_default(spec, "revisionHistoryLimit", 10);
  } else if (kind == "DaemonSet") {
    json::Object& strategy = child(spec, "updateStrategy");
    set_default(strategy, "type", "RollingUpdate");
    if (strategy.find("type")->string_or_empty() == "RollingUpdate") {
      json::Object& rolling = child(strategy, "rollingUpdate");
      set_default(rolling, "maxUnavailable", 1);
      set_default(rolling, "maxSurge", 0);
    }
    set_default(spec, "revisionHistoryLimit", 10);
  } else if (kind == "Job") {
    if (spec.find("completions") == nullptr && spec.find("parallelism") == nullptr) {
      spec.set("completions", 1);
    }
    set_default(spec, "parallelism", 1);
    set_default(spec, "backoffLimit", 6);
    set_default(spec, "completionMode", "NonIndexed");
    set_default(spec, "suspend", false);
  }
}

void default_service(json::Object& spec) {
  set_default(spec, "type", "ClusterIP");
  set_default(spec, "sessionAffinity", "None");
  if (spec.find("type")->string_or_empty() != "ExternalName") {
    set_default(spec, "internalTrafficPolicy", "Cluster");
  }
  for_each_object(spec, "ports", [](json::Object& port) {
    set_default(port, "protocol", "TCP");
    if (const json::Value* number = port.find("port"); number != nullptr) {
      set_default(port, "targetPort", *number);
    }
  });
}

void default_secret(json::Object& secret) {
  set_default(secret, "type", "Opaque");
  const json::Value* text = secret.find("stringData");
  if (text == nullptr) return;
  if (text->is_object()) {
    const json::Object strings = *text->if_object();
    json::Object& data = child(secret, "data");
    for (const auto& [key, value] : strings) {
      std::string encoded;
      json::write_base64(value.string_or_empty(), encoded);
      data.set(key, std::move(encoded));
    }
  }
  secret.erase("stringData");
}

void default_event(json::Object& event, const Resource& resource) {
  // Nothing but the type: sources fill the rest differently.
  if (resource.gvk.group.empty()) set_default(event, "type", "Normal");
}

// Guaranteed: every container has equal limits and requests of cpu and memory. BestEffort: none has
// any. Burstable: the rest.
std::string_view qos_class(json::Object& spec) {
  bool any = false;
  bool guaranteed = true;
  const auto look = [&](json::Object& container) {
    const json::Value resources = container["resources"];
    for (const std::string_view name : {"cpu", "memory"}) {
      const json::Value* limit = resources.at_path({"limits", name});
      const json::Value* request = resources.at_path({"requests", name});
      any = any || limit != nullptr || request != nullptr;
      guaranteed = guaranteed && limit != nullptr && (request == nullptr || *request == *limit);
    }
  };
  for_each_object(spec, "containers", look);
  for_each_object(spec, "initContainers", look);
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

bool is_workload(const Resource& resource) {
  const std::string& group = resource.gvk.group;
  const std::string& kind = resource.gvk.kind;
  return (group == "apps" && kind != "ControllerRevision") || (group == "batch" && kind == "Job") ||
         (group.empty() && kind == "ReplicationController");
}

// The label by which selectors find a namespace; it has it whatever a write says.
void label_with_name(json::Value& object) {
  const std::string name(metadata_text(object, "name"));
  if (name.empty()) return;
  child(metadata_of(object), "labels").set("kubernetes.io/metadata.name", name);
}

// Without it a namespace would be gone at once, and what is in it would stay.
void add_kubernetes_finalizer(json::Object& spec) {
  json::Value& finalizers = spec["finalizers"];
  if (!finalizers.is_array()) finalizers = json::Array{};
  json::Array& names = *finalizers.if_array();
  const json::Value own = "kubernetes";
  if (std::ranges::find(names, own) == names.end()) names.push_back(own);
}

}  // namespace

void apply_defaults(const Resource& resource, json::Value& object) {
  if (resource.is_custom() || !object.is_object()) return;
  json::Object& content = *object.if_object();
  const std::string& kind = resource.gvk.kind;
  if (is_workload(resource)) {
    default_workload(kind, child(content, "spec"));
    return;
  }
  if (resource.gvk.group == "batch" && kind == "CronJob") {
    json::Object& spec = child(content, "spec");
    set_default(spec, "concurrencyPolicy", "Allow");
    set_default(spec, "suspend", false);
    set_default(spec, "successfulJobsHistoryLimit", 3);
    set_default(spec, "failedJobsHistoryLimit", 1);
    default_workload("Job", child(child(spec, "jobTemplate"), "spec"));
    return;
  }
  if (kind == "Event") default_event(content, resource);
  if (!resource.gvk.group.empty()) return;
  if (kind == "Pod") {
    json::Object& spec = child(content, "spec");
    default_pod_spec(spec);
    set_default(spec, "enableServiceLinks", true);
  } else if (kind == "Namespace") {
    label_with_name(object);
  } else if (kind == "Service") {
    default_service(child(content, "spec"));
  } else if (kind == "Secret") {
    default_secret(content);
  } else if (kind == "PersistentVolumeClaim") {
    set_default(child(content, "spec"), "volumeMode", "Filesystem");
  } else if (kind == "PersistentVolume") {
    json::Object& spec = child(content, "spec");
    set_default(spec, "volumeMode", "Filesystem");
    set_default(spec, "persistentVolumeReclaimPolicy", "Retain");
  }
}

bool is_core_kind(const Resource& resource, std::string_view kind) {
  return !resource.is_custom() && resource.gvk.group.empty() && resource.gvk.kind == kind;
}

bool keeps_status(const Resource& resource) {
  return is_core_kind(resource, "Node");
}

void prepare_new(const Resource& resource, json::Value& object) {
  if (resource.is_custom() || !resource.gvk.group.empty()) return;
  json::Object& content = *object.if_object();
  const std::string& kind = resource.gvk.kind;
  if (kind == "Pod") {
    json::Object& spec = child(content, "spec");
    content.set("status", json::Object{{"phase", "Pending"}, {"qosClass", qos_class(spec)}});
  } else if (kind == "Namespace") {
    add_kubernetes_finalizer(child(content, "spec"));
    content.set("status", json::Object{{"phase", "Active"}});
    label_with_name(object);
  } else if (kind == "PersistentVolumeClaim" || kind == "PersistentVolume") {
    content.set("status", json::Object{{"phase", "Pending"}});
  } else if (kind == "Service") {
    content.set("status", json::Object{{"loadBalancer", json::Object{}}});
  }
}

void prepare_loaded(const Resource& resource, json::Value& object) {
  const json::Value* status = object.at_path({"status"});
  if (status == nullptr || status->is_null() || *status == json::Value(json::Object{})) {
    prepare_new(resource, object);
    return;
  }
  if (!is_core_kind(resource, "Namespace")) return;
  json::Object& content = *object.if_object();
  add_kubernetes_finalizer(child(content, "spec"));
  set_default(child(content, "status"), "phase", "Active");
}

}  // namespace kube::apiserver
