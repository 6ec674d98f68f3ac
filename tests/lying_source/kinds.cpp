// SPDX-License-Identifier: Apache-2.0
#include "kinds.hpp"

#include <stdexcept>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/codec/codec.hpp>

namespace kube::lying {
namespace {

using core::v1::Pod;

Content content(const Unstructured& object) {
  return {std::string(object.content.string_at({"metadata", "labels", "app"})),
          std::string(object.content.string_at({"spec", "nodeName"}))};
}
Content content(const Pod& pod) {
  const auto app = pod.metadata.labels.find("app");
  return {app == pod.metadata.labels.end() ? std::string() : app->second, pod.spec.node_name};
}

template <Object T>
Result<Content> content_of(const cache::CellRef& cell) {
  const Cached<T> cached(cell);
  const auto decoded = cached.get();
  if (!decoded) return decoded.error();
  return content(**decoded);
}

void remove_padding(Unstructured& object) {
  object.set_annotations({});
}
void remove_padding(Pod& pod) {
  pod.metadata.annotations.clear();
}

Result<void> look(const std::string& app) {
  if (app == "poison") throw std::runtime_error("the program's function threw");
  if (app == "fail") return Error(ErrorCode::InvalidArgument, "the program's function failed");
  return {};
}

template <Object T>
Result<std::string> text_of(const cache::CellRef& cell) {
  const Cached<T> cached(cell);
  const auto decoded = cached.get();
  if (!decoded) return decoded.error();
  auto value = json::parse(meta::to_json(**decoded));
  if (!value) return value.error();
  for (const char* name : {"apiVersion", "kind"}) value->if_object()->erase(name);
  return json::dump(*value);
}

template <Object T>
cache::CellTransform transform(cache::StoragePolicy policy) {
  return cache::to_cell_transform<T>(
      [](T object) -> Result<T> {
        if (auto taken = look(content(object).app); !taken) return taken.error();
        remove_padding(object);
        return object;
      },
      policy);
}

template <Object T>
Kind kind_of(Encoding preferred) {
  return {{cache::cell_type<T>(), std::same_as<T, Unstructured>, preferred},
          &content_of<T>,
          &text_of<T>,
          &transform<T>};
}

}  // namespace

Kind unstructured_kind() {
  return kind_of<Unstructured>(Encoding::Json);
}

Kind pod_kind(Encoding preferred) {
  return kind_of<Pod>(preferred);
}

Result<std::vector<std::string>> index_values(const Kind& kind, const cache::CellRef& cell) {
  const Result<Content> content = kind.content_of(cell);
  if (!content) return content.error();
  if (auto taken = look(content->app); !taken) return taken.error();
  std::vector<std::string> values{content->app};
  if (!content->node.empty()) values.push_back("node:" + content->node);
  return values;
}

}  // namespace kube::lying
