// SPDX-License-Identifier: Apache-2.0
#include <kube/client/table_api.hpp>

#include <string>

#include <kube/codec/codec.hpp>
#include <kube/codec/query.hpp>
#include <kube/meta/errors.hpp>

#include "envelope.hpp"
#include "visit_pages.hpp"

namespace kube {
namespace {

constexpr std::string_view kAcceptTable =
    "application/json;as=Table;v=v1;g=meta.k8s.io,"
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

constexpr std::string_view kAcceptTableEvents =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

void ask_for(Request& request, IncludeObject include) {
  if (include == IncludeObject::Metadata) return;  // the server's default
  request.query.emplace_back("includeObject", include == IncludeObject::None ? "None" : "Object");
}

Result<meta::Table> read_table(const std::string& body) {
  const Result<TypeNames> type = type_names(body);
  if (!type) return type.error();
  if (type->kind == "Status") {
    const Result<json::Value> status = meta::read_status(body);
    if (!status) return status.error();
    return meta::error_from_status(*status);
  }
  if (type->kind != "Table") {
    return Error(ErrorCode::Decode, "expected a Table, found kind \"" + type->kind + "\"");
  }
  // The older version has the same form.
  if (type->api_version == "meta.k8s.io/v1") return meta::from_json<meta::Table>(body);
  Result<json::Value> older = json::parse(body);
  if (!older) return older.error();
  older->ensure_path({"apiVersion"}) = "meta.k8s.io/v1";
  return meta::from_json<meta::Table>(json::dump(*older));
}

}  // namespace

Result<meta::Table> TableApi::send(Request request, IncludeObject include,
                                   std::stop_token stop) const {
  request.accept = kAcceptTable;
  request.bound = raw_.bound();
  ask_for(request, include);
  const auto response = raw_.rest().send(request, std::move(stop));
  if (!response) return response.error();
  return read_table(response->body).with_context(request.verb + " " + request.subject);
}

Result<meta::Table> TableApi::get(std::string_view name, const GetOptions& options,
                                  IncludeObject include, std::stop_token stop) const {
  const ResourcePath path{
      .resource = raw_.resource(), .namespace_ = raw_.namespace_(), .name = std::string(name)};
  Request request;
  request.verb = "get";
  request.subject = path.to_string();
  request.resource = raw_.resource().group_resource();
  request.name = name;
  if (name.empty()) {
    return Error(ErrorCode::InvalidArgument, "name is required: resource name may not be empty")
        .with_context("get " + request.resource.to_string());
  }
  Result<std::string> text = path.to_path();
  if (!text) return text.error().with_context("get " + request.subject);
  request.path = *std::move(text);
  request.query = to_query(options);
  return send(std::move(request), include, std::move(stop));
}

Result<meta::Table> TableApi::list(const ListOptions& options, IncludeObject include,
                                   std::stop_token stop) const {
  Result<Request> request = raw_.list_request(options);
  if (!request) return request.error();
  return send(*std::move(request), include, std::move(stop));
}

Result<void> TableApi::for_each_page(const ListOptions& options,
                                     const std::function<Result<void>(meta::Table&&)>& visit,
                                     const std::function<void()>& restart, IncludeObject include,
                                     std::stop_token stop) const {
  const ResourcePath path{.resource = raw_.resource(), .namespace_ = raw_.namespace_()};
  const TableApi call(raw_.started());
  return visit_pages(
      {.options = options,
       .doing = "list " + path.to_string(),
       .clock = raw_.rest().runtime().clock(),
       .restart = restart,
       .deadline = call.raw_.deadline().value_or(TimePoint::max())},
      [&](const ListOptions& page) { return call.list(page, include, stop); },
      [](const meta::Table& page) { return page.rows.size(); },
      [](const meta::Table& page) { return page.metadata.continue_; }, visit, stop);
}

Result<WatchStream<meta::Table>> TableApi::watch(const ListOptions& options, IncludeObject include,
                                                 std::stop_token stop) const {
  Result<Request> request = raw_.watch_request(options);
  if (!request) return request.error();
  request->accept = kAcceptTableEvents;
  request->bound = raw_.bound();
  ask_for(*request, include);
  Result<RawWatch> raw = RawWatch::open(raw_.rest(), *request, std::move(stop));
  if (!raw) return raw.error();
  return WatchStream<meta::Table>(*std::move(raw));
}

}  // namespace kube
