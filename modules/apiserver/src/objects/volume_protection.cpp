// SPDX-License-Identifier: Apache-2.0
#include "objects/volume_protection.hpp"

#include <algorithm>
#include <vector>

#include "documents/metadata.hpp"

namespace kube::apiserver {
namespace {

json::Value content_of_body(const StoredObject& object) {
  auto content = json::parse("{" + std::string(object.body));
  return content ? *std::move(content) : json::Value(json::Object{});
}

bool has_ended(const json::Value& pod) {
  const std::string_view phase = pod.string_at({"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

// Without reading all of every pod that is written.
bool may_have_ended(const StoredObject& pod) {
  return pod.body.find("\"Succeeded\"") != std::string_view::npos ||
         pod.body.find("\"Failed\"") != std::string_view::npos;
}

bool names_claim(const json::Value& pod, std::string_view claim) {
  return std::ranges::any_of(pod.array_at({"spec", "volumes"}), [&](const json::Value& volume) {
    return volume.string_at({"persistentVolumeClaim", "claimName"}) == claim;
  });
}

}  // namespace

VolumeProtection::VolumeProtection(Store& store, ResourceRegistry& registry, ObjectService& objects,
                                   Executor& executor)
    : objects_(objects),
      pods_(store.collection(builtin::kPods.storage())),
      releases_(executor, [this](const std::string& name) { release(name); }) {
  const auto kind = [&](std::string_view finalizer, const OwnResource& resource) {
    return Kind{finalizer, &store.collection(resource.storage()), registry.table()->find(resource)};
  };
  kinds_ = {kind("kubernetes.io/pvc-protection", builtin::kVolumeClaims),
            kind("kubernetes.io/pv-protection", builtin::kVolumes),
            kind("kubernetes.io/vac-protection", builtin::kVolumeAttributesClasses)};
}

void VolumeProtection::observe(const Committed& committed) {
  const StoredObject& object = *committed.event->object;
  const bool is_gone = committed.event->type == EventType::Deleted;
  if (&committed.collection == &pods_) {
    // A search in the text of a pod costs more than all else here, and most have no claims beside.
    const bool has_claims = kinds_.front().objects->size(object.namespace_) != 0;
    if (has_claims && (is_gone || may_have_ended(object))) look_again(object.namespace_);
    return;
  }
  const auto kind = std::ranges::find(kinds_, &committed.collection, &Kind::objects);
  if (kind == kinds_.end() || is_gone || !object.terminating) return;
  releases_.add(std::string(committed.collection.id()) + " " + object.key());
}

void VolumeProtection::look_again(const std::string& namespace_) {
  const Collection& claims = *kinds_.front().objects;
  for (const ObjectPtr& claim : claims.snapshot({namespace_}).objects) {
    if (claim->terminating) releases_.add(claims.id() + " " + claim->key());
  }
}

bool VolumeProtection::is_used(const Kind& kind, const StoredObject& object) const {
  if (kind.objects == kinds_[1].objects) {
    const json::Value volume = content_of_body(object);
    return volume.string_at({"status", "phase"}) == "Bound";
  }
  if (kind.objects != kinds_[0].objects) return false;
  const auto pods = pods_.snapshot({object.namespace_}).objects;
  return std::ranges::any_of(pods, [&](const ObjectPtr& pod) {
    if (pod->body.find(object.name) == std::string_view::npos) return false;
    const json::Value content = content_of_body(*pod);
    return !has_ended(content) && names_claim(content, object.name);
  });
}

void VolumeProtection::release(const std::string& name) {
  const std::size_t space = name.find(' ');
  for (const Kind& kind : kinds_) {
    if (kind.objects->id() != std::string_view(name).substr(0, space)) continue;
    const ObjectPtr object = kind.objects->get(std::string_view(name).substr(space + 1));
    if (!object || !object->terminating || is_used(kind, *object)) return;
    objects_.update_same(*kind.resource, *object, [&](json::Value& next) {
      std::vector<std::string> finalizers = finalizers_of(next);
      std::erase(finalizers, kind.finalizer);
      set_finalizers(next, finalizers);
    });
  }
}

}  // namespace kube::apiserver
