// SPDX-License-Identifier: Apache-2.0
#include "targets.hpp"

#include <algorithm>
#include <utility>

#include "manifest.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::meta::ResourceInfo;

Error wrong(const std::string& what, const std::string& word) {
  return Error(ErrorCode::InvalidArgument, what + ", found \"" + word + "\"");
}

Result<Target> parse_pair(const std::string& word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string::npos) {
    return wrong(
        "there is no need to specify a resource type as a separate argument when passing "
        "arguments in resource/name form (e.g. pod/web instead of pod pod/web)",
        word);
  }
  if (word.find('/', slash + 1) != std::string::npos) {
    return wrong("arguments in resource/name form may not have more than one slash", word);
  }
  Target target{word.substr(0, slash), word.substr(slash + 1)};
  if (target.resource.empty() || target.name.empty() ||
      target.resource.find(',') != std::string::npos) {
    return wrong("arguments in resource/name form must have a single resource and name", word);
  }
  return target;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

Result<std::vector<Target>> parse_targets(const std::vector<std::string>& words) {
  std::vector<Target> targets;
  const auto has_slash = [](const std::string& word) {
    return word.find('/') != std::string::npos;
  };
  if (std::ranges::any_of(words, has_slash)) {
    for (const std::string& word : words) {
      auto target = parse_pair(word);
      if (!target) return target.error();
      targets.push_back(*std::move(target));
    }
    return targets;
  }
  if (words.empty()) return targets;
  for (const std::string& resource : split(words.front())) {
    if (words.size() == 1) targets.push_back({resource, ""});
    for (std::size_t i = 1; i < words.size(); ++i) targets.push_back({resource, words[i]});
  }
  return targets;
}

bool all_named(const std::vector<Target>& targets) {
  return std::ranges::none_of(targets, [](const Target& each) { return each.name.empty(); });
}

Result<std::vector<ResolvedTarget>> resolve(const Cluster& cluster,
                                            const std::vector<Target>& targets) {
  std::vector<ResolvedTarget> resolved;
  const auto add_all_of = [&](const ResourceInfo& resource) {
    const bool known =
        std::ranges::find(resolved, resource, &ResolvedTarget::resource) != resolved.end();
    if (!known) resolved.push_back({.resource = resource, .name = ""});
  };
  for (const Target& target : targets) {
    const auto resource = cluster.resolve(target.resource);
    if (resource && !target.name.empty()) {
      resolved.push_back({.resource = *resource, .name = target.name});
    } else if (resource) {
      add_all_of(*resource);
    } else {
      const auto members =
          target.name.empty() ? cluster.in_category(target.resource) : std::vector<ResourceInfo>();
      if (members.empty()) return resource.error();
      std::ranges::for_each(members, add_all_of);
    }
  }
  return resolved;
}

Result<std::vector<ResolvedTarget>> targets_of_files(const std::vector<std::string>& files,
                                                     bool recursive, const Cluster& cluster,
                                                     const std::stop_token& stop) {
  const auto manifests = read_manifests(files, stop, recursive);
  if (!manifests) return manifests.error();
  std::vector<ResolvedTarget> targets;
  for (const Manifest& manifest : *manifests) {
    const auto resource = cluster.resource_of(manifest.object.gvk());
    if (!resource) return resource.error();
    auto namespace_ = cluster.namespace_of(*resource, manifest.object.namespace_());
    if (!namespace_) return namespace_.error();
    targets.push_back({*resource, std::string(manifest.object.name()), *std::move(namespace_)});
  }
  return targets;
}

}  // namespace kubecpp
