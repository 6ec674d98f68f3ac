// SPDX-License-Identifier: Apache-2.0
#include "get_query.hpp"

#include <utility>

#include <kube/client/content.hpp>
#include <kube/codec/query.hpp>
#include <kube/meta/errors.hpp>

#include "table_printer.hpp"

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

Result<kube::Request> GetQuery::request(const char* verb) const {
  const kube::ResourcePath where{target_.resource, namespace_, target_.name, subresource_};
  auto path = where.to_path();
  if (!path) return path.error();
  kube::Request request;
  request.verb = verb;
  request.path = *std::move(path);
  request.accept = kTableTypes;
  request.subject = where.to_string();
  request.resource = target_.resource.group_resource();
  request.name = target_.name;
  return request;
}

Result<json::Value> GetQuery::page(const kube::ListOptions& list) const {
  auto request = this->request(target_.name.empty() ? "list" : "get");
  if (!request) return request.error();
  if (target_.name.empty()) request->query = kube::meta::to_query(list);
  if (whole_) request->query.emplace_back("includeObject", "Object");
  const auto response = cluster_.client().rest().send(*request, stop_);
  if (!response) return response.error();
  return read_answer(*response).with_context(request->verb + " " + request->subject);
}

Result<std::string> GetQuery::tables(const std::function<void(json::Value)>& visit) const {
  const std::string resource = target_.resource.group_resource().to_string();
  std::string version;
  kube::ListOptions list = list_;
  kube::ContinueTokens tokens;
  for (;;) {
    auto answer = page(list);
    if (!answer) return answer.error();
    Unstructured object(*std::move(answer));
    if (version.empty()) version = object.resource_version();
    list.continue_ = object.continue_();
    if (object.kind() == "Table") {
      visit(std::move(object.content));
    } else {
      const auto objects = objects_of(object.content, !target_.name.empty());
      if (!objects) return objects.error().with_context("get " + resource);
      visit(table_of_objects(*objects));
    }
    if (list.continue_.empty()) return version;
    if (auto added = tokens.add(list.continue_); !added) {
      return added.error().with_context("list " + resource);
    }
  }
}

Result<std::vector<Unstructured>> GetQuery::objects(std::string* version) const {
  const auto api = cluster_.api(target_.resource, namespace_);
  std::vector<Unstructured> objects;
  if (!target_.name.empty()) {
    auto object = subresource_.empty() ? api.get(target_.name, {}, stop_)
                                       : api.get_subresource(target_.name, subresource_, {}, stop_);
    if (!object) return object.error();
    objects.push_back(*std::move(object));
    return objects;
  }
  auto list = list_.limit == 0 ? api.list(list_, stop_) : api.list_all(list_, stop_);
  if (!list) return list.error();
  if (version != nullptr) *version = list->resource_version;
  for (Unstructured& object : list->items) objects.push_back(std::move(object));
  return objects;
}

Result<kube::RawWatch> GetQuery::watch(const std::string& version, bool as_tables) const {
  auto request = this->request("watch");
  if (!request) return request.error();
  kube::ListOptions list = list_;
  list.limit = 0;
  list.resource_version = version;
  request->query = kube::meta::to_query(list);
  request->query.emplace_back("watch", "true");
  if (!as_tables) request->accept = "application/json";
  return kube::RawWatch::open(cluster_.client().rest(), *request, stop_);
}

}  // namespace kubecpp
