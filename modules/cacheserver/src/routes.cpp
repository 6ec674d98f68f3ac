// SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <set>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/base/log.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/percent.hpp>
#include <kube/meta/status.hpp>
#include <kube/names/go_text.hpp>

#include "reading/responses.hpp"
#include "reading/route.hpp"

namespace kube {

std::string RouteRequest::path_value(std::string_view name) const {
  const auto found = path_values.find(name);
  return found == path_values.end() ? "" : found->second;
}

std::string RouteRequest::query_value(std::string_view name, std::string_view otherwise) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string(otherwise) : found->second;
}

}  // namespace kube

namespace kube::cacheserver {

using serving::HttpRequest;
using serving::HttpResponse;
using serving::WakerPtr;

namespace {

constexpr std::array<std::string_view, 5> kRouteMethods = {"DELETE", "GET", "PATCH", "POST", "PUT"};
constexpr std::array<std::string_view, 9> kOwnPaths = {
    "api", "apis", "healthz", "livez", "metrics", "openapi", "page", "readyz", "version"};

Error wrong_pattern(std::string_view pattern, std::string_view why) {
  return Error(ErrorCode::InvalidArgument,
               "CacheServer option routes: \"" + std::string(pattern) + "\": " + std::string(why));
}

/// One request on its way through a handler: keeps the answer, and wakes the caller's connection.
class RouteCall final : public serving::RevisionSource {
 public:
  RouteCall(const RouteHandler& handler, RouteRequest request, std::shared_ptr<Logger> logger)
      : handler_(handler), request_(std::move(request)), logger_(std::move(logger)) {
    request_.stop = stop_.get_token();
  }

  void run() {
    Result<json::Value> answer = call();
    WakerPtr waker;
    {
      const MutexLock lock(mutex_);
      answer_ = std::move(answer);
      waker = std::move(waker_);
    }
    if (waker) waker->wake();
  }

  void when_reached(std::uint64_t, const WakerPtr& waker) override {
    {
      const MutexLock lock(mutex_);
      if (!answer_) {
        waker_ = waker;
        return;
      }
    }
    waker->wake();
  }
  void forget(const WakerPtr&) override {
    {
      const MutexLock lock(mutex_);
      waker_.reset();
      is_late_ = !answer_;
    }
    stop_.request_stop();
  }

  HttpResponse take(std::string_view accept) {
    const MutexLock lock(mutex_);
    if (!answer_ || is_late_) {
      return serving::error_response(
          meta::timeout_error("the request was not answered in time, and may be carried out yet",
                              {}),
          accept);
    }
    if (*answer_) return serving::document_response(200, **answer_, serving::MediaType::Json);
    return serving::error_response(answer_->error().code() == ErrorCode::InvalidArgument
                                       ? meta::bad_request_error(answer_->error().message())
                                       : answer_->error(),
                                   accept);
  }

 private:
  Result<json::Value> call() const {
    try {
      return handler_(request_);
    } catch (const std::exception& thrown) {
      KUBE_LOG(logger_, LogLevel::Error, "cacheserver", "request failed", {"error", thrown.what()});
    } catch (...) {
      KUBE_LOG(logger_, LogLevel::Error, "cacheserver", "request failed", {"error", "unknown"});
    }
    return meta::internal_error("the server failed to handle the request");
  }

