// SPDX-License-Identifier: Apache-2.0
//
// Finds resources by the names that users type.
#include <kube/client/rest_mapper.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/similar_names.hpp>

#include "no_match.hpp"

namespace kube {
namespace {

// Makes apimachinery's guess when discovery has no singular, without its list of irregular plurals.
std::string known_singular(const ApiResource& resource) {
  return resource.singular_name.empty() ? ascii::to_lower(resource.kind.kind)
                                        : resource.singular_name;
}

// Marks the errors of is_no_match().
struct NoMatch final : ErrorDetail {
  static constexpr char kType{};
  const void* type() const override { return &kType; }
};

}  // namespace

Error no_match(std::string message) {
  return Error(ErrorCode::InvalidArgument, std::move(message))
      .with_detail(std::make_shared<const NoMatch>());
}

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

bool is_no_match(const Error& error) {
  return detail_as<NoMatch>(error) != nullptr;
}

meta::ResourceInfo guess_resource(const meta::GroupVersionKind& kind) {
  meta::ResourceInfo guess{.group = kind.group, .version = kind.version, .kind = kind.kind};
  guess.singular = ascii::to_lower(kind.kind);
  guess.plural = guess.singular;
  if (guess.singular.empty() || guess.singular == "endpoints") return guess;
  if (guess.singular.ends_with('s')) {
    guess.plural += "es";
  } else if (guess.singular.ends_with('y')) {
    guess.plural.replace(guess.plural.size() - 1, 1, "ies");
  } else {
    guess.plural += "s";
  }
  return guess;
}

struct RestMapper::Query {
  std::string name{};
  std::string version{};
  std::string group{};
  bool has_group = false;

  // 2 for the group that was asked for, 1 for one that begins with it, else 0.
  int rank(const meta::ResourceInfo& info) const {
    if (!version.empty() && info.version != version) return 0;
    if (!has_group || info.group == group) return 2;
    return !group.empty() && info.group.starts_with(group) ? 1 : 0;
  }
};

struct RestMapper::Found {
  const meta::ResourceInfo* info = nullptr;  // null without a match
  bool by_short_name = false;
  Query query{};
};

RestMapper::RestMapper(ServerResources resources) {
  const auto add = [&](const meta::GroupVersion& version) {
    for (ApiResourceList& list : resources.resources) {
      if (list.group_version != version) continue;
      for (ApiResource& resource : list.resources) {
        if (resource.name.find('/') != std::string::npos) continue;
        infos_.push_back({.group = version.group,
                          .version = version.version,
                          .kind = resource.kind.kind,
                          .plural = resource.name,
                          .singular = known_singular(resource),
                          .namespaced = resource.namespaced});
        facts_.push_back({.short_names = std::move(resource.short_names),
                          .categories = std::move(resource.categories),
                          .verbs = std::move(resource.verbs)});
      }
    }
  };
  const auto add_group = [&](const ApiGroup& group) {
    if (!group.preferred_version.empty()) add({group.name, group.preferred_version});
    for (const std::string& version : group.versions) {
      if (version != group.preferred_version) add({group.name, version});
    }
  };
  for (const ApiGroup& group : resources.groups) {
    if (group.name.empty()) add_group(group);
  }
  for (const ApiGroup& group : resources.groups) {
    if (!group.name.empty()) add_group(group);
  }
  incomplete_ = resources.failure();
}

Result<RestMapper> RestMapper::create(const RestClient& client, std::stop_token stop) {
  Result<ServerResources> resources =
      DiscoveryClient(client).server_groups_and_resources(std::move(stop));
  if (!resources) return resources.error().with_context("find out what the server serves");
  return RestMapper(*std::move(resources));
}

bool RestMapper::matches(std::size_t index, Match how, std::string_view name) const {
  const meta::ResourceInfo& info = infos_[index];
  switch (how) {
    case Match::Name:
      return name == ascii::to_lower(info.plural) || name == ascii::to_lower(info.singular);
    case Match::ShortName: {
      const std::vector<std::string>& names = facts_[index].short_names;
      return std::find(names.begin(), names.end(), name) != names.end();
    }
    case Match::Kind:
      return name == ascii::to_lower(info.kind);
  }
  return false;
}

// Names have precedence over short names, short names over kinds.
Result<RestMapper::Found> RestMapper::find(const Query& query) const {
  for (const Match how : {Match::Name, Match::ShortName, Match::Kind}) {
    const auto found = [&](const meta::ResourceInfo* info) {
      return Found{.info = info, .by_short_name = how == Match::ShortName, .query = query};
    };
    std::vector<const meta::ResourceInfo*> by_prefix;
    for (std::size_t i = 0; i < infos_.size(); ++i) {
      const int rank = query.rank(infos_[i]);
      if (rank == 0 || !matches(i, how, query.name)) continue;
      if (rank == 2) return found(&infos_[i]);
      by_prefix.push_back(&infos_[i]);
    }
    if (by_prefix.empty()) continue;
    const auto other = std::find_if(by_prefix.begin(), by_prefix.end(), [&](const auto* info) {
      return info->group != by_prefix.front()->group;
    });
    if (other == by_prefix.end()) return found(by_prefix.front());
    return Error(ErrorCode::InvalidArgument, in_quotes(query.name + "." + query.group) +
                                                 " matches multiple resources " +
                                                 by_prefix.front()->group_resource().to_string() +
                                                 ", " + (*other)->group_resource().to_string());
  }
  return Found{};
}

std::vector<std::string> RestMapper::other_short_names(const Query& query,
                                                       const meta::ResourceInfo& chosen) const {
  std::vector<std::string> others;
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (query.rank(infos_[i]) != query.rank(chosen)) continue;
    if (!matches(i, Match::ShortName, query.name)) continue;
    if (infos_[i].group_resource() == chosen.group_resource()) continue;
    std::string name = infos_[i].group_resource().to_string();
    if (std::ranges::find(others, name) == others.end()) others.push_back(std::move(name));
  }
  return others;
}

