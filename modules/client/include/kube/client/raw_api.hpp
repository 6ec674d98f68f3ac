// SPDX-License-Identifier: Apache-2.0
//
// kube::RawApi: the verbs of one resource, with request and response bodies as bytes. Api<T>
// encodes and decodes on top of it; use RawApi when you need the bytes themselves.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/client/list.hpp>
#include <kube/client/raw_watch.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/meta/options.hpp>
#include <kube/names/group_version.hpp>
#include <kube/patch/patch.hpp>

namespace kube {

namespace detail {
class AsyncAnswers;
class AsyncCall;
}  // namespace detail

/// A cheap handle; copies share the client.
///
/// Bodies are JSON. With protobuf preferred, request bodies may have either encoding (see
/// body_encoding()) and so may responses (see encoding_of()), in protobuf each with its envelope.
///
/// Responses are objects of at most kMaxObjectBytes. A Status of failure is an Error even with code
/// 200. An empty `subresource` means the object itself.
///
/// @par Thread safety   All functions may be called from any thread; in a response handler they
///   fail, as RestClient::send() does.
/// @par Errors   As RestClient::send(); InvalidArgument for names that can't be in a path or are
///   missing; Decode for a response that is neither JSON nor, when it was requested, protobuf.
/// @par Blocks   Until the response is complete, or `stop` is requested (Cancelled).
class RawApi {
 public:
  /// An empty namespace: cluster scope, or all namespaces.
  RawApi(RestClient client, meta::ResourceInfo resource, std::string namespace_ = {},
         Encoding preferred = Encoding::Json);
  /// The same resource with another preferred encoding, and with responses in another form. Bodies
  /// for metadata are JSON.
  RawApi preferring(Encoding encoding, ResponseForm form = ResponseForm::Object) const;
  /// The same resource with a time limit for each call; see Api<T>::within().
  RawApi within(Duration limit) const;
  /// The same with the limit of within() running from now: for a call that is made of several.
  RawApi started() const;

  const RestClient& rest() const& { return client_; }
  RestClient rest() const&& { return client_; }
  const meta::ResourceInfo& resource() const& { return resource_; }
  meta::ResourceInfo resource() const&& { return resource_; }
  const std::string& namespace_() const& { return in_namespace_; }
  std::string namespace_() const&& { return in_namespace_; }
  /// Returns the best encoding for bodies that the server is known to accept.
  Encoding body_encoding() const { return content().body; }
  /// Returns the limit of within(), if there is one.
  std::optional<Duration> limit() const { return limit_; }
  /// Returns the end that started() has set.
  std::optional<TimePoint> deadline() const { return deadline_; }
  /// Returns the end of a call that begins now, by within(); nullopt without a limit.
  std::optional<CallBound> bound() const;

  /// @par Errors   Those of the class. Api<T> lists the Statuses to expect from each verb.
  Result<std::string> get(std::string_view name, std::string_view subresource,
                          const GetOptions& options, std::stop_token stop = {}) const;
  Result<RawList> list(const ListOptions& options, std::stop_token stop = {}) const;
  Result<RawWatch> watch(const ListOptions& options, std::stop_token stop = {}) const;
  /// `name` is used for subresources only: POST .../name/subresource.
  Result<std::string> create(std::string_view name, std::string_view subresource, std::string body,
                             const CreateOptions& options, std::stop_token stop = {}) const;
  Result<std::string> update(std::string_view name, std::string_view subresource, std::string body,
                             const UpdateOptions& options, std::stop_token stop = {}) const;
  /// Patch::apply() needs PatchOptions::field_manager and refuses documents with managedFields.
  /// When `created` is not null, it receives whether the server says that it has created the object
  /// (201), as an apply does.
  Result<std::string> patch(std::string_view name, std::string_view subresource, const Patch& patch,
                            const PatchOptions& options, std::stop_token stop = {},
                            bool* created = nullptr) const;
  /// Returns the object, or a Status of success.
  Result<std::string> delete_(std::string_view name, const DeleteOptions& options,
                              std::stop_token stop = {}) const;
  /// Returns the list of the objects that are being deleted, or a Status of success.
  Result<std::string> delete_collection(const DeleteOptions& options, const ListOptions& list,
                                        std::stop_token stop = {}) const;

  /// Visits a long list page by page (ListOptions::limit objects, 500 by default), as client-go's
  /// pager: requests after the first have no resourceVersion, because the continue token has it.
  ///
  /// When the continue token expires on the way (410 Expired), calls `restart` and then requests
  /// the list again without a limit; without `restart` it fails. A server whose pages are less than
  /// half full is asked more and more slowly (RequestPace), until `stop` is requested.
  /// @par Errors   The error of `visit`, which ends the iteration; Expired; Decode when the server
  ///   returns a continue token twice; and those of the class.
  Result<void> for_each_page(const ListOptions& options,
                             const std::function<Result<void>(RawList&&)>& visit,
                             const std::function<void()>& restart, std::stop_token stop = {}) const;

  /// Return the requests that list() and watch() send, for callers that stream the response
  /// (RestClient::start()).
  /// @par Errors   InvalidArgument for names that can't be in a path.
  Result<Request> list_request(const ListOptions& options) const;
  Result<Request> watch_request(const ListOptions& options) const;

  friend bool operator==(const RawApi&, const RawApi&) = default;

 private:
  friend class detail::AsyncCall;
  Result<Request> request(std::string_view verb, std::string_view method, std::string_view name,
                          std::string_view subresource) const;
  Result<Request> object_request(std::string_view verb, std::string_view method,
                                 std::string_view name, std::string_view subresource) const;
  ContentChoice content() const;
  Result<transport::HttpResponse> exchange(const Request& request, std::stop_token stop) const;
  std::string accept(bool is_list) const;
  Result<std::string> send(Request request, std::stop_token stop, int* status = nullptr) const;
  Result<std::string> send_with_options(Request request, const DeleteOptions& options,
                                        std::stop_token stop) const;

  RestClient client_;
  meta::ResourceInfo resource_;
  std::string in_namespace_;
  Encoding preferred_;
  ResponseForm form_ = ResponseForm::Object;
  std::optional<Duration> limit_{};      // of each call
  std::optional<TimePoint> deadline_{};  // of a call that has begun
  // Answers requests instead of the client.
  std::shared_ptr<detail::AsyncAnswers> answers_{};
};

}  // namespace kube
