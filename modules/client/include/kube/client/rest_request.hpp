// SPDX-License-Identifier: Apache-2.0
//
// kube::RestRequest: any request to an API server, built step by step in client-go's words. For
// what Api<T> and RawApi don't offer: subresources of extension servers, paths outside of /api and
// /apis, own headers, raw bodies both ways.
//
//   kube::RestRequest request(client.rest(), {"", "v1"});
//   request.get().namespace_("web").resource("pods").name("front-0").sub_resource({"log"});
//   request.versioned_params(kube::core::v1::PodLogOptions{.container = "app"});
//   const auto log = request.do_raw(stop);
#pragma once

#include <chrono>
#include <concepts>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/client/content.hpp>
#include <kube/client/raw_watch.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/client/text_request.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/query.hpp>
#include <kube/codec/unstructured.hpp>

namespace kube {

/// The response to RestRequest::do_().
/// @par Thread safety   A value.
class RestResult {
 public:
  /// Returns the bytes of the response.
  /// @par Errors   Those of RestClient::send().
  Result<std::string> raw() const;
  /// Decodes the response, JSON or protobuf.
  /// @par Errors   Those of RestClient::send(). Server for a Status of failure, whatever the code.
  ///   Decode for an empty response, and one that is neither JSON nor protobuf or not a T.
  template <class T>
  Result<T> into() const {
    const auto body = object();
    if (!body) return body.error();
    return decode_object<T>(*body);
  }
  Result<Unstructured> get() const { return into<Unstructured>(); }

  /// Returns why the request failed, also when the response is a Status of failure.
  Optional<Error> error() const;
  int status_code() const { return status_; }  ///< 0 without a response.
  std::string content_type() const;
  bool was_created() const { return status_ == 201; }
  /// Returns the warnings of the response; the handler got them too.
  const std::vector<rest::Warning>& warnings() const& { return warnings_; }
  std::vector<rest::Warning> warnings() const&& { return warnings_; }

 private:
  friend class RestRequest;
  RestResult(Result<transport::HttpResponse> response, std::vector<rest::Warning> warnings);
  Result<std::string> object() const;

  Result<transport::HttpResponse> response_;
  int status_ = 0;
  std::vector<rest::Warning> warnings_;
};

/// A request that is not sent yet; it may be sent any number of times, also at once, and each has
/// its own retries. The first error of a setter stays: later setters do nothing, and sending fails
/// with it.
///
/// The path is prefix, namespaces/NAMESPACE, resource, name, subresources, suffix, in whichever
/// order they are set.
///
/// @par Thread safety   A value; const functions may be called from any thread; in a
///   response handler they fail, as RestClient::send() does.
/// @par Errors   Those of a setter, InvalidArgument: a part of the path that is set twice, that is
///   empty or that can't be a path segment. Those of RestClient::send().
/// @par Blocks   Until the response is complete, or begins; or `stop` is requested (Cancelled).
class RestRequest {
 public:
  /// Paths begin at the server's URL.
  explicit RestRequest(RestClient client);
  /// Paths begin at /api/VERSION, or /apis/GROUP/VERSION.
  RestRequest(RestClient client, const meta::GroupVersion& version);

  RestRequest& verb(std::string method);
  RestRequest& get() { return verb("GET"); }
  RestRequest& put() { return verb("PUT"); }
  RestRequest& post() { return verb("POST"); }
  RestRequest& delete_() { return verb("DELETE"); }
  /// Sets the Content-Type too: that of the patch.
  RestRequest& patch(std::string media_type);

  /// Adds segments before the resource part. A '/' at the end stays when nothing follows.
  RestRequest& prefix(const std::vector<std::string>& segments);
  /// Adds segments after the resource part.
  RestRequest& suffix(const std::vector<std::string>& segments);
  /// Replaces the prefix, below the path of the server's URL. Keeps the parameters.
  RestRequest& abs_path(const std::vector<std::string>& segments);
  /// Replaces prefix and parameters by those of "/path?a=b", which is relative to the server's URL
  /// as a link in a page is. Escapes what a URL can't have, such as spaces.
  RestRequest& request_uri(std::string_view uri);

  /// "" means all namespaces, or cluster scope.
  RestRequest& namespace_(std::string_view name);
  RestRequest& namespace_if_scoped(std::string_view name, bool scoped);
  RestRequest& resource(std::string_view plural);
  RestRequest& name(std::string_view name);
  RestRequest& sub_resource(const std::vector<std::string>& names);

