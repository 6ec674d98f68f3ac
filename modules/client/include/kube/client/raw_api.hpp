// SPDX-License-Identifier: Apache-2.0
//
// kube::RawApi: the verbs of one resource with bytes in and bytes out. Api<T> is a thin shell over
// it; use it where the bytes themselves are wanted.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/client/list.hpp>
#include <kube/client/raw_watch.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/meta/options.hpp>
#include <kube/names/group_version.hpp>
#include <kube/patch/patch.hpp>

namespace kube {

/// A cheap handle; copies share the client.
///
/// Bytes are JSON, unless it prefers protobuf: then bodies may be either (body_encoding() is what
/// the server is known to take) and so may answers (encoding_of() tells), each with its envelope.
///
/// Answers are objects, of at most kMaxObjectBytes: a Status of failure is an Error even with code
/// 200. An empty `subresource`
/// means the object itself.
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Errors   Those of RestClient::send(); InvalidArgument for names that can't be in a path;
///   Decode for an answer that is neither JSON nor, where it was
///   asked for, protobuf.
/// @par Blocks   Until answered, or `stop`.
class RawApi {
 public:
  /// An empty namespace: cluster scope, or all namespaces.
  RawApi(RestClient client, meta::ResourceInfo resource, std::string namespace_ = {},
         Encoding preferred = Encoding::Json);
  /// The same resource for a type with this best encoding.
  RawApi preferring(Encoding encoding) const;

  const RestClient& rest() const& { return client_; }
  RestClient rest() const&& { return client_; }
  const meta::ResourceInfo& resource() const& { return resource_; }
  meta::ResourceInfo resource() const&& { return resource_; }
  const std::string& namespace_() const& { return in_namespace_; }
  std::string namespace_() const&& { return in_namespace_; }
  /// What bodies are best sent as.
  Encoding body_encoding() const { return content().body; }

  Result<std::string> get(std::string_view name, std::string_view subresource,
                          const GetOptions& options, std::stop_token stop) const;
  Result<RawList> list(const ListOptions& options, std::stop_token stop) const;
  Result<RawWatch> watch(const ListOptions& options, std::stop_token stop) const;
  /// `name` matters for subresources only: POST .../name/subresource.
  Result<std::string> create(std::string_view name, std::string_view subresource, std::string body,
                             const CreateOptions& options, std::stop_token stop) const;
  Result<std::string> update(std::string_view name, std::string_view subresource, std::string body,
                             const UpdateOptions& options, std::stop_token stop) const;
  /// Patch::apply() needs PatchOptions::field_manager and refuses documents with managedFields.
  Result<std::string> patch(std::string_view name, std::string_view subresource, const Patch& patch,
                            const PatchOptions& options, std::stop_token stop) const;
  /// The answer is the object, or a Status of success.
  Result<std::string> delete_(std::string_view name, const DeleteOptions& options,
                              std::stop_token stop) const;
  /// The answer is the list of what is being deleted, or a Status of success.
  Result<std::string> delete_collection(const DeleteOptions& options, const ListOptions& list,
                                        std::stop_token stop) const;

  /// Visits a long list page by page (ListOptions::limit, else 500), as client-go's pager: pages
  /// after the first ask without resourceVersion, which their continue token holds.
  ///
  /// When the server has forgotten the list in the middle (410 Expired): with `restart` it is
  /// called, and one unlimited list follows; without, that is the error. An error of `visit` ends
  /// it, and Decode when the server gives a continue token for the second time. A server that leads
  /// on by pages less than half full is followed slower and slower (RequestPace), until `stop`.
  Result<void> for_each_page(const ListOptions& options,
                             const std::function<Result<void>(const RawList&)>& visit,
                             const std::function<void()>& restart, std::stop_token stop) const;

  /// The requests behind list() and watch(), for those who stream them (RestClient::start()).
  Result<Request> list_request(const ListOptions& options) const;
  Result<Request> watch_request(const ListOptions& options) const;

  friend bool operator==(const RawApi&, const RawApi&) = default;

 private:
  Result<Request> request(std::string_view verb, std::string_view method, std::string_view name,
                          std::string_view subresource) const;
  Result<Request> object_request(std::string_view verb, std::string_view method,
                                 std::string_view name, std::string_view subresource) const;
  ContentChoice content() const;
  Result<std::string> send(Request request, std::stop_token stop) const;
  Result<std::string> send_with_options(Request request, const DeleteOptions& options,
                                        std::stop_token stop) const;

  RestClient client_;
  meta::ResourceInfo resource_;
  std::string in_namespace_;
  Encoding preferred_;
};

}  // namespace kube
