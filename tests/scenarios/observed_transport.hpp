// SPDX-License-Identifier: Apache-2.0
//
// The real transport, seen from outside: what was asked and answered over it. It can be cut off, as
// a network that fails does.
#pragma once

#include <cstddef>
#include <memory>

#include <kube/transport/curl_transport.hpp>

namespace scenarios {

/// @par Thread safety   All functions may be called from any thread.
class ObservedTransport final : public kube::transport::RoundTripper {
 public:
  explicit ObservedTransport(std::shared_ptr<kube::transport::CurlTransport> real);
  ~ObservedTransport() override;

  std::shared_ptr<kube::transport::Exchange> start(
      kube::transport::HttpRequest request,
      std::shared_ptr<kube::transport::ResponseHandler> handler, std::stop_token stop) override;

  kube::transport::CurlTransport::Stats stats() const { return real_->stats(); }
  /// Answers whose head has arrived.
  std::size_t responses() const;
  /// Those with the status 201 to a binding.
  std::size_t bindings() const;
  /// Those with the status 429 and a Retry-After.
  std::size_t throttled() const;
  /// Exchanges to other places than https.
  std::size_t without_tls() const;
  /// Requests whose body is protobuf, and answers in protobuf.
  std::size_t protobuf_requests() const;
  std::size_t protobuf_responses() const;
  /// Requests for a watch so far.
  std::size_t watches() const;
  /// Those that have not ended.
  std::size_t open_watches() const;

  /// Cut: exchanges under way end as those of a broken connection do, new ones are refused.
  void set_cut(bool cut);

 private:
  struct State;
  class Observer;
  std::shared_ptr<kube::transport::CurlTransport> real_;
  std::shared_ptr<State> state_;
};

}  // namespace scenarios
