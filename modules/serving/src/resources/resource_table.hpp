// SPDX-License-Identifier: Apache-2.0
//
// The resources that are served: the built-in ones, and those that CustomResourceDefinitions add.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <kube/base/mutex.hpp>

#include "resources/resource.hpp"

namespace kube::serving {

/// A group and its versions, preferred first, each with its resources in order of name.
struct ServedVersion {
  std::string version{};
  std::vector<std::shared_ptr<const Resource>> resources{};
};
struct ServedGroup {
  std::string name{};
  std::vector<ServedVersion> versions{};
};

/// What is served in the place of a resource that was.
enum class Presence : std::uint8_t {
  Same,  ///< The resource, of the same definition.
  /// One of the same name, of a definition that was created later, or one that only a webhook could
  /// convert to.
  Another,
  Gone,
};

/// An immutable set of served resources.
class ResourceTable {
 public:
  explicit ResourceTable(std::vector<ServedGroup> groups);

  /// Null when there is none.
  std::shared_ptr<const Resource> find(std::string_view group, std::string_view version,
                                       std::string_view plural) const;
  /// Null when there is none.
  std::shared_ptr<const Resource> find(const OwnResource& own) const {
    return find(own.group, own.version, own.resource);
  }
  Presence presence_of(const Resource& resource) const;
  std::shared_ptr<const Resource> find_kind(const meta::GroupVersionKind& gvk) const;
  const ServedGroup* find_group(std::string_view name) const;
  const ServedVersion* find_version(std::string_view group, std::string_view version) const;
  /// In the order of discovery; the core group, named "", is first.
  const std::vector<ServedGroup>& groups() const { return groups_; }
  /// The resources of all versions, in the same order.
  const std::vector<std::shared_ptr<const Resource>>& resources() const { return resources_; }

 private:
  std::vector<ServedGroup> groups_;
  std::vector<std::shared_ptr<const Resource>> resources_;
  std::unordered_map<std::string, std::shared_ptr<const Resource>> by_name_;
  std::unordered_map<std::string, std::shared_ptr<const Resource>> by_kind_;
};

/// The current table. Custom resources come and go; callers that work with a table keep it.
///
/// @par Thread safety   All functions may be called from any thread.
class ResourceRegistry {
 public:
  /// Starts with the built-in resources.
  ResourceRegistry();
  /// Starts with these.
  explicit ResourceRegistry(std::vector<ServedGroup> groups);
  std::shared_ptr<const ResourceTable> table() const;
  /// Replaces the groups of custom resources. A group with the name of a built-in one is merged
  /// into it.
  void set_custom(std::vector<ServedGroup> groups);
  /// Adds a resource of its group and version, in the order of discovery. Does nothing for one that
  /// is there.
  void add(const std::shared_ptr<const Resource>& resource);

 private:
  const std::shared_ptr<const ResourceTable> builtin_;
  mutable Mutex mutex_;
  std::shared_ptr<const ResourceTable> table_ KUBE_GUARDED_BY(mutex_);
};

/// Orders versions as discovery does: v2 before v1 before v2beta1 before v1beta1 before v1alpha1.
bool version_before(std::string_view a, std::string_view b);

/// base64 of the first eight bytes of the SHA-256 of "group/version/kind".
std::string storage_version_hash(const meta::GroupVersionKind& gvk);

}  // namespace kube::serving
