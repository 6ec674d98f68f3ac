// SPDX-License-Identifier: Apache-2.0
#include <kube/client/backoff_manager.hpp>

#include <charconv>
#include <optional>
#include <string>

#include <kube/transport/url.hpp>

namespace kube::rest {
namespace {

// Requests to all paths of a host and port share their delays.
std::string backoff_key(std::string_view url) {
  const Result<transport::Url> parsed = transport::parse_url(url);
  return parsed ? parsed->authority : std::string(url);
}

std::optional<Duration> whole_seconds(const Environment& environment, std::string_view name) {
  const std::string text = environment(name).value_or("");
  int seconds = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds(seconds);
}

}  // namespace

WaitStatus BackoffManager::pause(Clock& clock, Duration delay, std::stop_token stop) {
  if (delay <= Duration::zero()) {
    return stop.stop_requested() ? WaitStatus::Stopped : WaitStatus::TimedOut;
  }
  return clock.sleep_for(delay, std::move(stop));
}

UrlBackoff::UrlBackoff(Duration initial, Duration max, std::shared_ptr<Clock> clock)
    : clock_(clock), backoff_({.initial = initial, .max = max}, std::move(clock)) {}

Duration UrlBackoff::calculate_backoff(std::string_view url) {
  return backoff_.get(backoff_key(url));
}

void UrlBackoff::update_backoff(std::string_view url, int status) {
  if (status == 429 || status > 499) {
    backoff_.next(backoff_key(url), clock_->now());
  } else {
    backoff_.reset(backoff_key(url));
  }
}

std::shared_ptr<BackoffManager> backoff_from_environment(const Environment& environment,
                                                         std::shared_ptr<Clock> clock) {
  const std::optional<Duration> base = whole_seconds(environment, "KUBE_CLIENT_BACKOFF_BASE");
  const std::optional<Duration> max = whole_seconds(environment, "KUBE_CLIENT_BACKOFF_DURATION");
  if (!base || !max) return std::make_shared<NoBackoff>();
  return std::make_shared<UrlBackoff>(*base, *max, std::move(clock));
}

}  // namespace kube::rest
