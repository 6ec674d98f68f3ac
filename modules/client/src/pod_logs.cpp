// SPDX-License-Identifier: Apache-2.0
#include <kube/client/pod_logs.hpp>

#include <string>

namespace kube {

QueryParameters to_query(const core::v1::PodLogOptions& options) {
  QueryParameters query;
  const auto flag = [&](const char* name, bool value) {
    if (value) query.emplace_back(name, "true");
  };
  const auto number = [&](const char* name, const std::optional<std::int64_t>& value) {
    if (value) query.emplace_back(name, std::to_string(*value));
  };
  if (!options.container.empty()) query.emplace_back("container", options.container);
  flag("follow", options.follow);
  flag("previous", options.previous);
  number("sinceSeconds", options.since_seconds);
  if (options.since_time) query.emplace_back("sinceTime", options.since_time->to_string());
  flag("timestamps", options.timestamps);
  number("tailLines", options.tail_lines);
  number("limitBytes", options.limit_bytes);
  flag("insecureSkipTLSVerifyBackend", options.insecure_skip_tls_verify_backend);
  if (options.stream) query.emplace_back("stream", *options.stream);
  return query;
}

}  // namespace kube
