// SPDX-License-Identifier: Apache-2.0
#include "get_query.hpp"

#include <utility>

namespace kubecpp {
namespace {

using kube::Result;
using kube::Unstructured;
namespace json = kube::json;

constexpr const char* kTableTypes =
    "application/json;as=Table;v=v1;g=meta.k8s.io,"
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

}  // namespace

Result<json::Value> GetQuery::page(const kube::ListOptions& list) const {
  const kube::ResourcePath where{target_.resource, namespace_, target_.name, ""};
  auto path = where.to_path();
  if (!path) return path.error();
  kube::Request request;
  request.verb = target_.name.empty() ? "list" : "get";
  request.path = *std::move(path);
  if (target_.name.empty()) request.query = kube::to_query(list);
  request.accept = kTableTypes;
  request.subject = where.to_string();
  request.resource = target_.resource.group_resource();
  request.name = target_.name;
  const auto response = cluster_.client().rest().send(request, stop_);
  if (!response) return response.error();
  return json::parse(response->body).with_context(request.verb + " " + request.subject);
}

Result<void> GetQuery::add_rows(TablePrinter& table) const {
  kube::ListOptions list = list_;
  kube::ContinueTokens tokens;
  for (;;) {
    const auto answer = page(list);
    if (!answer) return answer.error();
    const Unstructured object(*answer);
    if (object.kind() == "Table") {
      table.add(*answer);
    } else if (object.is_list()) {
      table.add(table_of_objects(*answer->at_path({"items"})->if_array()));
    } else {
      table.add(table_of_objects({*answer}));
    }
    list.continue_ = object.continue_();
    if (list.continue_.empty()) return {};
    if (auto added = tokens.add(list.continue_); !added) {
      return added.error().with_context("list " + target_.resource.group_resource().to_string());
    }
  }
}

Result<std::vector<Unstructured>> GetQuery::objects() const {
  const auto api = cluster_.api(target_.resource, namespace_);
  std::vector<Unstructured> objects;
  if (!target_.name.empty()) {
    auto object = api.get(target_.name, {}, stop_);
    if (!object) return object.error();
    objects.push_back(*std::move(object));
    return objects;
  }
  auto list = api.list_all(list_, stop_);
  if (!list) return list.error();
  for (Unstructured& object : list->items) objects.push_back(std::move(object));
  return objects;
}

}  // namespace kubecpp
