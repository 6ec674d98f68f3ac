// SPDX-License-Identifier: Apache-2.0
#include "get_query.hpp"

#include <utility>

#include <kube/client/content.hpp>
#include <kube/codec/query.hpp>
#include <kube/meta/errors.hpp>

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;
namespace json = kube::json;

constexpr const char* kTableTypes =
    "application/json;as=Table;v=v1;g=meta.k8s.io,"
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

// Returns an error for a failure Status and for a body that is not from a Kubernetes API, even with
// status 200.
Result<json::Value> read_answer(const kube::transport::HttpResponse& response) {
  if (const auto encoding = kube::encoding_of_answer(response.headers); !encoding)
    return encoding.error();
  auto answer = json::parse(response.body);
  if (!answer) return answer.error();
  if (!answer->is_object()) {
    return Error(ErrorCode::Decode,
                 "expected an object, found " + std::string(answer->type_name()));
  }
  if (answer->string_at({"kind"}) == "Status" && answer->string_at({"status"}) != "Success")
    return kube::meta::error_from_status(*answer);
  return answer;
}

// Returns the objects of a response that is not a table: those of a list, which Go writes as null
// when it is empty, or the requested object.
Result<json::Array> objects_of(const json::Value& answer, bool by_name) {
  const std::string kind(answer.string_at({"kind"}));
  const json::Value* items = answer.at_path({"items"});
  if (items != nullptr && items->is_array()) return *items->if_array();
  if (kind.ends_with("List") && (items == nullptr || items->is_null())) return json::Array();
  if (by_name && !kind.empty() && kind != "Status") return json::Array{answer};
  return Error(ErrorCode::Decode, std::string("expected a table or ") +
                                      (by_name ? "an object" : "a list") + ", found " +
                                      (kind.empty() ? "an object without a kind" : kind));
}

}  // namespace

Result<json::Value> GetQuery::page(const kube::ListOptions& list) const {
  const kube::ResourcePath where{target_.resource, namespace_, target_.name, ""};
  auto path = where.to_path();
  if (!path) return path.error();
  kube::Request request;
  request.verb = target_.name.empty() ? "list" : "get";
  request.path = *std::move(path);
  if (target_.name.empty()) request.query = kube::meta::to_query(list);
  request.accept = kTableTypes;
  request.subject = where.to_string();
  request.resource = target_.resource.group_resource();
  request.name = target_.name;
  const auto response = cluster_.client().rest().send(request, stop_);
  if (!response) return response.error();
  return read_answer(*response).with_context(request.verb + " " + request.subject);
}

Result<void> GetQuery::add_rows(TablePrinter& table) const {
  const std::string resource = target_.resource.group_resource().to_string();
  kube::ListOptions list = list_;
  kube::ContinueTokens tokens;
  for (;;) {
    const auto answer = page(list);
    if (!answer) return answer.error();
    const Unstructured object(*answer);
    if (object.kind() == "Table") {
      table.add(*answer);
    } else {
      const auto objects = objects_of(*answer, !target_.name.empty());
      if (!objects) return objects.error().with_context("get " + resource);
      table.add(table_of_objects(*objects));
    }
    list.continue_ = object.continue_();
    if (list.continue_.empty()) return {};
    if (auto added = tokens.add(list.continue_); !added) {
      return added.error().with_context("list " + resource);
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
