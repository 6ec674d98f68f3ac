// SPDX-License-Identifier: Apache-2.0
//
// Builds requests and reads their results.
#include <kube/client/rest_request.hpp>

#include <algorithm>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/file.hpp>
#include <kube/base/join.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/printable.hpp>

#include "answer_checks.hpp"
#include "media_type.hpp"
#include "request_url.hpp"

namespace kube {
namespace {

// Passes warnings on and keeps them for the result.
class KeptWarnings final : public rest::WarningHandler {
 public:
  explicit KeptWarnings(std::shared_ptr<rest::WarningHandler> next) : next_(std::move(next)) {}
  void handle_warning_header(int code, std::string_view agent, std::string_view text) override {
    {
      const MutexLock lock(mutex_);
      kept_.push_back({code, std::string(agent), std::string(text)});
    }
    next_->handle_warning_header(code, agent, text);
  }
  std::vector<rest::Warning> take() {
    const MutexLock lock(mutex_);
    return std::move(kept_);
  }

 private:
  const std::shared_ptr<rest::WarningHandler> next_;
  Mutex mutex_;
  std::vector<rest::Warning> kept_ KUBE_GUARDED_BY(mutex_);
};

// Streams have no timeout of their own; the server knows it all the same.
void move_timeout_to_query(Request& request) {
  const auto timeout = std::exchange(request.timeout, std::nullopt);
  if (!timeout || timeout->count() <= 0) return;
  std::erase_if(request.query, [](const auto& parameter) { return parameter.first == "timeout"; });
  request.query.emplace_back("timeout", go_duration(*timeout));
}

}  // namespace

RestResult::RestResult(Result<transport::HttpResponse> response,
                       std::vector<rest::Warning> warnings)
    : response_(std::move(response)),
      status_(response_ ? response_->status : response_.error().http_status()),
      warnings_(std::move(warnings)) {}

Result<std::string> RestResult::raw() const {
  if (!response_) return response_.error();
  return response_->body;
}

std::string RestResult::content_type() const {
  return std::string(response_ ? response_->headers.find("Content-Type").value_or("") : "");
}

Result<std::string> RestResult::object() const {
  if (!response_) return response_.error();
  if (auto checked = check_content(*response_); !checked) return checked.error();
  if (!encoding_of_answer(response_->headers)) {
    const Result<rest::MediaType> media = rest::parse_media_type(content_type());
    return Error(ErrorCode::Decode,
                 media ? "serializer for " + printable(media->type, 100) + " doesn't exist"
                       : encoding_of_answer(response_->headers).error().message());
  }
  if (auto checked = check_status(response_->body); !checked) return checked.error();
  return response_->body;
}

Optional<Error> RestResult::error() const {
  if (!response_) return response_.error();
  if (response_->body.empty() || !encoding_of_answer(response_->headers)) return {};
  const Result<void> checked = check_status(response_->body);
  if (!checked && checked.error().code() == ErrorCode::Server) return checked.error();
  return {};
}

RestRequest::RestRequest(RestClient client) : client_(std::move(client)) {}

RestRequest::RestRequest(RestClient client, const meta::GroupVersion& version)
    : client_(std::move(client)) {
  if (version.group.empty()) {
    prefix({"/api", version.version});
  } else {
    prefix({"/apis", version.group, version.version});
  }
}

RestRequest& RestRequest::fail(std::string text) {
  if (!error_) error_ = Error(ErrorCode::InvalidArgument, std::move(text));
  return *this;
}

RestRequest& RestRequest::verb(std::string method) {
  if (!error_) method_ = std::move(method);
  return *this;
}

RestRequest& RestRequest::patch(std::string media_type) {
  verb("PATCH");
  return set_header("Content-Type", {std::move(media_type)});
}

RestRequest& RestRequest::prefix(const std::vector<std::string>& segments) {
  if (error_) return *this;
  const bool slash = !segments.empty() && segments.back().ends_with('/');
  std::vector<std::string> all{prefix_};
  for (const std::string& segment : segments) all.push_back(escape_path(segment));
  prefix_ = join_path(all);
  if (slash && !prefix_.ends_with('/')) prefix_ += '/';
  return *this;
}

RestRequest& RestRequest::suffix(const std::vector<std::string>& segments) {
  if (error_) return *this;
  for (const std::string& segment : segments) suffix_.push_back(escape_path(segment));
  return *this;
}

RestRequest& RestRequest::abs_path(const std::vector<std::string>& segments) {
  if (error_) return *this;
  prefix_.clear();
  from_root_ = false;
  return prefix(segments);
}

RestRequest& RestRequest::request_uri(std::string_view uri) {
  if (error_) return *this;
  const std::size_t question = std::min(uri.find('?'), uri.size());
  const std::string_view path = uri.substr(0, question);
  Result<QueryParameters> query = decode_query(uri.substr(std::min(question + 1, uri.size())));
  if (!query) return fail(query.error().message());
  const std::optional<std::string> escaped = escape_uri_path(path);
  if (!escaped) {
    return fail("the path has a '%' without two hexadecimal digits; write '%' as %25");
  }
  prefix_ =
      path.starts_with('/') ? join_path({*escaped}) : join_path({client_.base_path(), *escaped});
  // A '/' at the end stays, as everywhere in a path that has no resource part.
  if (path.size() > 1 && path.ends_with('/') && !prefix_.ends_with('/')) prefix_ += '/';
  from_root_ = true;
  settings_.query = *std::move(query);
  return *this;
}

RestRequest& RestRequest::set_once(Optional<std::string>& part, std::string_view what,
                                   std::string value) {
  if (error_) return *this;
  if (part) {
    return fail(std::string(what) + " already set to \"" + *part + "\", cannot change to \"" +
                value + "\"");
  }
  part = std::move(value);
  return *this;
}

RestRequest& RestRequest::namespace_(std::string_view name) {
  if (error_) return *this;
  if (!namespace_set_) {
    if (auto ok = check_segment(name, "namespace"); !ok) return fail(ok.error().message());
  }
  return set_once(namespace_set_, "namespace", std::string(name));
}

RestRequest& RestRequest::namespace_if_scoped(std::string_view name, bool scoped) {
  return scoped ? namespace_(name) : *this;
}

RestRequest& RestRequest::resource(std::string_view plural) {
  if (error_) return *this;
  if (!resource_) {
    if (auto ok = check_segment(plural, "resource"); !ok) return fail(ok.error().message());
  }
  return set_once(resource_, "resource", std::string(plural));
}

RestRequest& RestRequest::name(std::string_view name) {
  if (error_) return *this;
  if (name.empty()) return fail("resource name may not be empty");
  if (!name_) {
    if (auto ok = check_segment(name, "resource name"); !ok) return fail(ok.error().message());
  }
  return set_once(name_, "resource name", std::string(name));
}

RestRequest& RestRequest::sub_resource(const std::vector<std::string>& names) {
  if (error_) return *this;
  for (const std::string& name : names) {
    if (auto ok = check_segment(name, "subresource"); !ok) return fail(ok.error().message());
  }
  return set_once(sub_resource_, "subresource", join(names, "/"));
}

RestRequest& RestRequest::param(std::string name, std::string value) {
  if (!error_) settings_.query.emplace_back(std::move(name), std::move(value));
  return *this;
}

RestRequest& RestRequest::set_header(std::string_view name,
                                     const std::vector<std::string>& values) {
  if (error_) return *this;
  settings_.headers.remove(name);
  for (const std::string& value : values) settings_.headers.add(std::string(name), value);
  return *this;
}

RestRequest& RestRequest::timeout(std::chrono::milliseconds time) {
  if (!error_) settings_.timeout = time;
  return *this;
}

RestRequest& RestRequest::idle_timeout(std::chrono::milliseconds time) {
  if (!error_) settings_.idle_timeout = time;
  return *this;
}

RestRequest& RestRequest::retry(const rest::RetryPolicy& policy) {
  if (!error_) settings_.retry = policy;
  return *this;
}

RestRequest& RestRequest::max_retries(int count) {
  rest::RetryPolicy policy = settings_.retry.value_or(client_.config().retry);
  policy.max_retries = count;
  return retry(policy);
}

RestRequest& RestRequest::back_off(std::shared_ptr<rest::BackoffManager> manager) {
  if (!error_) settings_.backoff = std::move(manager);
  return *this;
}

RestRequest& RestRequest::throttle(std::shared_ptr<flowcontrol::RateLimiter> limiter) {
  if (!error_) settings_.rate_limiter = std::move(limiter);
  return *this;
}

RestRequest& RestRequest::warning_handler(std::shared_ptr<rest::WarningHandler> handler) {
  if (!error_) settings_.warning_handler = std::move(handler);
  return *this;
}

RestRequest& RestRequest::body(std::string bytes, std::string content_type) {
  if (error_) return *this;
  settings_.body = std::move(bytes);
  settings_.content_type = std::move(content_type);
  return *this;
}

RestRequest& RestRequest::body_file(const std::string& path, std::string content_type) {
  if (error_) return *this;
  Result<std::string> bytes = read_file(path);
  if (bytes) return body(*std::move(bytes), std::move(content_type));
  error_ = bytes.error();
  return *this;
}

bool RestRequest::encodes_protobuf(Encoding preferred) const {
  const meta::GroupResource none{};
  return preferred == Encoding::Protobuf &&
         client_.content_for(none, true).body == Encoding::Protobuf;
}

RestRequest& RestRequest::encoded_body(Result<std::string> bytes, std::string_view content_type) {
  if (error_) return *this;
  if (bytes) return body(*std::move(bytes), std::string(content_type));
  error_ = bytes.error();
  return *this;
}

std::string RestRequest::path() const {
  std::string path = prefix_;
  if (namespace_set_ && !namespace_set_->empty()) {
    path = join_path({path, "namespaces", escape_segment(*namespace_set_)});
  }
  if (resource_) path = join_path({path, escape_segment(ascii::to_lower(*resource_))});
  std::vector<std::string> rest{path};
  if (name_) rest.push_back(escape_segment(*name_));
  if (sub_resource_) rest.push_back(escape_path(*sub_resource_));
  rest.insert(rest.end(), suffix_.begin(), suffix_.end());
  return rest.size() > 1 ? join_path(rest) : path;
}

Result<Request> RestRequest::request(std::string_view verb) const {
  if (error_) return *error_;
  Request request = settings_;
  request.verb = verb.empty() ? ascii::to_lower(method_) : std::string(verb);
  request.method = method_;
  request.path = path();
  request.path_from_root = from_root_;
  if (const auto accept = settings_.headers.find("Accept")) request.accept = *accept;
  if (const auto type = settings_.headers.find("Content-Type")) request.content_type = *type;
  if (resource_) {
    request.resource = {.group = {}, .resource = *resource_};
    request.name = name_ ? *name_ : "";
    request.subject = *resource_;
    if (sub_resource_) request.subject += "/" + *sub_resource_;
    if (name_) request.subject += " \"" + *name_ + "\"";
    if (namespace_set_ && !namespace_set_->empty()) {
      request.subject += " in namespace \"" + *namespace_set_ + "\"";
    }
  }
  return request;
}

Result<void> RestRequest::preflight() const {
  if (!namespace_set_ || !namespace_set_->empty()) return {};
  if (method_ == "POST") {
    return Error(ErrorCode::InvalidArgument, "an empty namespace may not be set during creation");
  }
  const bool of_one = method_ == "GET" || method_ == "PUT" || method_ == "DELETE";
  if (of_one && name_) {
    return Error(ErrorCode::InvalidArgument,
                 "an empty namespace may not be set when a resource name is provided");
  }
  return {};
}

RestResult RestRequest::do_(std::stop_token stop) const {
  Result<Request> request = this->request("");
  if (request) {
    if (auto ready = preflight(); !ready) request = ready.error();
  }
  if (!request) return {request.error(), {}};
  const auto warnings = std::make_shared<KeptWarnings>(
      request->warning_handler ? request->warning_handler : client_.warning_handler());
  request->warning_handler = warnings;
  Result<transport::HttpResponse> response = client_.send(*request, std::move(stop));
  return {std::move(response), warnings->take()};
}

Result<std::string> RestRequest::do_raw(std::stop_token stop) const {
  return do_(std::move(stop)).raw();
}

Result<TextStream> RestRequest::stream(std::stop_token stop) const {
  Result<Request> request = this->request("");
  if (!request) return request.error();
  move_timeout_to_query(*request);
  return TextRequest(client_, *std::move(request)).stream(std::move(stop));
}

Result<RawWatch> RestRequest::watch(std::stop_token stop) const {
  Result<Request> request = this->request("watch");
  if (!request) return request.error();
  move_timeout_to_query(*request);
  return RawWatch::open(client_, *request, std::move(stop));
}

std::string RestRequest::url() const {
  const Result<Request> request = this->request("");
  return request ? client_.url(*request) : std::string();
}

std::string RestRequest::url_template() const {
  return template_of(url(), client_.base_path());
}

}  // namespace kube