Result<RestMapper::Found> RestMapper::find_argument(std::string_view text) const {
  const std::string wanted = ascii::to_lower(text);
  const auto [full, plain] = meta::parse_resource_argument(wanted);
  const bool has_group = wanted.find('.') != std::string::npos;
  if (plain.resource.empty()) {
    return Error(
        ErrorCode::InvalidArgument,
        "expected a resource such as pods, deployments.apps or po, got " + in_quotes(text));
  }
  if (full && !full->version.empty()) {
    Result<Found> found = find({.name = full->resource,
                                .version = full->version,
                                .group = full->group,
                                .has_group = true});
    if (!found || found->info != nullptr) return found;
  }
  Result<Found> found =
      find({.name = plain.resource, .group = plain.group, .has_group = has_group});
  if (!found || found->info != nullptr) return found;
  return unknown(text, plain.resource);
}

Result<meta::ResourceInfo> RestMapper::resolve(std::string_view text) const {
  return resolve(text, nullptr);
}

Result<meta::ResourceInfo> RestMapper::resolve(std::string_view text, const Warn& warn) const {
  const Result<Found> found = find_argument(text);
  if (!found) return found.error();
  if (warn && found->by_short_name) {
    for (const std::string& other : other_short_names(found->query, *found->info)) {
      warn("short name " + in_quotes(found->query.name) +
           " could also match lower priority resource " + other);
    }
  }
  return *found->info;
}

Error RestMapper::unknown(std::string_view text, std::string_view name) const {
  if (incomplete_ && infos_.empty()) return *incomplete_;  // no resource is known
  SimilarNames similar(name);
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    const meta::ResourceInfo& info = infos_[i];
    std::size_t best = std::min(similar.mistakes(info.plural), similar.mistakes(info.singular));
    for (const std::string& short_name : facts_[i].short_names) {
      if (name.size() > 2) best = std::min(best, similar.mistakes(short_name) + 1);
    }
    similar.add(best, info.group_resource().to_string());
  }
  std::string message = "the server doesn't have a resource type " + in_quotes(text);
  message.append(similar.hint());
  if (incomplete_) message.append(" (").append(incomplete_->message()).append(")");
  return no_match(std::move(message));
}

