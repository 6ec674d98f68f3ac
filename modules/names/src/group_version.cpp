// SPDX-License-Identifier: Apache-2.0
#include <kube/names/group_version.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <kube/names/go_text.hpp>

namespace kube::meta {

namespace {

std::string dotted(const std::string& name, const std::string& group) {
  return group.empty() ? name : name + '.' + group;
}

struct Split {
  std::string_view before;
  std::string_view after;  ///< Empty without a dot.
};

Split split_at_first_dot(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return {text, {}};
  return {text.substr(0, dot), text.substr(dot + 1)};
}

/// Splits "name.version.group"; nullopt with fewer than two dots.
std::optional<std::array<std::string, 3>> split_argument(std::string_view text) {
  if (std::count(text.begin(), text.end(), '.') < 2) return std::nullopt;
  const Split outer = split_at_first_dot(text);
  const Split inner = split_at_first_dot(outer.after);
  return std::array{std::string(outer.before), std::string(inner.before), std::string(inner.after)};
}

struct KubeVersion {
  int stability = 0;  ///< 3 GA, 2 beta, 1 alpha.
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  auto operator<=>(const KubeVersion&) const = default;
};

/// Takes a decimal from the beginning; nullopt when it is missing or does not fit.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Reads v1, v1beta2, v1alpha3.
std::optional<KubeVersion> parse_version(std::string_view text) {
  if (!text.starts_with('v')) return std::nullopt;
  text.remove_prefix(1);
  KubeVersion version;
  const std::optional<std::uint64_t> major = take_number(text);
  if (!major) return std::nullopt;
  version.major = *major;
  if (text.empty()) {
    version.stability = 3;
    return version;
  }
  if (text.starts_with("beta")) {
    version.stability = 2;
    text.remove_prefix(4);
  } else if (text.starts_with("alpha")) {
    version.stability = 1;
    text.remove_prefix(5);
  } else {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> minor = take_number(text);
  if (!minor || !text.empty()) return std::nullopt;
  version.minor = *minor;
  return version;
}

std::optional<GroupVersionKind> kind_for(const GroupVersion& wanted,
                                         std::span<const GroupVersionKind> kinds) {
  for (const GroupVersionKind& kind : kinds) {
    if (kind.group_version() == wanted) return kind;
  }
  for (const GroupVersionKind& kind : kinds) {
    if (kind.group == wanted.group) {
      return GroupVersionKind{wanted.group, wanted.version, kind.kind};
    }
  }
  return std::nullopt;
}

std::size_t hash_of(std::string_view a, std::string_view b, std::string_view c) noexcept {
  std::size_t seed = 0;
  for (const std::string_view part : {a, b, c}) {
    seed ^= std::hash<std::string_view>{}(part) + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
  }
  return seed;
}

}  // namespace

std::string GroupVersion::to_string() const {
  return group.empty() ? version : group + '/' + version;
}
std::string GroupKind::to_string() const {
  return dotted(kind, group);
}
std::string GroupResource::to_string() const {
  return dotted(resource, group);
}
std::string GroupVersionKind::to_string() const {
  return group + '/' + version + ", Kind=" + kind;
}
std::string GroupVersionResource::to_string() const {
  return group + '/' + version + ", Resource=" + resource;
}

Result<GroupVersion> parse_group_version(std::string_view text) {
  if (text.empty() || text == "/") return GroupVersion{};
  const std::vector<std::string_view> parts = go::split(text, '/');
  switch (parts.size()) {
    case 1:
      return GroupVersion{"", std::string(parts[0])};
    case 2:
      return GroupVersion{std::string(parts[0]), std::string(parts[1])};
    default:
      break;
  }
  return Error(ErrorCode::InvalidArgument, "unexpected GroupVersion string: " + std::string(text));
}

GroupKind parse_group_kind(std::string_view text) {
  const Split split = split_at_first_dot(text);
  return {std::string(split.after), std::string(split.before)};
}

GroupResource parse_group_resource(std::string_view text) {
  const Split split = split_at_first_dot(text);
  return {std::string(split.after), std::string(split.before)};
}

GroupVersionKind from_api_version_and_kind(std::string_view api_version, std::string_view kind) {
  const Result<GroupVersion> parsed = parse_group_version(api_version);
  if (!parsed) return {"", "", std::string(kind)};
  return {parsed->group, parsed->version, std::string(kind)};
}

ResourceArgument parse_resource_argument(std::string_view text) {
  ResourceArgument argument;
  argument.group_resource = parse_group_resource(text);
  if (auto parts = split_argument(text)) {
    auto& [name, version, group] = *parts;
    argument.resource = GroupVersionResource{std::move(group), std::move(version), std::move(name)};
  }
  return argument;
}

KindArgument parse_kind_argument(std::string_view text) {
  KindArgument argument;
  argument.group_kind = parse_group_kind(text);
  if (auto parts = split_argument(text)) {
    auto& [name, version, group] = *parts;
    argument.kind = GroupVersionKind{std::move(group), std::move(version), std::move(name)};
  }
  return argument;
}

std::optional<GroupVersionKind> best_kind(std::span<const GroupVersion> wanted,
                                          std::span<const GroupVersionKind> kinds) {
  std::vector<GroupVersionKind> targets;
  for (const GroupVersion& group_version : wanted) {
    if (auto kind = kind_for(group_version, kinds)) targets.push_back(std::move(*kind));
  }
  for (const GroupVersionKind& target : targets) {
    if (std::find(kinds.begin(), kinds.end(), target) != kinds.end()) return target;
  }
  if (targets.empty()) return std::nullopt;
  return targets.front();
}

std::weak_ordering compare_versions(std::string_view a, std::string_view b) {
  if (a == b) return std::weak_ordering::equivalent;
  const std::optional<KubeVersion> left = parse_version(a);
  const std::optional<KubeVersion> right = parse_version(b);
  if (left && right) return *left <=> *right;
  if (left) return std::weak_ordering::greater;
  if (right) return std::weak_ordering::less;
  return b <=> a;
}

}  // namespace kube::meta

std::size_t std::hash<kube::meta::GroupVersionResource>::operator()(
    const kube::meta::GroupVersionResource& r) const noexcept {
  return kube::meta::hash_of(r.group, r.version, r.resource);
}

std::size_t std::hash<kube::meta::GroupVersionKind>::operator()(
    const kube::meta::GroupVersionKind& k) const noexcept {
  return kube::meta::hash_of(k.group, k.version, k.kind);
}
