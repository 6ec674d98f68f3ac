// SPDX-License-Identifier: Apache-2.0
#include "rules.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/json/yaml.hpp>
#include <kube/json/yaml_edit.hpp>
#include <kube/names/validation.hpp>

namespace kube::cacheserver {
namespace {

constexpr std::string_view kAll = "*";

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::any_of(names,
                             [&](const std::string& each) { return each == name || each == kAll; });
}

bool is_all(const std::vector<std::string>& names) {
  return std::ranges::find(names, kAll) != names.end();
}

Error wrong_rule(const std::string& file, int line, const std::string& what) {
  return Error(ErrorCode::InvalidArgument,
               "rules file \"" + file + "\": line " + std::to_string(line) + ": " + what);
}

}  // namespace

/// Reads the list, up to the first mistake.
class Rules::Reading {
 public:
  Reading(std::string_view text, const std::string& file)
      : file_(file), lines_(yaml::field_lines(text)) {}

  Result<std::vector<Rule>> read(const json::Value& document) {
    const json::Array* list = document.if_array();
    if (list == nullptr) return wrong("", "expected a list of rules");
    std::vector<Rule> out;
    for (std::size_t i = 0; i < list->size(); ++i) {
      auto rule = read_rule((*list)[i], "[" + std::to_string(i) + "]");
      if (!rule) return rule.error();
      out.push_back(*std::move(rule));
    }
    return out;
  }

 private:
  Error wrong(std::string_view path, const std::string& what) const {
    return wrong_rule(file_, yaml::line_of(lines_, path), what);
  }

  Result<Rule> read_rule(const json::Value& value, const std::string& path) {
    const json::Object* fields = value.if_object();
    if (fields == nullptr) {
      return wrong(path, "expected a rule with users or groups, resources and namespaces");
    }
    Rule out;
    const std::pair<std::string_view, Names*> known[] = {{"users", &out.users},
                                                         {"groups", &out.groups},
                                                         {"resources", &out.resources},
                                                         {"namespaces", &out.namespaces}};
    for (const auto& [field, names] : *fields) {
      const auto found = std::ranges::find(known, std::string_view(field),
                                           &std::pair<std::string_view, Names*>::first);
      const std::string at = path + "." + std::string(field);
      if (found == std::end(known)) {
        return wrong(at, "unknown field \"" + std::string(field) +
                             "\"; expected users, groups, resources or namespaces");
      }
      if (auto read = read_names(names, at, *found->second); !read) return read.error();
      if (found->second == &out.resources) {
        for (std::size_t i = 0; i < out.resources.size(); ++i) {
          out.resource_lines.push_back(yaml::line_of(lines_, element(at, i)));
        }
      }
    }
    if (out.users.empty() && out.groups.empty()) {
      return wrong(path, "missing field: expected users or groups of the token file");
    }
    if (out.resources.empty()) {
      return wrong(path,
                   "missing field \"resources\": expected names such as pods, deployments.apps or "
                   "\"*\"");
    }
    if (out.namespaces.empty()) {
      return wrong(path, "missing field \"namespaces\": expected names, or \"*\" for all");
    }
    for (std::size_t i = 0; i < out.namespaces.size(); ++i) {
      const std::string& name = out.namespaces[i];
      const auto problems = meta::validate_dns1123_label(name);
      if (name == kAll || problems.empty()) continue;
      return wrong(element(path + ".namespaces", i), "namespace \"" + name + "\": " + problems[0]);
    }
    return out;
  }

  Result<void> read_names(const json::Value& value, const std::string& path, Names& out) {
    const json::Array* list = value.if_array();
    if (list == nullptr || list->empty()) return wrong(path, "expected a list of names");
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string* name = (*list)[i].if_string();
      if (name == nullptr || name->empty()) {
        return wrong(element(path, i), "expected a name, in quotes if it looks like another value");
      }
      out.push_back(*name);
    }
    return {};
  }

  static std::string element(const std::string& path, std::size_t index) {
    return path + "[" + std::to_string(index) + "]";
  }

  const std::string& file_;
  const yaml::FieldLines lines_;
};

Result<Rules> Rules::parse(std::string_view text, const std::string& file) {
  const auto documents = yaml::parse_all(text, {.reject_duplicate_keys = true});
  if (!documents) {
    return Error(ErrorCode::InvalidArgument,
                 "rules file \"" + file + "\": " + documents.error().message());
  }
  if (documents->size() != 1) {
    return Error(ErrorCode::InvalidArgument, "rules file \"" + file +
                                                 "\": expected one list of rules, found " +
                                                 std::to_string(documents->size()));
  }
  auto rules = Reading(text, file).read(documents->front());
  if (!rules) return rules.error();
  Rules out;
  out.file_ = file;
  out.rules_ = *std::move(rules);
  return out;
}

Result<void> Rules::check_resources(const std::vector<meta::GroupResource>& served) const {
  std::set<std::string> known;
  for (const meta::GroupResource& each : served) known.insert(each.to_string());
  for (const Rule& rule : rules_) {
    for (std::size_t i = 0; i < rule.resources.size(); ++i) {
      const std::string& name = rule.resources[i];
      if (name == kAll || known.contains(name)) continue;
      return wrong_rule(
          file_, rule.resource_lines[i],
          "resource \"" + name + "\" is not served; expected \"*\" or one of " + join(known, ", "));
    }
  }
  return {};
}

bool Rules::Rule::is_for(const Caller& caller) const {
  return has(users, caller.user) || is_all(groups) ||
         std::ranges::any_of(caller.groups,
                             [&](const std::string& group) { return has(groups, group); });
}

bool Rules::allow(const Caller& caller, const meta::GroupResource& resource,
                  std::string_view namespace_) const {
  const std::string name = resource.to_string();
  return std::ranges::any_of(rules_, [&](const Rule& rule) {
    return has(rule.resources, name) &&
           (namespace_.empty() ? is_all(rule.namespaces) : has(rule.namespaces, namespace_)) &&
           rule.is_for(caller);
  });
}

bool Rules::allow_all(const Caller& caller) const {
  return std::ranges::any_of(rules_, [&](const Rule& rule) {
    return is_all(rule.resources) && is_all(rule.namespaces) && rule.is_for(caller);
  });
}

std::vector<std::string> Rules::namespaces_of(const Caller& caller,
                                              const meta::GroupResource& resource) const {
  const std::string name = resource.to_string();
  std::set<std::string> out;
  for (const Rule& rule : rules_) {
    if (!has(rule.resources, name) || !rule.is_for(caller)) continue;
    if (is_all(rule.namespaces)) return {""};
    out.insert(rule.namespaces.begin(), rule.namespaces.end());
  }
  return {out.begin(), out.end()};
}

}  // namespace kube::cacheserver
