// SPDX-License-Identifier: Apache-2.0
#include "resources/resource_table.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include <kube/api/resources.hpp>
#include <kube/api/types.hpp>
#include <kube/json/base64.hpp>

#include "documents/digest.hpp"
#include "documents/metadata.hpp"
#include "resources/table_columns.hpp"

namespace kube::serving {
namespace {

std::string key_of(std::string_view group, std::string_view version, std::string_view name) {
  std::string key;
  key.reserve(group.size() + version.size() + name.size() + 2);
  key.append(group).append("/").append(version).append("/").append(name);
  return key;
}

/// Returns the facts of the version in which the objects of this resource are stored.
const api::ResourceFacts& storage_of(const api::ResourceFacts& resource) {
  const std::string_view group =
      find_kind(resource.group, resource.plural).stored_group.value_or(resource.group);
  for (const api::GroupFacts& candidate : api::all_groups()) {
    if (candidate.name != group) continue;
    for (const std::string_view version : candidate.served) {
      const api::ResourceFacts* stored = api::find_resource(group, version, resource.plural);
      if (stored != nullptr && stored->served) return *stored;
    }
  }
  return resource;
}

VerbSet set_of(api::Names verbs) {
  VerbSet set = 0;
  for (const std::string_view verb : verbs) set |= verb_bit(verb);
  return set;
}

// Subresources that need a kubelet are not served.
bool is_served_subresource(std::string_view name) {
  constexpr std::string_view kNeedsKubelet[] = {"attach", "exec", "log", "portforward", "proxy"};
  return std::ranges::find(kNeedsKubelet, name) == std::end(kNeedsKubelet);
}

StoredField stored_field(const KindRules& kind, std::string_view label) {
  const auto rule = std::ranges::find(kind.fields, label, &FieldRule::label);
  if (rule == kind.fields.end()) return {field_path(label), ""};
  return {field_path(rule->path), std::string(rule->absent)};
}

const Conversion* find_conversion(const Resource& resource) {
  if (resource.gvk == resource.stored_gvk) return nullptr;
  const auto found =
      std::ranges::find(resource.kind->conversions, resource.gvk.version, &Conversion::version);
  return found == resource.kind->conversions.end() ? nullptr : &*found;
}

bool is_metadata_field(std::string_view label) {
  return label == "metadata.name" || label == "metadata.namespace";
}

void add_fields(Resource& out, const api::ResourceFacts& in, const api::ResourceFacts& stored) {
  std::vector<std::string_view> stored_labels;
  for (const std::string_view label : stored.field_selectors) {
    if (is_metadata_field(label)) continue;
    stored_labels.push_back(label);
    out.stored_fields.push_back(stored_field(find_kind(stored.group, stored.plural), label));
  }
  const auto add = [&](std::string_view label, std::string_view field) {
    const bool renamed = out.conversion != nullptr && out.conversion->stored_field != nullptr;
    const std::string meant = renamed ? out.conversion->stored_field(field) : std::string(field);
    const auto at = std::ranges::find(stored_labels, std::string_view(meant));
    if (at == stored_labels.end()) return;
    out.fields.push_back(
        {std::string(label), static_cast<std::size_t>(at - stored_labels.begin())});
  };
  for (const std::string_view label : in.field_selectors) add(label, label);
  for (const api::FieldAlias& alias : in.field_aliases) add(alias.label, alias.field);
}

std::shared_ptr<const Resource> make_builtin(const api::ResourceFacts& in) {
  Resource out;
  out.gvk = {std::string(in.group), std::string(in.version), std::string(in.kind)};
  out.type = api::find_type(out.gvk);
  out.list_type = api::find_type({out.gvk.group, out.gvk.version, std::string(in.list_kind)});
  out.list_kind = in.list_kind;
  out.plural = in.plural;
  out.singular = in.singular;
  out.namespaced = in.namespaced;
  out.verbs = set_of(in.verbs);
  out.short_names.assign(in.short_names.begin(), in.short_names.end());
  out.categories.assign(in.categories.begin(), in.categories.end());
  for (const api::SubresourceFacts& sub : in.subresources) {
    if (!is_served_subresource(sub.name)) continue;
    out.subresources.push_back(
        {std::string(sub.name),
         {std::string(sub.group), std::string(sub.version), std::string(sub.kind)},
         set_of(sub.verbs)});
  }
  out.kind = &find_kind(in.group, in.plural);
  out.deprecation_warning = out.kind->deprecation_warning;
  out.has_generation = out.kind->generation != Generation::Never &&
                       (out.kind->generation != Generation::WithStatus || out.has_status());
  if (out.kind->scalable) {
    out.scale = ScalePaths{{"spec", "replicas"}, {"status", "replicas"}, {"spec", "selector"}};
  }
  const api::ResourceFacts& stored = storage_of(in);
  out.storage = std::string(stored.group) + "/" + std::string(stored.plural);
  out.stored_gvk = {std::string(stored.group), std::string(stored.version),
                    std::string(stored.kind)};
  out.conversion = find_conversion(out);
  const KindRules& stored_kind = find_kind(stored.group, stored.plural);
  out.columns = TableColumns::of_builtin(
      stored_kind, stored_kind.plain_table ? std::span<const api::PrinterColumn>{} : stored.columns,
      api::find_type(out.stored_gvk));
  add_fields(out, in, stored);
  if (contains(out.verbs, Verb::List))
    out.storage_version_hash = storage_version_hash(out.stored_gvk);
  return std::make_shared<const Resource>(std::move(out));
}

std::vector<ServedGroup> make_builtin_groups() {
  std::vector<ServedGroup> groups;
  for (const api::GroupFacts& in : api::all_groups()) {
    ServedGroup group{std::string(in.name), {}};
    for (const std::string_view version : in.served) {
      ServedVersion served{std::string(version), {}};
      for (const api::ResourceFacts& resource : api::all_resources()) {
        if (resource.served && resource.group == in.name && resource.version == version) {
          served.resources.push_back(make_builtin(resource));
        }
      }
      if (!served.resources.empty()) group.versions.push_back(std::move(served));
    }
    if (!group.versions.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

/// Returns stability (2 stable, 1 beta, 0 alpha), major, minor; empty for other texts.
std::optional<std::tuple<int, int, int>> parse_version(std::string_view text) {
  if (text.size() < 2 || text[0] != 'v') return std::nullopt;
  int major = 0;
  int minor = 0;
  const char* const end = text.data() + text.size();
  auto read = std::from_chars(text.data() + 1, end, major);
  if (read.ec != std::errc{} || major <= 0) return std::nullopt;
  if (read.ptr == end) return std::tuple{2, major, 0};
  const std::string_view rest(read.ptr, static_cast<std::size_t>(end - read.ptr));
  const bool beta = rest.starts_with("beta");
  if (!beta && !rest.starts_with("alpha")) return std::nullopt;
  read = std::from_chars(read.ptr + (beta ? 4 : 5), end, minor);
  if (read.ec != std::errc{} || read.ptr != end || minor <= 0) return std::nullopt;
  return std::tuple{beta ? 1 : 0, major, minor};
}

}  // namespace

const Subresource* Resource::find_subresource(std::string_view name) const {
  const auto at = std::ranges::find(subresources, name, &Subresource::name);
  return at == subresources.end() ? nullptr : &*at;
}

ResourceTable::ResourceTable(std::vector<ServedGroup> groups) : groups_(std::move(groups)) {
  for (const ServedGroup& group : groups_) {
    for (const ServedVersion& version : group.versions) {
      for (const auto& resource : version.resources) {
        by_name_.emplace(key_of(group.name, version.version, resource->plural), resource);
        by_kind_.emplace(key_of(group.name, version.version, resource->gvk.kind), resource);
        resources_.push_back(resource);
      }
    }
  }
}

std::shared_ptr<const Resource> ResourceTable::find(std::string_view group,
                                                    std::string_view version,
                                                    std::string_view plural) const {
  const auto at = by_name_.find(key_of(group, version, plural));
  return at == by_name_.end() ? nullptr : at->second;
}

Presence ResourceTable::presence_of(const Resource& resource) const {
  const auto now = find(resource.gvk.group, resource.gvk.version, resource.plural);
  if (!now) return Presence::Gone;
  const bool is_same = now->definition_uid == resource.definition_uid &&
                       now->needs_webhook == resource.needs_webhook;
  return is_same ? Presence::Same : Presence::Another;
}

std::shared_ptr<const Resource> ResourceTable::find_kind(const meta::GroupVersionKind& gvk) const {
  const auto at = by_kind_.find(key_of(gvk.group, gvk.version, gvk.kind));
  return at == by_kind_.end() ? nullptr : at->second;
}

const ServedGroup* ResourceTable::find_group(std::string_view name) const {
  const auto at = std::ranges::find(groups_, name, &ServedGroup::name);
  return at == groups_.end() ? nullptr : &*at;
}

const ServedVersion* ResourceTable::find_version(std::string_view group,
                                                 std::string_view version) const {
  const ServedGroup* found = find_group(group);
  if (found == nullptr) return nullptr;
  const auto at = std::ranges::find(found->versions, version, &ServedVersion::version);
  return at == found->versions.end() ? nullptr : &*at;
}

namespace {

// Made once: it takes longer than all else that a server needs to begin.
const std::shared_ptr<const ResourceTable>& builtin_table() {
  static const auto table = std::make_shared<const ResourceTable>(make_builtin_groups());
  return table;
}

}  // namespace

ResourceRegistry::ResourceRegistry() : builtin_(builtin_table()), table_(builtin_) {}

ResourceRegistry::ResourceRegistry(std::vector<ServedGroup> groups)
    : builtin_(std::make_shared<const ResourceTable>(std::move(groups))), table_(builtin_) {}

void ResourceRegistry::add(const std::shared_ptr<const Resource>& resource) {
  const MutexLock lock(mutex_);
  const std::string& group = resource->gvk.group;
  const std::string& name = resource->gvk.version;
  if (table_->find(group, name, resource->plural)) return;
  std::vector<ServedGroup> groups = table_->groups();
  auto at = std::ranges::find(groups, group, &ServedGroup::name);
  if (at == groups.end()) {
    at = std::ranges::upper_bound(groups, group, {}, &ServedGroup::name);
    at = groups.insert(at, ServedGroup{group, {}});
  }
  auto version = std::ranges::find(at->versions, name, &ServedVersion::version);
  if (version == at->versions.end()) {
    at->versions.push_back({name, {}});
    std::ranges::sort(at->versions, version_before, &ServedVersion::version);
    version = std::ranges::find(at->versions, name, &ServedVersion::version);
  }
  version->resources.push_back(resource);
  std::ranges::sort(version->resources, {}, [](const auto& each) { return each->plural; });
  table_ = std::make_shared<const ResourceTable>(std::move(groups));
}

std::shared_ptr<const ResourceTable> ResourceRegistry::table() const {
  const MutexLock lock(mutex_);
  return table_;
}

void ResourceRegistry::set_custom(std::vector<ServedGroup> groups) {
  std::vector<ServedGroup> all = builtin_->groups();
  for (ServedGroup& group : groups) {
    // The added groups differ from each other, so only the built-in ones are searched.
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(builtin_->groups().size());
    const auto known = std::ranges::find(all.begin(), end, group.name, &ServedGroup::name);
    if (known == end) {
      all.push_back(std::move(group));
      continue;
    }
    for (ServedVersion& version : group.versions) {
      const auto same =
          std::ranges::find(known->versions, version.version, &ServedVersion::version);
      if (same == known->versions.end()) {
        known->versions.push_back(std::move(version));
      } else {
        for (auto& resource : version.resources) same->resources.push_back(std::move(resource));
      }
    }
  }
  auto table = std::make_shared<const ResourceTable>(std::move(all));
  const MutexLock lock(mutex_);
  table_ = std::move(table);
}

bool version_before(std::string_view a, std::string_view b) {
  const auto left = parse_version(a);
  const auto right = parse_version(b);
  if (left && right) return *left > *right;
  if (left.has_value() != right.has_value()) return left.has_value();
  return a < b;
}

std::string storage_version_hash(const meta::GroupVersionKind& gvk) {
  const auto digest = sha256(key_of(gvk.group, gvk.version, gvk.kind));
  std::string out;
  json::write_base64({reinterpret_cast<const char*>(digest.data()), 8}, out);
  return out;
}

}  // namespace kube::serving
