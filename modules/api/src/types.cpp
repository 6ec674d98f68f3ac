// SPDX-License-Identifier: Apache-2.0
#include <kube/api/types.hpp>

#include <algorithm>
#include <tuple>

namespace kube::api {
namespace {

using Name = std::tuple<std::string_view, std::string_view, std::string_view>;

Name name_of(const meta::TypeDescriptor* type) {
  return {type->group, type->version, type->kind};
}

const meta::TypeDescriptor* find(const Name& name) {
  const auto types = all_types();
  const auto found = std::ranges::lower_bound(types, name, {}, name_of);
  return found == types.end() || name_of(*found) != name ? nullptr : *found;
}

}  // namespace

const meta::TypeDescriptor* find_type(const meta::GroupVersionKind& gvk) {
  return find({gvk.group, gvk.version, gvk.kind});
}

const meta::TypeDescriptor* find_type(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return find({"", api_version, kind});
  return find({api_version.substr(0, slash), api_version.substr(slash + 1), kind});
}

}  // namespace kube::api
