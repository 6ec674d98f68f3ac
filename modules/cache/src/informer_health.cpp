// SPDX-License-Identifier: Apache-2.0
//
// Judges informers by their status.
#include <kube/cache/informer_health.hpp>

#include <chrono>
#include <string>
#include <vector>

#include <kube/base/join.hpp>

namespace kube {
namespace {

std::string seconds_text(Duration time) {
  return std::to_string(std::chrono::floor<std::chrono::seconds>(time).count()) + " s";
}

/// Returns what is wrong; empty when nothing is.
std::string sickness(const InformerStatus& status, const HealthOptions& options) {
  if (status.awaits_first_use) return "";
  if (status.state == InformerState::NotStarted) return "not started";
  if (status.state == InformerState::Stopped) return "stopped";
  const Duration staleness = status.since_proof_of_life.value_or(Duration::zero());
  if (staleness > options.max_staleness) {
    return "the server was not heard of for " + seconds_text(staleness) + ", expected at most " +
           seconds_text(options.max_staleness);
  }
  for (const HandlerStatus& handler : status.handlers) {
    if (handler.fell_behind) return "handler " + handler.name + " fell behind and is unregistered";
  }
  if (!options.synced || status.synced) return "";
  std::string text = "not synced: " + std::to_string(status.received) + " objects received";
  if (status.expected) text += ", expected " + std::to_string(*status.expected);
  return text;
}

}  // namespace

Result<void> check_health(std::string_view name, const InformerStatus& status,
                          const HealthOptions& options) {
  std::string text = sickness(status, options);
  if (text.empty()) return {};
  if (status.last_error) text += "; last error: " + status.last_error->to_string();
  return Error(ErrorCode::Unreachable, std::move(text)).with_context(name);
}

Result<void> check_health(const SharedInformerFactory& factory, const HealthOptions& options) {
  std::vector<std::string> texts;
  for (const auto& [name, status] : factory.status()) {
    if (status.state == InformerState::Stopped && !factory.is_shut_down()) continue;
    const Result<void> healthy = check_health(name, status, options);
    if (!healthy) texts.push_back(healthy.error().to_string());
  }
  if (texts.empty()) return {};
  return Error(ErrorCode::Unreachable, join(texts, "; "));
}

}  // namespace kube