  const RouteHandler& handler_;
  std::stop_source stop_;
  RouteRequest request_;
  const std::shared_ptr<Logger> logger_;
  Mutex mutex_;
  std::optional<Result<json::Value>> answer_ KUBE_GUARDED_BY(mutex_);
  bool is_late_ KUBE_GUARDED_BY(mutex_) =
      false;  ///< The handler was asked to stop before it answered.
  WakerPtr waker_ KUBE_GUARDED_BY(mutex_);
};

/// Returns the segments of a target's path; nothing when it is none.
std::optional<std::vector<std::string>> segments_of(std::string_view target) {
  const auto parts = serving::split_target(target);
  if (!parts) return std::nullopt;
  const std::string_view path = parts->path.substr(0, parts->path.find('?'));
  std::vector<std::string> out;
  for (const std::string_view part : go::split(path.substr(1), '/')) {
    auto segment = percent_decoded(part);
    if (!segment) return std::nullopt;
    out.push_back(*std::move(segment));
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

}  // namespace

Result<Pattern> Pattern::parse(std::string_view text) {
  Pattern out;
  const std::size_t space = std::min(text.find(' '), text.size());
  out.method = text.substr(0, space);
  const std::string_view path = text.substr(space);
  if (std::ranges::find(kRouteMethods, out.method) == kRouteMethods.end() ||
      !path.starts_with(" /")) {
    return wrong_pattern(text,
                         "expected DELETE, GET, PATCH, POST or PUT, one space, and a path such as "
                         "/shop/{name}");
  }
  for (std::string_view part : go::split(path.substr(2), '/')) {
    if (!out.segments.empty() && out.segments.back().part == Part::Rest) {
      return wrong_pattern(text, "nothing can follow {name...}");
    }
    Segment segment;
    if (part.starts_with('{') && part.ends_with('}')) {
      part = part.substr(1, part.size() - 2);
      segment.part = part.ends_with("...") ? Part::Rest : Part::One;
      if (segment.part == Part::Rest) part.remove_suffix(3);
      const auto has_name = [&](const Segment& each) {
        return each.part != Part::Literal && each.text == part;
      };
      if (std::ranges::any_of(out.segments, has_name)) {
        return wrong_pattern(text, "the same name twice");
      }
    }
    if (part.empty() || part.find_first_of("{}") != std::string_view::npos) {
      return wrong_pattern(text,
                           "expected segments, each a text or {name}, the last also {name...}");
    }
    segment.text = part;
    out.segments.push_back(std::move(segment));
  }
  const Segment& first = out.segments.front();
  if (first.part != Part::Literal || std::ranges::find(kOwnPaths, first.text) != kOwnPaths.end()) {
    return wrong_pattern(text, "expected a path that begins with a text of its own: /" +
                                   join(kOwnPaths, ", /") + " are the server's");
  }
  return out;
}

std::optional<decltype(RouteRequest::path_values)> Pattern::match(
    const std::vector<std::string>& path) const {
  decltype(RouteRequest::path_values) values;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (i >= path.size() || path[i].empty()) return std::nullopt;
    const Segment& segment = segments[i];
    switch (segment.part) {
      case Part::Literal:
        if (path[i] != segment.text) return std::nullopt;
        break;
      case Part::One:
        values[segment.text] = path[i];
        break;
      case Part::Rest:
        values[segment.text] =
            join(std::vector(path.begin() + static_cast<std::ptrdiff_t>(i), path.end()), "/");
        return values;
    }
  }
  if (path.size() != segments.size()) return std::nullopt;
  return values;
}

Result<std::unique_ptr<Routes>> Routes::make(const CacheServer::Options& options) {
  std::vector<Route> routes;
  for (const auto& [text, handler] : options.routes) {
    auto pattern = Pattern::parse(text);
    if (!pattern) return pattern.error();
    if (!handler) return wrong_pattern(text, "expected a handler");
    const auto same_paths = [&](const Route& other) {
      return other.pattern.method == pattern->method &&
             std::ranges::equal(other.pattern.segments, pattern->segments,
                                [](const auto& a, const auto& b) {
                                  return a.part == b.part &&
                                         (a.part != Pattern::Part::Literal || a.text == b.text);
                                });
    };
    if (std::ranges::any_of(routes, same_paths)) {
      return wrong_pattern(text, "another route has the same method and paths");
    }
    routes.push_back({*std::move(pattern), handler});
  }
  std::ranges::sort(routes, {}, [](const Route& each) { return each.pattern.segments; });
  return std::unique_ptr<Routes>(new Routes(std::move(routes), options));
}

Routes::Routes(std::vector<Route> routes, const CacheServer::Options& options)
    : routes_(std::move(routes)), timeout_(options.route_timeout), logger_(options.runtime.logger) {
  if (routes_.empty()) return;
  threads_.emplace(ThreadPool::Options{
      .threads = options.route_threads, .name = "kube-route", .logger = logger_});
}

std::optional<Routes::Match> Routes::find(std::string_view method, std::string_view target) const {
  if (routes_.empty()) return std::nullopt;
  const auto path = segments_of(target);
  if (!path) return std::nullopt;
  if (method == "HEAD") method = "GET";
  std::set<std::string_view> allowed;
  for (const Route& each : routes_) {
    auto values = each.pattern.match(*path);
    if (!values) continue;
    if (each.pattern.method == method) return Match{&each, *std::move(values)};
    allowed.emplace(each.pattern.method);
  }
  if (allowed.empty()) return std::nullopt;
  return Match{.allowed = join(allowed, ", ")};
}

HttpResponse Routes::answer(const Match& match, const HttpRequest& request,
                            const serving::Query& query) {
  if (request.awaited) {
    return std::static_pointer_cast<RouteCall>(request.awaited)->take(request.accept);
  }
  RouteRequest asked{.path_values = match.values, .body = request.body};
  for (const auto& [name, value] : query.parameters()) asked.query.try_emplace(name, value);
  const auto call = std::make_shared<RouteCall>(match.route->handler, std::move(asked), logger_);
  threads_->submit([call] { call->run(); });
  HttpResponse later;
  later.await_revision = serving::AwaitedRevision{call.get(), 0, call, timeout_, true};
  return later;
}

void Routes::stop() {
  if (threads_) threads_->stop();
}

}  // namespace kube::cacheserver
