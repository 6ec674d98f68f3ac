// SPDX-License-Identifier: Apache-2.0
//
// Sends the requests of the API verbs and checks their responses.
#include <kube/client/raw_api.hpp>

#include <kube/base/ascii.hpp>
#include <kube/base/printable.hpp>
#include <kube/client/request_pace.hpp>
#include <kube/codec/query.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>
#include <kube/transport/url.hpp>

#include "answer_text.hpp"
#include "envelope.hpp"
#include "request_url.hpp"

namespace kube {
namespace {

constexpr std::int64_t kDefaultPageSize = 500;

std::string context_of(const Request& request) {
  return request.verb + " " + request.subject;
}

Error invalid(std::string text) {
  return {ErrorCode::InvalidArgument, std::move(text)};
}

// The limit is also passed to the server as "timeout", as client-go's typed clients do.
void set_timeout(Request& request, const ListOptions& options) {
  if (options.timeout_seconds && *options.timeout_seconds > 0) {
    request.timeout = std::chrono::seconds(*options.timeout_seconds);
  }
}

// A response in an encoding that was not requested is probably not from a Kubernetes API. Its bytes
// and its Content-Type must agree, because its readers decide by the bytes.
Result<void> check_encoding(const transport::HttpResponse& response, const ContentChoice& asked) {
  const Result<std::optional<Encoding>> named = encoding_of_answer(response.headers);
  if (!named) return named.error();
  const Encoding found = encoding_of(response.body);
  if (found == Encoding::Protobuf && asked.accept == kJsonMediaType) {
    return Error(ErrorCode::Decode, "expected a response of type application/json, got \"" +
                                        std::string(kProtobufMediaType) + "\"");
  }
  if (!*named || **named == found) return {};
  if (found == Encoding::Protobuf) {
    return Error(ErrorCode::Decode, "expected JSON, as the Content-Type says, found protobuf");
  }
  return Error(ErrorCode::Decode,
               "expected protobuf, as the Content-Type says, found " +
                   std::string(ascii::trim_space(response.body).starts_with('{')
                                   ? "JSON"
                                   : "other bytes (they do not begin with \"k8s\\0\")"));
}

// Refuses responses that no API server sends, before their bytes are read.
Result<void> check_content(const transport::HttpResponse& response) {
  const std::string_view type = response.headers.find("Content-Type").value_or("");
  if (response.body.empty()) {
    return Error(ErrorCode::Decode, "expected an object, got 0-length response with status code: " +
                                        std::to_string(response.status) +
                                        " and content type: " + printable(type, 100));
  }
  if (!is_html(type, response.body)) return {};
  return Error(ErrorCode::Decode,
               "expected an object, got a response " + what_body_is(type, response.body));
}

// A Status of failure is an error whatever the code of the response is.
Result<void> check_status(const std::string& body) {
  const Result<TypeNames> type = type_names(body);
  if (!type) return type.error();
  if (type->kind != "Status" || type->api_version != "v1") return {};
  const Result<json::Value> status = meta::read_status(body);
  if (!status) return status.error();
  const json::Value* outcome = status->at_path({"status"});
  if (outcome == nullptr || outcome->string_or_empty() != "Failure") return {};
  return meta::error_from_status(*status);
}

Result<std::string> delete_body(const DeleteOptions& options, Encoding encoding) {
  if (encoding == Encoding::Json) return meta::to_json(options) + "\n";
  return meta::to_protobuf(options);
}

// client-go also refuses both before it sends the request.
Result<void> check_apply(const Patch& patch, const PatchOptions& options) {
  if (options.field_manager.empty()) {
    return invalid("apply needs a field manager in its options");
  }
  if (const json::Value* fields = patch.document().at_path({"metadata", "managedFields"});
      fields != nullptr && !fields->is_null()) {
    return invalid(
        "cannot apply an object with managed fields already set: leave metadata.managedFields out");
  }
  return {};
}

QueryParameters patch_query(const Patch& patch, PatchOptions options) {
  if (patch.type() == Patch::Type::Apply && !options.force) options.force = false;
  return to_query(options);
}

}  // namespace

RawApi::RawApi(RestClient client, meta::ResourceInfo resource, std::string namespace_,
               Encoding preferred)
    : client_(std::move(client)),
      resource_(std::move(resource)),
      in_namespace_(std::move(namespace_)),
      preferred_(preferred) {}

RawApi RawApi::preferring(Encoding encoding) const {
  RawApi api = *this;
  api.preferred_ = encoding;
  return api;
}

ContentChoice RawApi::content() const {
  return client_.content_for(resource_.group_resource(), preferred_ == Encoding::Protobuf);
}

Result<Request> RawApi::request(std::string_view verb, std::string_view method,
                                std::string_view name, std::string_view subresource) const {
  const ResourcePath path{.resource = resource_,
                          .namespace_ = in_namespace_,
                          .name = std::string(name),
                          .subresource = std::string(subresource)};
  Request request;
  request.verb = verb;
  request.method = method;
  request.subject = path.to_string();
  request.resource = resource_.group_resource();
  request.name = name;
  Result<std::string> text = path.to_path();
  if (!text) return text.error().with_context(context_of(request));
  request.path = *std::move(text);
  return request;
}

Result<Request> RawApi::object_request(std::string_view verb, std::string_view method,
                                       std::string_view name, std::string_view subresource) const {
  if (name.empty()) {
    return invalid("name is required: resource name may not be empty")
        .with_context(std::string(verb) + " " + resource_.group_resource().to_string());
  }
  Result<Request> request = this->request(verb, method, name, subresource);
  if (request) request->max_bytes = kMaxObjectBytes;
  return request;
}

Result<std::string> RawApi::send(Request request, std::stop_token stop) const {
  ContentChoice choice = content();
  request.accept = choice.accept;
  choice.body = encoding_of(request.body);
  if (choice.body == Encoding::Protobuf) request.content_type = kProtobufMediaType;
  Result<transport::HttpResponse> response = client_.send(request, stop);
  if (!response && client_.note_response(request.resource, choice, response.error()) &&
      is_not_acceptable(response.error())) {
    request.accept = content().accept;
    response = client_.send(request, std::move(stop));
  }
  if (!response) return response.error();
  auto checked = check_content(*response);
  if (checked) checked = check_encoding(*response, choice);
  if (checked) checked = check_status(response->body);
  if (checked) return std::move(response->body);
  const Error& error = checked.error();
  if (error.code() == ErrorCode::Server) return error.with_context(context_of(request));
  // The URL helps to find a proxy that responded.
  return error.with_context(request.method + " " + transport::printable_url(client_.url(request)))
      .with_context(context_of(request));
}

Result<std::string> RawApi::get(std::string_view name, std::string_view subresource,
                                const GetOptions& options, std::stop_token stop) const {
  Result<Request> request = object_request("get", "GET", name, subresource);
  if (!request) return request.error();
  request->query = to_query(options);
  return send(*std::move(request), std::move(stop));
}

Result<Request> RawApi::list_request(const ListOptions& options) const {
  Result<Request> request = this->request("list", "GET", "", "");
  if (!request) return request;
  request->query = to_query(options);
  request->accept = content().accept;
  set_timeout(*request, options);
  return request;
}

Result<RawList> RawApi::list(const ListOptions& options, std::stop_token stop) const {
  Result<Request> request = list_request(options);
  if (!request) return request.error();
  Result<std::string> body = send(*request, std::move(stop));
  if (!body) return body.error();
  Result<RawList> list = RawList::parse(*std::move(body));
  if (!list) return list.error().with_context(context_of(*request));
  return list;
}

Result<Request> RawApi::watch_request(const ListOptions& options) const {
  Result<Request> request = this->request("watch", "GET", "", "");
  if (!request) return request;
  request->query = to_query(options);
  request->query.emplace_back("watch", "true");
  request->accept = content().accept;
  // Only passed to the server: it ends the watch then, and a deadline here would race with it.
  if (options.timeout_seconds && *options.timeout_seconds > 0) {
    request->query.emplace_back("timeout",
                                go_duration(std::chrono::seconds(*options.timeout_seconds)));
  }
  return request;
}

Result<RawWatch> RawApi::watch(const ListOptions& options, std::stop_token stop) const {
  const ContentChoice choice = content();
  const Result<Request> request = watch_request(options);
  if (!request) return request.error();
  Result<RawWatch> watch = RawWatch::open(client_, *request, stop);
  if (watch || !client_.note_response(request->resource, choice, watch.error())) return watch;
  const Result<Request> in_json = watch_request(options);
  if (!in_json) return in_json.error();
  return RawWatch::open(client_, *in_json, std::move(stop));
}

Result<std::string> RawApi::create(std::string_view name, std::string_view subresource,
                                   std::string body, const CreateOptions& options,
                                   std::stop_token stop) const {
  if (resource_.namespaced && in_namespace_.empty()) {
    return invalid("an empty namespace may not be set during creation")
        .with_context("create " + resource_.group_resource().to_string());
  }
  Result<Request> request = subresource.empty()
                                ? this->request("create", "POST", "", "")
                                : object_request("create", "POST", name, subresource);
  if (!request) return request.error();
  request->query = to_query(options);
  request->body = std::move(body);
  request->max_bytes = kMaxObjectBytes;
  return send(*std::move(request), std::move(stop));
}

Result<std::string> RawApi::update(std::string_view name, std::string_view subresource,
                                   std::string body, const UpdateOptions& options,
                                   std::stop_token stop) const {
  Result<Request> request = object_request("update", "PUT", name, subresource);
  if (!request) return request.error();
  request->query = to_query(options);
  request->body = std::move(body);
  return send(*std::move(request), std::move(stop));
}

Result<std::string> RawApi::patch(std::string_view name, std::string_view subresource,
                                  const Patch& patch, const PatchOptions& options,
                                  std::stop_token stop) const {
  const bool is_apply = patch.type() == Patch::Type::Apply;
  Result<Request> request =
      object_request(is_apply ? "apply" : "patch", "PATCH", name, subresource);
  if (!request) return request.error();
  if (is_apply) {
    if (auto ok = check_apply(patch, options); !ok) {
      return ok.error().with_context(context_of(*request));
    }
  }
  request->query = patch_query(patch, options);
  request->content_type = patch.content_type();
  request->body = json::dump(patch.document());
  return send(*std::move(request), std::move(stop));
}

Result<std::string> RawApi::send_with_options(Request request, const DeleteOptions& options,
                                              std::stop_token stop) const {
  for (;;) {
    const Encoding encoding = body_encoding();
    Result<std::string> body = delete_body(options, encoding);
    if (!body) return body.error().with_context(context_of(request));
    request.body = *std::move(body);
    Result<std::string> answer = send(request, stop);
    if (answer || !is_unsupported_media_type(answer.error()) || body_encoding() == encoding) {
      return answer;
    }
  }
}

Result<std::string> RawApi::delete_(std::string_view name, const DeleteOptions& options,
                                    std::stop_token stop) const {
  Result<Request> request = object_request("delete", "DELETE", name, "");
  if (!request) return request.error();
  return send_with_options(*std::move(request), options, std::move(stop));
}

Result<std::string> RawApi::delete_collection(const DeleteOptions& options, const ListOptions& list,
                                              std::stop_token stop) const {
  Result<Request> request = this->request("delete", "DELETE", "", "");
  if (!request) return request.error();
  request->verb = "deletecollection";
  request->query = to_query(list);
  set_timeout(*request, list);
  return send_with_options(*std::move(request), options, std::move(stop));
}

Result<void> RawApi::for_each_page(const ListOptions& options,
                                   const std::function<Result<void>(const RawList&)>& visit,
                                   const std::function<void()>& restart,
                                   std::stop_token stop) const {
  const auto doing = [this] {
    return "list " + ResourcePath{.resource = resource_, .namespace_ = in_namespace_}.to_string();
  };
  ListOptions page = options;
  if (page.limit == 0) page.limit = kDefaultPageSize;
  ContinueTokens tokens;
  if (!page.continue_.empty()) static_cast<void>(tokens.add(page.continue_));
  const std::shared_ptr<Clock>& clock = client_.runtime().clock();
  RequestPace pace(clock);
  for (bool first = true;; first = false) {
    const Duration wait = pace.next();
    if (wait > Duration::zero() &&
        clock->sleep_until(clock->now() + wait, stop) == WaitStatus::Stopped) {
      return Error(ErrorCode::Cancelled, "stopped while waiting for the next page")
          .with_context(doing());
    }
    const Result<RawList> list = this->list(page, stop);
    if (!list) {
      if (first || !restart || !is_resource_expired(list.error())) return list.error();
      // Pages of different versions are useless; request one complete list instead.
      restart();
      ListOptions full = options;
      full.limit = 0;
      full.continue_.clear();
      const Result<RawList> everything = this->list(full, stop);
      if (!everything) return everything.error();
      return visit(*everything);
    }
    pace.page_came(list->size(), page.limit);
    if (auto visited = visit(*list); !visited) return visited;
    if (list->info().continue_.empty()) return {};
    page.continue_ = list->info().continue_;
    if (auto added = tokens.add(page.continue_); !added) {
      return added.error().with_context(doing());
    }
    page.resource_version.clear();
    page.resource_version_match.clear();
  }
}

}  // namespace kube
