// SPDX-License-Identifier: Apache-2.0
#include <kube/config/request_log.hpp>

#include <algorithm>
#include <array>

#include <kube/base/ascii.hpp>
#include <kube/base/printable.hpp>
#include <kube/transport/url.hpp>

namespace kube::rest {
namespace {

constexpr int kSummary = 6;
constexpr int kRequestHeaders = 7;
constexpr int kBodies = 8;
constexpr int kCurl = 9;

std::size_t body_limit(int verbosity) {
  if (verbosity < kBodies) return 0;
  if (verbosity == kBodies) return 1024;
  return verbosity == kCurl ? 10240 : std::size_t{1} << 20;
}

// Whether the bodies of this path hold credentials.
bool has_secrets(std::string_view url) {
  const std::string path = transport::printable_url(url) + "/";
  return std::ranges::any_of(
      std::array<std::string_view, 3>{"/secrets/", "/token/", "/tokenreviews/"},
      [&](std::string_view part) { return path.find(part) != path.npos; });
}

std::string headers_for_log(const transport::Headers& headers) {
  std::string text;
  for (const auto& [name, value] : headers) {
    if (!text.empty()) text += "; ";
    text.append(name).append(": ").append(printable(mask_header(name, value), 1024));
  }
  return text;
}

std::string quoted_for_shell(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string curl_command(const transport::HttpRequest& request) {
  std::string command = "curl -v -X" + request.method;
  for (const auto& [name, value] : request.headers) {
    command += " -H " + quoted_for_shell(name + ": " + printable(mask_header(name, value), 1024));
  }
  return command + " " + quoted_for_shell(transport::printable_url(request.url));
}

// Passes a response on, and logs what it was at its end.
class LoggedResponse final : public transport::ForwardingHandler {
 public:
  LoggedResponse(std::shared_ptr<transport::ResponseHandler> inner, std::shared_ptr<Logger> logger,
                 std::shared_ptr<Clock> clock, int verbosity, const transport::HttpRequest& request)
      : ForwardingHandler(std::move(inner)),
        logger_(std::move(logger)),
        clock_(std::move(clock)),
        verbosity_(verbosity),
        limit_(has_secrets(request.url) ? 0 : body_limit(verbosity)),
        method_(request.method),
        url_(transport::printable_url(request.url)),
        started_(clock_->now()) {}

  void on_head(transport::ResponseHead head) override {
    status_ = head.status;
    if (verbosity_ >= kBodies) headers_ = headers_for_log(head.headers);
    inner_->on_head(std::move(head));
  }
  transport::Flow on_data(std::string_view chunk) override {
    size_ += chunk.size();
    body_.append(chunk.substr(0, limit_ - body_.size()));
    return inner_->on_data(chunk);
  }
  void on_end(Result<void> result) override {
    using std::chrono::milliseconds;
    const auto taken = std::chrono::duration_cast<milliseconds>(clock_->now() - started_);
    KUBE_LOG(logger_, LogLevel::Debug, "http", "response", {"method", method_}, {"url", url_},
             {"status", std::to_string(status_)},
             {"duration", std::to_string(taken.count()) + "ms"}, {"headers", headers_},
             {"error", result ? std::string() : result.error().to_string()});
    if (limit_ > 0 && size_ > 0) {
      KUBE_LOG(logger_, LogLevel::Debug, "http", "response body",
               {"body", body_for_log(body_, limit_, size_)});
    }
    inner_->on_end(std::move(result));
  }

 private:
  const std::shared_ptr<Logger> logger_;
  const std::shared_ptr<Clock> clock_;
  const int verbosity_;
  const std::size_t limit_;
  const std::string method_;
  const std::string url_;
  const TimePoint started_;
  int status_ = 0;
  std::string headers_;
  std::string body_;  // at most limit_
  std::size_t size_ = 0;
};

class RequestLog final : public transport::RoundTripper {
 public:
  RequestLog(std::shared_ptr<transport::RoundTripper> base, std::shared_ptr<Logger> logger,
             std::shared_ptr<Clock> clock, int verbosity)
      : base_(std::move(base)),
        logger_(std::move(logger)),
        clock_(std::move(clock)),
        verbosity_(verbosity) {}

  std::shared_ptr<transport::Exchange> start(transport::HttpRequest request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override {
    if (!logger_ || !logger_->enabled(LogLevel::Debug, "http")) {
      return base_->start(std::move(request), std::move(handler), std::move(stop));
    }
    log_request(request);
    auto logged =
        std::make_shared<LoggedResponse>(std::move(handler), logger_, clock_, verbosity_, request);
    return base_->start(std::move(request), std::move(logged), std::move(stop));
  }

 private:
  void log_request(const transport::HttpRequest& request) const {
    if (verbosity_ >= kCurl) {
      KUBE_LOG(logger_, LogLevel::Debug, "http", "request", {"curl", curl_command(request)});
    } else if (verbosity_ >= kRequestHeaders) {
      KUBE_LOG(logger_, LogLevel::Debug, "http", "request", {"method", request.method},
               {"url", transport::printable_url(request.url)},
               {"headers", headers_for_log(request.headers)});
    }
    if (verbosity_ >= kBodies && !request.body.empty() && !has_secrets(request.url)) {
      KUBE_LOG(logger_, LogLevel::Debug, "http", "request body",
               {"body", body_for_log(request.body, body_limit(verbosity_), request.body.size())});
    }
  }

  const std::shared_ptr<transport::RoundTripper> base_;
  const std::shared_ptr<Logger> logger_;
  const std::shared_ptr<Clock> clock_;
  const int verbosity_;
};

std::string hex_dump(std::string_view bytes) {
  std::string dump;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) dump += i % 16 == 0 ? '\n' : ' ';
    ascii::append_hex(bytes[i], dump);
  }
  return dump;
}

}  // namespace

std::string mask_header(std::string_view name, std::string_view value) {
  if (!ascii::equal_ignoring_case(name, "Authorization") || value.empty())
    return std::string(value);
  const std::size_t space = value.find(' ');
  const std::string_view scheme = value.substr(0, space == 0 ? value.npos : space);
  const std::string lower = ascii::to_lower(scheme);
  if (lower != "basic" && lower != "bearer" && lower != "negotiate") return "<masked>";
  return std::string(scheme) + (value.size() > scheme.size() + 1 ? " <masked>" : "");
}

std::string body_for_log(std::string_view body, std::size_t max_bytes, std::size_t total_bytes) {
  const std::string_view shown = body.substr(0, max_bytes);
  const bool binary =
      std::ranges::any_of(shown, [](char c) { return static_cast<unsigned char>(c) < 0x0a; });
  std::string text = binary ? hex_dump(shown) : std::string(shown);
  if (total_bytes > shown.size()) {
    text += " [truncated " + std::to_string(total_bytes - shown.size()) + " chars]";
  }
  return text;
}

std::shared_ptr<transport::RoundTripper> with_request_log(
    std::shared_ptr<transport::RoundTripper> base, std::shared_ptr<Logger> logger,
    std::shared_ptr<Clock> clock, int verbosity) {
  if (verbosity < kSummary || !logger) return base;
  return std::make_shared<RequestLog>(std::move(base), std::move(logger), std::move(clock),
                                      verbosity);
}

}  // namespace kube::rest
