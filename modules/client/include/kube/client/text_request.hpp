// SPDX-License-Identifier: Apache-2.0
//
// Requests whose response is a text instead of an API object: the log of a container, or the
// response of a pod or service through the server's proxy.
//
//   auto log = clientset.core_v1().pods("web").get_logs("front-0", {.follow = true}).stream(stop);
//   if (!log) return log.error();
//   while (auto text = log->next(stop)) {
//     if (!*text) return text->error();
//     std::cout << **text;
//   }
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/clock.hpp>
#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/client/raw_api.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/codec/query.hpp>

namespace kube {

/// Text as it arrives. Text that arrives before next() takes it is buffered up to 1 MiB; then the
/// server has to wait.
///
/// @par Thread safety   next() by one thread at a time; stop() from any thread.
/// @par Stopping   stop(), the token of TextRequest::stream(), or the destructor; none of them
///   blocks.
class TextStream {
 public:
  TextStream(TextStream&&) noexcept;
  TextStream& operator=(TextStream&&) noexcept;
  ~TextStream();

  /// Returns the next text, which may begin and end anywhere; nullopt at the end of the response
  /// and after an error.
  /// @par Errors   Unreachable, Timeout, Credentials: the connection broke. Cancelled when `stop`
  ///   is requested; the stream continues.
  /// @par Blocks   Until text arrives, the response ends, or `stop` is requested.
  Optional<Result<std::string>> next(std::stop_token stop = {});
  void stop();

 private:
  friend class TextRequest;
  class State;
  TextStream(std::shared_ptr<State> state, std::shared_ptr<transport::Exchange> exchange);
  std::shared_ptr<State> state_;
  std::shared_ptr<transport::Exchange> exchange_;
};

/// A GET that is not sent yet; it may be sent any number of times. Only rest::Config::timeout and
/// within() limit it, because a container or a service may be silent for any time.
///
/// @par Thread safety   A value; const functions may be called from any thread; in a
///   response handler they fail, as RestClient::send() does.
/// @par Errors   As RestClient::send(), and InvalidArgument for names that can't be in a path.
class TextRequest {
 public:
  TextRequest(RestClient client, Result<Request> request)
      : client_(std::move(client)), request_(std::move(request)) {}

  /// Returns the request with a time limit, as Api<T>::within(): for do_raw() until the response is
  /// complete, for stream() until it begins.
  TextRequest within(Duration limit) const;
  /// Returns the request with the limit of `api`, if it has one.
  TextRequest limited_as(const RawApi& api) const;

  /// Returns the whole response.
  /// @par Errors   Those of the class.
  /// @par Blocks   Until it is complete, or `stop` is requested (Cancelled).
  Result<std::string> do_raw(std::stop_token stop = {}) const;
  /// Returns the response as a stream. Retries as RestClient::send() does when the server asks for
  /// it, but not when the connection fails.
  /// @par Errors   Those of the class.
  /// @par Blocks   Until the response begins. A request on `stop` ends the wait (Cancelled), and
  ///   later the stream.
  Result<TextStream> stream(std::stop_token stop = {}) const;

 private:
  Result<Request> request() const;

  RestClient client_;
  Result<Request> request_;
  std::optional<Duration> limit_{};
  std::optional<TimePoint> deadline_{};
};

/// Makes a request for text: GET .../{name}/{subresource}[/{path}]?query. For proxies, `name` may
/// be "scheme:name:port".
TextRequest get_text(const RestClient& client, const meta::ResourceInfo& resource,
                     std::string_view namespace_, std::string_view name,
                     std::string_view subresource, std::string_view path, QueryParameters query);

/// Returns "scheme:name:port" for the server's proxy; `name` alone when the others are empty.
/// @par Errors   InvalidArgument: no name.
Result<std::string> proxy_name(std::string_view scheme, std::string_view name,
                               std::string_view port);

/// Makes a request through the proxy of a pod or service:
/// GET .../[scheme:]name[:port]/proxy/path?query, with the limit of RawApi::within(). When
/// proxy_name() fails, do_raw() and stream() fail with its error.
TextRequest get_proxied(const RawApi& api, std::string_view scheme, std::string_view name,
                        std::string_view port, std::string_view path, QueryParameters query);

/// The parts of a name that proxy_name() makes.
struct ProxyTarget {
  std::string scheme{};
  std::string name{};
  std::string port{};
  bool operator==(const ProxyTarget&) const = default;
};
/// Splits "name", "name:port" and "scheme:name:port".
/// @par Errors   InvalidArgument: no name, a scheme other than http and https, more parts.
Result<ProxyTarget> split_proxy_name(std::string_view text);

}  // namespace kube
