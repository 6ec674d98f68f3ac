// SPDX-License-Identifier: Apache-2.0
//
// Requests whose answer is no API object: the log of a container, what a pod or service says behind
// the server's proxy.
//
//   auto log = clientset.core_v1().pods("web").get_logs("front-0", {.follow = true}).stream(stop);
//   if (!log) return log.error();
//   while (auto text = log->next(stop)) {
//     if (!*text) return text->error();
//     std::cout << **text;
//   }
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/client/raw_api.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/codec/query.hpp>

namespace kube {

/// Text as it arrives. What arrives faster than it is taken is buffered up to a bound, then the
/// server is held back.
///
/// @par Thread safety   next() by one thread at a time; stop() by any.
/// @par Stopping   stop(), the token given to TextRequest::stream(), or the destructor; none
/// blocks.
class TextStream {
 public:
  TextStream(TextStream&&) noexcept;
  TextStream& operator=(TextStream&&) noexcept;
  ~TextStream();

  /// What has come since the last call, cut anywhere; nothing once the answer has ended. An Error
  /// (the connection broke) is followed by nothing.
  /// @par Blocks   Until there is something or `stop` (Cancelled; the stream goes on).
  Optional<Result<std::string>> next(std::stop_token stop = {});
  void stop();

 private:
  friend class TextRequest;
  class State;
  TextStream(std::shared_ptr<State> state, std::shared_ptr<transport::Exchange> exchange);
  std::shared_ptr<State> state_;
  std::shared_ptr<transport::Exchange> exchange_;
};

/// A GET that has not been sent yet; it may be sent any number of times. A value. Its only bound is
/// rest::Config::timeout: how long a container or a service is silent is no business of the
/// server's.
///
/// @par Errors   Those of RestClient::send(), and InvalidArgument for names that can't be in a
/// path.
class TextRequest {
 public:
  TextRequest(RestClient client, Result<Request> request)
      : client_(std::move(client)), request_(std::move(request)) {}

  /// The whole answer.
  /// @par Blocks   Until it is complete.
  Result<std::string> do_raw(std::stop_token stop = {}) const;
  /// The answer as it comes. Not tried again when the connection fails.
  /// @par Blocks   Until it begins. `stop` ends it, and later the stream.
  Result<TextStream> stream(std::stop_token stop = {}) const;

 private:
  RestClient client_;
  Result<Request> request_;
};

/// A GET of text below a resource: GET .../{name}/{subresource}[/{path}]?query. For proxies, `name`
/// may be "scheme:name:port".
TextRequest get_text(const RestClient& client, const meta::ResourceInfo& resource,
                     std::string_view namespace_, std::string_view name,
                     std::string_view subresource, std::string_view path, QueryParameters query);

/// "scheme:name:port" as the server's proxy wants it; plain `name` when the two others are empty.
/// @par Errors   InvalidArgument for a scheme without a name.
Result<std::string> proxy_name(std::string_view scheme, std::string_view name,
                               std::string_view port);

/// A GET through the proxy of a pod or service: GET .../[scheme:]name[:port]/proxy/path?query.
/// do_raw() and stream() fail with what proxy_name() fails with.
TextRequest get_proxied(const RawApi& api, std::string_view scheme, std::string_view name,
                        std::string_view port, std::string_view path, QueryParameters query);

/// What proxy_name() put together.
struct ProxyTarget {
  std::string scheme{};
  std::string name{};
  std::string port{};
  bool operator==(const ProxyTarget&) const = default;
};
/// Takes "name", "name:port" and "scheme:name:port" apart.
/// @par Errors   InvalidArgument: no name, a scheme other than http and https, more parts.
Result<ProxyTarget> split_proxy_name(std::string_view text);

}  // namespace kube
