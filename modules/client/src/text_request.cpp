// SPDX-License-Identifier: Apache-2.0
//
// Sends requests with text as response: logs and proxies.
#include <kube/client/text_request.hpp>

#include <algorithm>
#include <vector>

#include <kube/transport/body_queue.hpp>
#include <kube/transport/no_waiting.hpp>

#include "request_attempts.hpp"

namespace kube {
namespace {

// Logs are text, errors are Statuses.
constexpr std::string_view kAcceptAny = "application/json, */*";

Result<Request> request_for(const ResourcePath& below, std::string_view path,
                            QueryParameters query) {
  Result<Request> request{Request()};
  request->verb = "get";
  request->subject = below.to_string();
  request->accept = kAcceptAny;
  request->idle_timeout = std::chrono::milliseconds(0);
  request->resource = below.resource.group_resource();
  request->name = below.name;
  request->query = std::move(query);
  Result<std::string> text = below.to_path();
  if (below.name.empty()) {
    text = Error(ErrorCode::InvalidArgument, "resource name may not be empty");
  }
  if (!text) return text.error().with_context("get " + request->subject);
  request->path = *std::move(text);
  if (!path.empty()) request->path.append(path.front() == '/' ? "" : "/").append(path);
  return request;
}

}  // namespace

// Shared by the exchange, which adds text, and the reader, which takes it.
class TextStream::State final : public transport::ResponseHandler {
 public:
  explicit State(std::shared_ptr<Clock> clock) : body(std::move(clock)) {}

  void on_head(transport::ResponseHead head) override { body.begin(std::move(head)); }
  transport::Flow on_data(std::string_view chunk) override {
    return body.put({std::string(chunk)});
  }
  void on_end(Result<void> result) override { body.end(std::move(result)); }

  transport::BodyQueue body;
};

TextStream::TextStream(std::shared_ptr<State> state, std::shared_ptr<transport::Exchange> exchange)
    : state_(std::move(state)), exchange_(std::move(exchange)) {}
TextStream::TextStream(TextStream&&) noexcept = default;
TextStream& TextStream::operator=(TextStream&& other) noexcept {
  if (this != &other) {
    stop();
    state_ = std::move(other.state_);
    exchange_ = std::move(other.exchange_);
  }
  return *this;
}
TextStream::~TextStream() {
  stop();
}

Optional<Result<std::string>> TextStream::next(std::stop_token stop) {
  auto taken = state_->body.take(std::move(stop));
  if (!taken) return Result<std::string>(taken.error());
  if (taken->resume) exchange_->resume();
  if (taken->piece) return Result<std::string>(*std::move(taken->piece));
  if (!taken->end) {
    return Result<std::string>(Error(ErrorCode::Cancelled, "stopped while waiting for text"));
  }
  if (*taken->end) return std::nullopt;
  return Result<std::string>(taken->end->error());
}

void TextStream::stop() {
  if (!state_) return;  // moved from
  state_->body.stop();
  exchange_->cancel();
}

TextRequest TextRequest::within(Duration limit) const {
  TextRequest limited = *this;
  limited.limit_ = limit;
  limited.deadline_.reset();
  return limited;
}

TextRequest TextRequest::limited_as(const RawApi& api) const {
  TextRequest limited = *this;
  limited.limit_ = api.limit();
  limited.deadline_ = api.deadline();
  return limited;
}

Result<Request> TextRequest::request() const {
  Result<Request> request = request_;
  if (request && limit_) {
    const TimePoint deadline =
        deadline_ ? *deadline_ : deadline_after(client_.runtime().clock()->now(), *limit_);
    request->bound = CallBound{.deadline = deadline, .within = *limit_};
  }
  return request;
}

Result<std::string> TextRequest::do_raw(std::stop_token stop) const {
  const Result<Request> request = this->request();
  if (!request) return request.error();
  Result<transport::HttpResponse> response = client_.send(*request, std::move(stop));
  if (!response) return response.error();
  return std::move(response->body);
}

Result<TextStream> TextRequest::stream(std::stop_token stop) const {
  const Result<Request> request = this->request();
  if (!request) return request.error();
  const std::string doing = what_request_does(*request);
  if (const auto allowed = transport::may_wait(); !allowed) {
    return allowed.error().with_context(doing);
  }
  RequestAttempts attempts(client_, *request, RetryOn::Answers);
  if (const auto limited = attempts.wait_for_rate_limit(stop); !limited) {
    return limited.error().with_context(doing);
  }
  for (;;) {
    if (const auto ready = attempts.before(TimePoint::max(), stop); !ready) return ready.error();
    auto state = std::make_shared<TextStream::State>(client_.runtime().clock());
    Request attempt = *request;
    if (attempt.bound) {  // of a stream, the wait for its beginning
      attempt.head_timeout = time_until(attempt.bound->deadline, *client_.runtime().clock());
      attempt.bound.reset();
    }
    TextStream stream(state, attempts.start(attempt, state, stop));
    const auto head = state->body.wait_for_head(stop);
    if (!head) {
      return Error(ErrorCode::Cancelled, "stopped while waiting for the response to begin")
          .with_context(doing);
    }
    if (*head) {
      attempts.after(nullptr, (*head)->status);
      return stream;
    }
    if (!attempts.after(&head->error(), 0)) return attempts.final_error(head->error());
  }
}

TextRequest get_text(const RestClient& client, const meta::ResourceInfo& resource,
                     std::string_view namespace_, std::string_view name,
                     std::string_view subresource, std::string_view path, QueryParameters query) {
  const ResourcePath below{.resource = resource,
                           .namespace_ = std::string(namespace_),
                           .name = std::string(name),
                           .subresource = std::string(subresource)};
  return {client, request_for(below, path, std::move(query))};
}

Result<std::string> proxy_name(std::string_view scheme, std::string_view name,
                               std::string_view port) {
  if (name.empty()) return Error(ErrorCode::InvalidArgument, "resource name may not be empty");
  if (scheme.empty() && port.empty()) return std::string(name);
  std::string joined;
  if (!scheme.empty()) joined.append(scheme).append(":");
  joined.append(name).append(":").append(port);
  return joined;
}

TextRequest get_proxied(const RawApi& api, std::string_view scheme, std::string_view name,
                        std::string_view port, std::string_view path, QueryParameters query) {
  const Result<std::string> target = proxy_name(scheme, name, port);
  if (!target) return {api.rest(), target.error()};
  return get_text(api.rest(), api.resource(), api.namespace_(), *target, "proxy", path,
                  std::move(query))
      .limited_as(api);
}

Result<ProxyTarget> split_proxy_name(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  ProxyTarget target;
  if (parts.size() == 3) {
    target = {parts[0], parts[1], parts[2]};
  } else if (parts.size() < 3) {
    target = {"", parts[0], parts.size() == 2 ? parts[1] : ""};
  }
  const bool has_scheme = !target.scheme.empty();
  if (target.name.empty() || (has_scheme && target.scheme != "http" && target.scheme != "https")) {
    return Error(ErrorCode::InvalidArgument,
                 "expected [[http[s]:]name:port] or name, found \"" + std::string(text) + "\"");
  }
  return target;
}

}  // namespace kube
