// SPDX-License-Identifier: Apache-2.0
#include "resources/builtin_resources.hpp"

#include <deque>
#include <vector>

namespace kube::apiserver {
namespace {

VerbSet set_of(api::Names verbs) {
  VerbSet set = 0;
  for (const std::string_view verb : verbs) set |= verb_bit(verb);
  return set;
}

struct Tables {
  std::deque<std::vector<BuiltinSubresource>> subresources;
  std::vector<BuiltinResource> resources;
  std::vector<BuiltinGroup> groups;
};

Tables make_tables() {
  Tables tables;
  for (const api::ResourceFacts& facts : api::all_resources()) {
    if (!facts.served) continue;
    auto& subresources = tables.subresources.emplace_back();
    for (const api::SubresourceFacts& sub : facts.subresources)
      subresources.push_back({sub.name, sub.group, sub.version, sub.kind, set_of(sub.verbs)});
    tables.resources.push_back({facts.group, facts.version, facts.kind, facts.list_kind,
                                facts.plural, facts.singular, facts.namespaced, set_of(facts.verbs),
                                facts.short_names, facts.categories, facts.field_selectors,
                                facts.field_aliases, subresources});
  }
  for (const api::GroupFacts& facts : api::all_groups()) {
    if (!facts.served.empty()) tables.groups.push_back({facts.name, facts.served});
  }
  return tables;
}

const Tables& tables() {
  static const Tables made = make_tables();
  return made;
}

}  // namespace

std::span<const BuiltinResource> builtin_resources() {
  return tables().resources;
}
std::span<const BuiltinGroup> builtin_groups() {
  return tables().groups;
}

}  // namespace kube::apiserver
