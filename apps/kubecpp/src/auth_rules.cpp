// SPDX-License-Identifier: Apache-2.0
#include "auth_rules.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kubecpp {
namespace {

namespace json = kube::json;
using Words = std::vector<std::string>;

Words words_at(const json::Value& rule, std::string_view name) {
  Words words;
  if (const json::Value* list = rule.at_path({name}); list != nullptr && list->is_array()) {
    for (const json::Value& each : *list->if_array()) words.emplace_back(each.string_or_empty());
  }
  return words;
}

std::string go_list(const Words& words) {
  std::string text = "[";
  for (const std::string& word : words) text += (text.size() == 1 ? "" : " ") + word;
  return text + "]";
}

// What kubectl sorts by.
std::string order_of(const AccessRule& rule) {
  return "Verbs:" + go_list(rule.verbs) + ",APIGroups:" + go_list(rule.groups) +
         ",Resources:" + go_list(rule.resources) + ",ResourceNames:" + go_list(rule.names) +
         ",NonResourceURLs:" + go_list(rule.urls) + ",";
}

using RulesByResource = std::map<std::tuple<std::string, std::string, Words>, AccessRule>;

void add_resource_rule(const json::Value& rule, RulesByResource& rules) {
  std::vector<Words> names;
  for (const std::string& name : words_at(rule, "resourceNames")) names.push_back({name});
  if (names.empty()) names.emplace_back();
  for (const std::string& group : words_at(rule, "apiGroups")) {
    for (const std::string& resource : words_at(rule, "resources")) {
      for (const Words& name : names) {
        AccessRule& known = rules[{group, resource, name}];
        known.groups = {group};
        known.resources = {resource};
        known.names = name;
        for (const std::string& verb : words_at(rule, "verbs")) {
          if (std::ranges::find(known.verbs, verb) == known.verbs.end())
            known.verbs.push_back(verb);
        }
      }
    }
  }
}

}  // namespace

std::vector<AccessRule> compact_rules(const json::Value& status) {
  const auto each = [&](std::string_view name, const auto& add) {
    const json::Value* list = status.at_path({name});
    if (list == nullptr || !list->is_array()) return;
    for (const json::Value& rule : *list->if_array()) add(rule);
  };
  RulesByResource by_resource;
  each("resourceRules", [&](const json::Value& rule) { add_resource_rule(rule, by_resource); });
  std::vector<AccessRule> rules;
  each("nonResourceRules", [&](const json::Value& rule) {
    for (const std::string& url : words_at(rule, "nonResourceURLs")) {
      for (const std::string& verb : words_at(rule, "verbs"))
        rules.push_back({.verbs = {verb}, .urls = {url}});
    }
  });
  for (auto& [key, rule] : by_resource) rules.push_back(std::move(rule));
  std::stable_sort(rules.begin(), rules.end(), [](const AccessRule& a, const AccessRule& b) {
    return order_of(a) < order_of(b);
  });
  return rules;
}

std::string resource_of_rule(const AccessRule& rule) {
  if (rule.resources.empty()) return {};
  const std::string& resource = rule.resources.front();
  if (rule.groups.empty() || rule.groups.front().empty()) return resource;
  const std::size_t slash = std::min(resource.find('/'), resource.size());
  return resource.substr(0, slash) + "." + rule.groups.front() + resource.substr(slash);
}

}  // namespace kubecpp
