// SPDX-License-Identifier: Apache-2.0
#include "served_resources.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/meta/status.hpp>

#include "documents/errors.hpp"
#include "resources/custom_resources.hpp"
#include "resources/table_columns.hpp"

namespace kube::cacheserver {

using serving::Resource;

namespace {

constexpr serving::VerbSet kReads = static_cast<serving::VerbSet>(
    serving::verb_bit(serving::Verb::Get) | serving::verb_bit(serving::Verb::List) |
    serving::verb_bit(serving::Verb::Watch));

constexpr std::string_view kNotSynced = "it has not synced yet";

const serving::ResourceTable& builtin_resources() {
  static const std::shared_ptr<const serving::ResourceTable> table =
      serving::ResourceRegistry().table();
  return *table;
}

Error unavailable(const Served& served, std::string_view why) {
  // Soon it may be: clients ask again after this many seconds.
  return meta::error_from_status(meta::make_status(
      meta::StatusReason::ServiceUnavailable,
      "the cache of " + served.to_string() + " can't be served: " + std::string(why),
      meta::StatusDetails{.retry_after_seconds = 1}));
}

/// The definition of a custom resource of which only the names are known: tables have a name and an
/// age.
json::Value plain_definition(const meta::ResourceInfo& info) {
  const json::Value schema =
      json::Object{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  return json::Object{
      {"metadata", json::Object{{"name", info.group_resource().to_string()}}},
      {"spec",
       json::Object{{"group", info.group},
                    {"scope", info.namespaced ? "Namespaced" : "Cluster"},
                    {"names", json::Object{{"plural", info.plural},
                                           {"singular", info.singular},
                                           {"kind", info.kind},
                                           {"listKind", info.kind + "List"}}},
                    {"versions", json::Array{json::Object{
                                     {"name", info.version},
                                     {"served", true},
                                     {"storage", true},
                                     {"schema", json::Object{{"openAPIV3Schema", schema}}}}}}}}};
}

Resource find_resource(const meta::ResourceInfo& info, const Unstructured* definition) {
  if (const auto found = builtin_resources().find(info.group, info.version, info.plural)) {
    return *found;
  }
  const auto defined = [&](const json::Value& given) -> std::shared_ptr<const Resource> {
    for (const auto& each : serving::read_definition(given, builtin_resources()).versions) {
      if (each->gvk == info.gvk() && each->plural == info.plural) return each;
    }
    return nullptr;
  };
  if (definition != nullptr) {
    if (const auto found = defined(definition->content)) return *found;
  }
  return *defined(plain_definition(info));
}

/// Returns the groups and versions that have other resources than this one.
std::vector<serving::ServedGroup> without(std::vector<serving::ServedGroup> groups,
                                          const Resource& resource) {
  for (serving::ServedGroup& group : groups) {
    for (serving::ServedVersion& version : group.versions) {
      std::erase_if(version.resources,
                    [&](const auto& each) { return each->storage == resource.storage; });
    }
    std::erase_if(group.versions, [](const auto& each) { return each.resources.empty(); });
  }
  std::erase_if(groups, [](const auto& each) { return each.versions.empty(); });
  return groups;
}

}  // namespace

std::string Served::to_string() const {
  const std::string name = resource->group_resource().to_string();
  return namespace_.empty() ? name : name + " in namespace \"" + namespace_ + "\"";
}

std::optional<Duration> Served::age() const {
  return feed->is_missing() ? std::nullopt : informer->age();
}

std::optional<Duration> add_age(const Served& from, serving::HttpResponse& response) {
  const auto age = from.age();
  if (age) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*age).count();
    response.headers.emplace_back("Age", std::to_string(seconds));
  }
  return age;
}

std::shared_ptr<const Resource> served_resource(const meta::ResourceInfo& info,
                                                const Unstructured* definition, bool writable) {
  Resource out = find_resource(info, definition);
  out.gvk = info.gvk();
  out.plural = info.plural;
  out.namespaced = info.namespaced;
  if (!writable) {
    out.verbs = kReads;
    out.subresources.clear();
  }
  // Each version has a cache of its own, in its own form.
  out.conversion = nullptr;
  out.stored_gvk = out.gvk;
  out.storage = out.gvk.version + "/" + out.group_resource().to_string();
  return std::make_shared<const Resource>(std::move(out));
}

Result<void> ServedResources::add(const Served& added) {
  const MutexLock lock(mutex_);
  if (closed_) {
    return Error(ErrorCode::InvalidArgument, added.to_string() + ": the server has stopped");
  }
  std::shared_ptr<const Resource> resource = added.resource;
  for (const Served& each : served_) {
    if (each.resource->storage != added.resource->storage) continue;
    if (each.namespace_ == added.namespace_) {
      return Error(ErrorCode::InvalidArgument, added.to_string() + ": is served already");
    }
    resource = each.resource;
  }
  served_.push_back(added);
  served_.back().resource = resource;
  registry_.add(resource);
  return {};
}

void ServedResources::follow_cluster(const Resource& resource) {
  const MutexLock lock(mutex_);
  const auto there = std::ranges::find_if(served_, [&](const Served& each) {
    return each.resource->storage == resource.storage && !each.feed->is_missing();
  });
  if (there != served_.end()) return registry_.add(there->resource);
  registry_.set_custom(without(registry_.table()->groups(), resource));
}

std::vector<Served> ServedResources::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  return served_;
}

std::vector<Served> ServedResources::all() const {
  const MutexLock lock(mutex_);
  return served_;
}

std::vector<meta::GroupResource> ServedResources::resources() const {
  std::vector<meta::GroupResource> out;
  for (const Served& each : all()) out.push_back(each.resource->group_resource());
  return out;
}

Result<Served> ServedResources::find(const Resource& resource, std::string_view namespace_) const {
  std::vector<std::string> others;
  std::optional<Served> found;
  {
    const MutexLock lock(mutex_);
    for (const Served& each : served_) {
      if (each.resource->storage != resource.storage) continue;
      if (each.namespace_ == namespace_) {
        found = each;
        break;
      }
      if (each.namespace_.empty()) found = each;
      others.push_back(each.namespace_);
    }
  }
  if (!found) {
    return meta::forbidden_error(
        resource.group_resource(), "",
        "this cache has the objects of these namespaces only: " + join(others, ", "));
  }
  if (found->feed->is_missing()) return serving::no_such_resource();
  if (const std::string problem = found->feed->problem(); !problem.empty()) {
    return unavailable(*found, problem);
  }
  return *std::move(found);
}

Result<void> ServedResources::check_synced() const {
  for (const Served& each : all()) {
    if (!each.informer->has_synced()) return unavailable(each, kNotSynced);
  }
  return {};
}

std::optional<Served> ServedResources::oldest() const {
  std::optional<Served> out;
  std::optional<Duration> out_age;
  for (Served& each : all()) {
    const auto age = each.age();
    if (!age || (out_age && *age <= *out_age)) continue;
    out_age = age;
    out = std::move(each);
  }
  return out;
}

Result<serving::Store*> ServedResources::store_of(const Resource& resource,
                                                  std::string_view namespace_) {
  const auto found = find(resource, namespace_);
  if (!found) return found.error();
  return &found->feed->store();
}

}  // namespace kube::cacheserver
