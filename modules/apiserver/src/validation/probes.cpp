// SPDX-License-Identifier: Apache-2.0
//
// Probes and hooks of containers.
#include <algorithm>

#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

constexpr std::string_view kSchemes[] = {"HTTP", "HTTPS"};
constexpr std::string_view kHttpProtocols[] = {"HTTP1", "HTTP2"};
constexpr std::string_view kGrpcModes[] = {"Plaintext", "TLS"};
constexpr Member kProbeHandlers[] = {{"exec"}, {"httpGet"}, {"tcpSocket"}, {"grpc"}};
constexpr Member kHookHandlers[] = {{"exec"}, {"httpGet"}, {"tcpSocket"}, {"sleep"}};

void check_http_get(const Place& get) {
  check_port(get, "port");
  if (get.has("scheme") && std::ranges::find(kSchemes, get.text("scheme")) == std::end(kSchemes))
    get.not_supported("scheme", kSchemes);
  for (const json::Value& header : get.list("httpHeaders")) {
    const std::string_view name = header.string_at({"name"});
    report_problems(get, get.path("httpHeaders"), name, formats::http_header_name(name));
  }
  const std::string_view protocol = get.text("protocol");
  if (!get.has("protocol")) return;
  if (std::ranges::find(kHttpProtocols, protocol) == std::end(kHttpProtocols)) {
    get.not_supported("protocol", kHttpProtocols);
  } else if (protocol == "HTTP2" && get.text_or("scheme", "HTTP") != "HTTP") {
    get.invalid("protocol", "is only supported with HTTP (H2C)");
  } else if (protocol == "HTTP2" && !get.is_empty("host")) {
    get.invalid("host", "must be empty when `protocol` is \"HTTP2\"");
  }
}

void check_socket_port(const Place& action) {
  check_port(action, "port");
}

// A hook may not take longer than the pod has to end.
void check_sleep(const Place& sleep) {
  const Place* spec = &sleep;
  while (spec != nullptr && spec->type().name != "core.v1.PodSpec") spec = spec->parent();
  if (spec == nullptr) return;
  const std::int64_t grace = spec->number("terminationGracePeriodSeconds").value_or(30);
  const std::int64_t seconds = sleep.number("seconds").value_or(0);
  if (seconds >= 0 && seconds <= grace) return;
  sleep.report(meta::FieldError::invalid(
      sleep.path(), seconds,
      "must be non-negative and less than terminationGracePeriodSeconds (" + std::to_string(grace) +
          ")"));
}

void check_threshold(const Place& probe) {
  const std::int64_t threshold = probe.number("successThreshold").value_or(1);
  if (probe.name() == "readinessProbe") {
    if (probe.has("terminationGracePeriodSeconds"))
      probe.invalid("terminationGracePeriodSeconds", "must not be set for readinessProbes");
  } else if (threshold != 1 && threshold != 0) {
    probe.invalid("successThreshold", threshold, "must be 1");
  }
}

constexpr Rule kProbeRules[] = {
    rules::exactly(kProbeHandlers, "may not specify more than 1 handler type",
                   "must specify a handler type"),
    rules::not_negative("initialDelaySeconds"),
    rules::not_negative("timeoutSeconds"),
    rules::not_negative("periodSeconds"),
    rules::not_negative("successThreshold"),
    rules::not_negative("failureThreshold"),
    rules::at_least("terminationGracePeriodSeconds", 1, "must be greater than 0"),
    rules::call(check_threshold)};
constexpr Rule kHandlerRules[] = {rules::exactly(
    kHookHandlers, "may not specify more than 1 handler type", "must specify a handler type")};
constexpr Rule kLifecycleRules[] = {rules::into("postStart"), rules::into("preStop")};
constexpr Rule kExecRules[] = {rules::required("command")};
constexpr Rule kHttpGetRules[] = {rules::call(check_http_get), rules::skip("httpHeaders")};
constexpr Rule kSocketRules[] = {rules::call(check_socket_port)};
constexpr Rule kGrpcRules[] = {rules::call(check_socket_port), rules::one_of("mode", kGrpcModes)};
constexpr Rule kSleepRules[] = {rules::call(check_sleep)};

constexpr TypeRules kProbeTypes[] = {
    {"core.v1.Probe", kProbeRules},           {"core.v1.LifecycleHandler", kHandlerRules},
    {"core.v1.Lifecycle", kLifecycleRules},   {"core.v1.ExecAction", kExecRules},
    {"core.v1.HTTPGetAction", kHttpGetRules}, {"core.v1.TCPSocketAction", kSocketRules},
    {"core.v1.GRPCAction", kGrpcRules},       {"core.v1.SleepAction", kSleepRules},
};

}  // namespace

std::span<const TypeRules> probe_types() {
  return kProbeTypes;
}

}  // namespace kube::apiserver
