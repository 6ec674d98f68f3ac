// SPDX-License-Identifier: Apache-2.0
//
// kube::rest::BackoffManager: how long a client leaves a host alone that answers with errors:
// client-go's rest/urlbackoff.go (docs/reference/clients-and-config.md ch. 4).
#pragma once

#include <memory>
#include <stop_token>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/flow_control.hpp>
#include <kube/config/environment.hpp>

namespace kube::rest {

/// Users may implement their own.
/// @par Thread safety   All functions may be called from any thread.
class BackoffManager {
 public:
  virtual ~BackoffManager() = default;
  /// Returns the delay before the next request to this URL.
  virtual Duration calculate_backoff(std::string_view url) = 0;
  /// Records the outcome of an attempt: its code, 0 without a response.
  virtual void update_backoff(std::string_view url, int status) = 0;
  /// Waits for a delay, which is at least calculate_backoff().
  /// @par Blocks   For the delay, or until `stop` is requested.
  virtual WaitStatus pause(Clock& clock, Duration delay, std::stop_token stop);
};

/// Delays that double with each 429 and 5xx of a host and port, and end with any other outcome.
/// @par Thread safety   All functions may be called from any thread.
class UrlBackoff final : public BackoffManager {
 public:
  UrlBackoff(Duration initial, Duration max, std::shared_ptr<Clock> clock = real_clock());
  Duration calculate_backoff(std::string_view url) override;
  void update_backoff(std::string_view url, int status) override;

 private:
  const std::shared_ptr<Clock> clock_;
  flowcontrol::Backoff backoff_;
};

/// No delays; what clients use unless the environment says otherwise.
/// @par Thread safety   All functions may be called from any thread.
class NoBackoff final : public BackoffManager {
 public:
  Duration calculate_backoff(std::string_view /*url*/) override { return Duration::zero(); }
  void update_backoff(std::string_view /*url*/, int /*status*/) override {}
};

/// Returns an UrlBackoff when KUBE_CLIENT_BACKOFF_BASE and KUBE_CLIENT_BACKOFF_DURATION (the
/// maximum) are both whole numbers of seconds, else NoBackoff. Any thread may call it.
std::shared_ptr<BackoffManager> backoff_from_environment(const Environment& environment,
                                                         std::shared_ptr<Clock> clock);

}  // namespace kube::rest
