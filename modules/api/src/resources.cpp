// SPDX-License-Identifier: Apache-2.0
#include <kube/api/resources.hpp>

#include <algorithm>

namespace kube::api {
namespace {

template <class Matches>
const ResourceFacts* find(Matches matches) {
  const auto all = all_resources();
  const auto found = std::ranges::find_if(all, matches);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const ResourceFacts* find_resource(std::string_view group, std::string_view version,
                                   std::string_view plural) {
  return find([&](const ResourceFacts& each) {
    return each.plural == plural && each.group == group && each.version == version;
  });
}

const ResourceFacts* find_resource_of_kind(std::string_view group, std::string_view version,
                                           std::string_view kind) {
  return find([&](const ResourceFacts& each) {
    return each.kind == kind && each.group == group && each.version == version && each.collection;
  });
}

}  // namespace kube::api
