// SPDX-License-Identifier: Apache-2.0
#include <kube/client/composed_rest_mapper.hpp>

#include <algorithm>
#include <iterator>

#include <kube/base/ascii.hpp>

#include "no_match.hpp"

namespace kube {
namespace {

bool is_any(const std::string& part, const std::string& pattern) {
  return pattern == PriorityRestMapper::kAny || part == pattern;
}

bool fits(const meta::ResourceInfo& info, const meta::GroupVersionResource& pattern) {
  return is_any(info.group, pattern.group) && is_any(info.version, pattern.version) &&
         is_any(info.plural, pattern.resource);
}

std::string name_of_argument(const meta::GroupVersionResource& name) {
  return "\"" + name.group_resource().to_string() + "\"";
}

}  // namespace

ResourceFinder finder_of(std::shared_ptr<const RestMapper> mapper) {
  return [mapper = std::move(mapper)](const meta::GroupVersionResource& name) {
    const std::string wanted = ascii::to_lower(name.resource);
    FoundResources exact;
    FoundResources by_prefix;
    for (const meta::ResourceInfo& info : mapper->resources()) {
      if (!name.version.empty() && info.version != name.version) continue;
      if (wanted != ascii::to_lower(info.plural) && wanted != ascii::to_lower(info.singular)) {
        continue;
      }
      if (name.group.empty() || info.group == name.group) {
        exact.candidates.push_back(info);
      } else if (info.group.starts_with(name.group)) {
        by_prefix.candidates.push_back(info);
      }
    }
    FoundResources found = exact.candidates.empty() ? by_prefix : exact;
    if (found.candidates.empty()) {
      found.error = no_match("no matches for resource " + name_of_argument(name));
    }
    return found;
  };
}

ResourceFinder union_of(std::vector<ResourceFinder> members) {
  return [members = std::move(members)](const meta::GroupVersionResource& name) {
    FoundResources all;
    Optional<Error> no_match;
    for (const ResourceFinder& member : members) {
      FoundResources found = member(name);
      if (found.error && !is_no_match(*found.error)) {
        return FoundResources{.error = std::move(found.error)};
      }
      if (found.error && !no_match) no_match = std::move(found.error);
      for (meta::ResourceInfo& info : found.candidates) {
        if (std::ranges::find(all.candidates, info) == all.candidates.end()) {
          all.candidates.push_back(std::move(info));
        }
      }
    }
    if (all.candidates.empty()) all.error = std::move(no_match);
    return all;
  };
}

Result<PriorityRestMapper::Chosen> PriorityRestMapper::resource_for(
    const meta::GroupVersionResource& name) const {
  FoundResources found = finder_(name);
  std::vector<meta::ResourceInfo>& left = found.candidates;
  if (left.empty()) {
    return found.error ? *found.error
                       : no_match("no matches for resource " + name_of_argument(name));
  }
  for (const meta::GroupVersionResource& pattern : patterns_) {
    if (left.size() == 1) break;
    std::vector<meta::ResourceInfo> matching;
    std::ranges::copy_if(left, std::back_inserter(matching),
                         [&](const meta::ResourceInfo& info) { return fits(info, pattern); });
    if (!matching.empty()) left = std::move(matching);
  }
  if (left.size() == 1) return Chosen{std::move(left.front()), std::move(found.error)};
  std::string names;
  for (const meta::ResourceInfo& info : left) {
    names += (names.empty() ? "" : ", ") + info.group_resource().to_string();
  }
  return Error(ErrorCode::InvalidArgument,
               name_of_argument(name) + " matches multiple resources " + names);
}

}  // namespace kube