std::vector<meta::ResourceInfo> RestMapper::in_category(std::string_view category) const {
  std::vector<meta::ResourceInfo> found;
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (std::ranges::find(facts_[i].categories, category) == facts_[i].categories.end()) continue;
    const bool known = std::ranges::any_of(found, [&](const meta::ResourceInfo& each) {
      return each.group_resource() == infos_[i].group_resource();
    });
    if (!known) found.push_back(infos_[i]);
  }
  return found;
}

bool RestMapper::has_verb(const meta::ResourceInfo& resource, std::string_view verb) const {
  const auto at = std::ranges::find(infos_, resource);
  if (at == infos_.end()) return false;
  const auto& verbs = facts_[static_cast<std::size_t>(at - infos_.begin())].verbs;
  return verbs.empty() || std::ranges::find(verbs, verb) != verbs.end();
}

Result<meta::ResourceInfo> RestMapper::mapping(const meta::GroupKind& kind,
                                               std::string_view version) const {
  for (const meta::ResourceInfo& info : infos_) {
    if (info.kind == kind.kind && info.group == kind.group &&
        (version.empty() || info.version == version)) {
      return info;
    }
  }
  if (incomplete_) {
    const auto failed = failed_group_versions(*incomplete_);
    const auto at = std::ranges::find_if(failed, [&](const auto& each) {
      return each.first.group == kind.group && (version.empty() || each.first.version == version);
    });
    if (at != failed.end()) return *ServerResources{.failed = {*at}}.failure();
  }
  std::string message = "no matches for kind " + in_quotes(kind.kind);
  if (!version.empty()) {
    const meta::GroupVersion wanted{.group = kind.group, .version = std::string(version)};
    message.append(" in version ").append(in_quotes(wanted.to_string()));
  } else {
    message.append(" in group ").append(in_quotes(kind.group));
  }
  return no_match(std::move(message));
}

Result<meta::ResourceInfo> RestMapper::mapping(const meta::GroupKind& kind,
                                               std::span<const std::string> versions) const {
  Result<meta::ResourceInfo> first =
      mapping(kind, versions.empty() ? std::string_view() : std::string_view(versions.front()));
  if (first) return first;
  for (const std::string& version : versions) {
    Result<meta::ResourceInfo> found = mapping(kind, version);
    if (found) return found;
  }
  return first;
}

Result<meta::ResourceInfo> RestMapper::resource(const meta::GroupVersion& version,
                                                std::string_view name) const {
  if (auto found = mapping({version.group, std::string(name)}, version.version)) return found;
  const std::string wanted = ascii::to_lower(name);
  for (const Match how : {Match::Name, Match::ShortName, Match::Kind}) {
    for (std::size_t i = 0; i < infos_.size(); ++i) {
      if (infos_[i].group_version() == version && matches(i, how, wanted)) return infos_[i];
    }
  }
  if (incomplete_) {
    const auto failed = failed_group_versions(*incomplete_);
    if (const auto at = failed.find(version); at != failed.end()) {
      return *ServerResources{.failed = {*at}}.failure();
    }
  }
  return no_match("no matches for " + in_quotes(name) + " in version " +
                  in_quotes(version.to_string()));
}

Result<std::string> RestMapper::singular_of(std::string_view plural) const {
  const std::string wanted = ascii::to_lower(plural);
  const auto found = std::ranges::find_if(infos_, [&](const meta::ResourceInfo& info) {
    return ascii::to_lower(info.plural) == wanted || ascii::to_lower(info.singular) == wanted;
  });
  if (found == infos_.end()) return no_match("no matches for resource " + in_quotes(plural));
  return found->singular;
}

}  // namespace kube