  /// Adds a parameter; those of the same name stay.
  RestRequest& param(std::string name, std::string value);
  /// Adds the fields of options, such as ListOptions or PodLogOptions, that are set.
  template <Described T>
  RestRequest& versioned_params(const T& options) {
    for (auto& [name, value] : meta::to_query(options)) param(std::move(name), std::move(value));
    return *this;
  }
  /// Replaces all values of that header.
  RestRequest& set_header(std::string_view name, const std::vector<std::string>& values);
  /// Limits do_() and do_raw(), and is passed to the server as the parameter "timeout".
  RestRequest& timeout(std::chrono::milliseconds time);
  /// Limits the time without a byte from the server, for do_() and do_raw(); 0: no limit. Unset:
  /// see Request::idle_timeout.
  RestRequest& idle_timeout(std::chrono::milliseconds time);
  /// Which attempts follow, how often, and after how long. Unset: Config::retry, which this
  /// replaces as a whole: of {.max_retries = 1} the other members are the defaults. Change one
  /// member of a copy of client.config().retry, or call max_retries().
  RestRequest& retry(const rest::RetryPolicy& policy);
  /// Changes only the maximum of that; 0 or less: one attempt.
  RestRequest& max_retries(int count);
  RestRequest& back_off(std::shared_ptr<rest::BackoffManager> manager);
  RestRequest& throttle(std::shared_ptr<flowcontrol::RateLimiter> limiter);
  RestRequest& warning_handler(std::shared_ptr<rest::WarningHandler> handler);

  /// Sends these bytes; with an empty `content_type`, as JSON.
  RestRequest& body(std::string bytes, std::string content_type = {});
  /// Sends the content of a file, which is read now.
  RestRequest& body_file(const std::string& path, std::string content_type = {});
  /// Sends an object, in the encoding that the client's configuration has.
  template <class T>
  requires(Described<T> || std::same_as<T, Unstructured>) RestRequest& body(const T& object) {
    if (encodes_protobuf(preferred_encoding<T>())) {
      if constexpr (Described<T>) {
        return encoded_body(meta::to_protobuf(object), kProtobufMediaType);
      }
    }
    return encoded_body(meta::to_json(object) + "\n", kJsonMediaType);
  }
  /// As above; null is no body.
  template <class T>
  requires(Described<T> || std::same_as<T, Unstructured>) RestRequest& body(const T* object) {
    return object == nullptr ? *this : body(*object);
  }

  /// Sends the request.
  RestResult do_(std::stop_token stop = {}) const;
  /// Sends the request and returns the bytes of the response.
  /// @par Errors   Those of the class.
  Result<std::string> do_raw(std::stop_token stop = {}) const;
  /// Sends the request and returns the response as it arrives. Has no timeout of its own.
  /// @par Errors   Those of the class.
  Result<TextStream> stream(std::stop_token stop = {}) const;
  /// Sends the request and returns its events. Has no timeout of its own.
  /// @par Errors   Those of the class.
  Result<RawWatch> watch(std::stop_token stop = {}) const;

  /// Returns the first error of a setter.
  const Optional<Error>& error() const& { return error_; }
  Optional<Error> error() const&& { return error_; }
  /// Returns the URL, "" after an error.
  std::string url() const;
  /// Returns the URL with {namespace}, {name} and {value} in place of what differs from request to
  /// request, for metrics and logs.
  std::string url_template() const;

 private:
  /// A part of the path that may be set once.
  RestRequest& set_once(Optional<std::string>& part, std::string_view what, std::string value);
  RestRequest& fail(std::string text);
  bool encodes_protobuf(Encoding preferred) const;
  RestRequest& encoded_body(Result<std::string> bytes, std::string_view content_type);
  std::string path() const;
  Result<Request> request(std::string_view verb) const;
  Result<void> preflight() const;

  RestClient client_;
  Optional<Error> error_{};
  std::string method_ = "GET";
  std::string prefix_{};
  bool from_root_ = false;  // the prefix has the path of the server's URL
  std::vector<std::string> suffix_{};
  Optional<std::string> namespace_set_{};
  Optional<std::string> resource_{};
  Optional<std::string> name_{};
  Optional<std::string> sub_resource_{};
  Request settings_{};
};

}  // namespace kube
