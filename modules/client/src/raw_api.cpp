// SPDX-License-Identifier: Apache-2.0
//
// Sends the requests of the API verbs and checks their responses.
#include <kube/client/raw_api.hpp>

#include <kube/base/ascii.hpp>
#include <kube/base/printable.hpp>
#include <kube/codec/query.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>
#include <kube/transport/url.hpp>

#include "answer_checks.hpp"
#include "async_answers.hpp"
#include "request_url.hpp"
#include "visit_pages.hpp"

namespace kube {
namespace {

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
        "cannot apply an object with managed fields already set. Leave metadata.managedFields out, "
        "or take the fields that a manager has applied by extract_applied()");
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

RawApi RawApi::preferring(Encoding encoding, ResponseForm form) const {
  RawApi api = *this;
  api.preferred_ = encoding;
  api.form_ = form;
  return api;
}

RawApi RawApi::within(Duration limit) const {
  RawApi api = *this;
  api.limit_ = limit;
  api.deadline_.reset();
  return api;
}

RawApi RawApi::started() const {
  RawApi api = *this;
  if (const auto bound = this->bound()) api.deadline_ = bound->deadline;
  return api;
}

std::optional<CallBound> RawApi::bound() const {
  if (!limit_) return std::nullopt;
  const TimePoint deadline =
      deadline_ ? *deadline_ : deadline_after(client_.runtime().clock()->now(), *limit_);
  if (deadline == TimePoint::max()) return std::nullopt;
  return CallBound{.deadline = deadline, .within = *limit_};
}

ContentChoice RawApi::content() const {
  ContentChoice choice =
      client_.content_for(resource_.group_resource(), preferred_ == Encoding::Protobuf);
  if (form_ == ResponseForm::Metadata) choice.body = Encoding::Json;
  return choice;
}

std::string RawApi::accept(bool is_list) const {
  std::string accept = content().accept;
  return form_ == ResponseForm::Metadata ? accept_metadata(accept, is_list) : accept;
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

Result<transport::HttpResponse> RawApi::exchange(const Request& request,
                                                 std::stop_token stop) const {
  if (answers_) return answers_->answer_to(request);
  return client_.send(request, std::move(stop));
}

Result<std::string> RawApi::send(Request request, std::stop_token stop, int* status) const {
  if (!request.bound) request.bound = bound();
  ContentChoice choice = content();
  const bool is_list = request.verb == "list" || request.verb == "deletecollection";
  request.accept = accept(is_list);
  choice.body = encoding_of(request.body);
  if (choice.body == Encoding::Protobuf) request.content_type = kProtobufMediaType;
  Result<transport::HttpResponse> response = exchange(request, stop);
  if (!response && client_.note_response(request.resource, choice, response.error()) &&
      is_not_acceptable(response.error())) {
    request.accept = accept(is_list);
    response = exchange(request, std::move(stop));
  }
  if (!response) return response.error();
  if (status != nullptr) *status = response->status;
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
  request->accept = accept(true);
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
  request->accept = accept(false);
  // Only passed to the server: it ends the watch then, and a deadline here would race with it.
  if (options.timeout_seconds && *options.timeout_seconds > 0) {
    request->query.emplace_back("timeout",
                                go_duration(std::chrono::seconds(*options.timeout_seconds)));
  }
  return request;
}

Result<RawWatch> RawApi::watch(const ListOptions& options, std::stop_token stop) const {
  const ContentChoice choice = content();
  Result<Request> request = watch_request(options);
  if (!request) return request.error();
  request->bound = bound();
  Result<RawWatch> watch = RawWatch::open(client_, *request, stop);
  if (watch || !client_.note_response(request->resource, choice, watch.error())) return watch;
  Result<Request> in_json = watch_request(options);
  if (!in_json) return in_json.error();
  in_json->bound = request->bound;
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
                                  std::stop_token stop, bool* created) const {
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
  int status = 0;
  auto answer = send(*std::move(request), std::move(stop), &status);
  if (created != nullptr) *created = status == 201;
  return answer;
}

Result<std::string> RawApi::send_with_options(Request request, const DeleteOptions& options,
                                              std::stop_token stop) const {
  request.bound = bound();
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
                                   const std::function<Result<void>(RawList&&)>& visit,
                                   const std::function<void()>& restart,
                                   std::stop_token stop) const {
  const RawApi call = started();
  return visit_pages(
      {.options = options,
       .doing =
           "list " + ResourcePath{.resource = resource_, .namespace_ = in_namespace_}.to_string(),
       .clock = client_.runtime().clock(),
       .restart = restart,
       .deadline = call.deadline().value_or(TimePoint::max())},
      [&](const ListOptions& page) { return call.list(page, stop); },
      [](const RawList& page) { return page.size(); },
      [](const RawList& page) { return page.info().continue_; }, visit, stop);
}

}  // namespace kube
