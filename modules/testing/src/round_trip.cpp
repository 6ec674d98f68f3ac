// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/round_trip.hpp>

#include <memory>
#include <optional>
#include <string>

#include <kube/transport/body_collector.hpp>

namespace kube::testing {

Result<transport::HttpResponse> round_trip(transport::RoundTripper& transport,
                                           transport::HttpRequest request, std::stop_token stop,
                                           std::size_t max_bytes) {
  const std::string doing = transport::printable_request(request);
  const auto collector = std::make_shared<transport::BodyCollector>(max_bytes, doing);
  const auto exchange = transport.start(std::move(request), collector, stop);
  auto response = collector->wait(*real_clock(), stop);
  if (!response) {
    // The transport ends the exchange by itself.
    return Error(ErrorCode::Cancelled, "stopped while waiting for the response")
        .with_context(doing);
  }
  // The exchange is still open when the body was too long; else this has no effect.
  if (!*response) exchange->cancel();
  return *std::move(response);
}

}  // namespace kube::testing
