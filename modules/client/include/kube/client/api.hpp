// SPDX-License-Identifier: Apache-2.0
//
// kube::Api<T>: the API verbs for one type, in one namespace or all of them.
//
//   Api<core::v1::Pod> pods = client.api<core::v1::Pod>("web");
//   Result<core::v1::Pod> pod = pods.get("front-0");
//   if (!pod && is_not_found(pod.error())) std::cout << "there is none\n";
//   if (!pod) return pod.error();
//   pod->metadata.labels["seen"] = "yes";
//   Result<core::v1::Pod> updated = pods.update(*pod);  // Conflict if somebody else was faster
//
// T is a type made by kube-gen, or Unstructured with a ResourceInfo (Client::api(resource)): the
// verbs are the same. Types that have protobuf are sent and asked for in it, unless the
// configuration says otherwise or the server won't have it; all others speak JSON.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/client/apply_document.hpp>
#include <kube/client/content.hpp>
#include <kube/client/list.hpp>
#include <kube/client/raw_api.hpp>
#include <kube/client/watch_stream.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/object.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/options.hpp>
#include <kube/patch/patch.hpp>

namespace kube {

/// An object with an identity of its own: no list, no part of an object.
template <class T>
concept ApiObject = std::same_as<T, Unstructured> ||(Object<T>&& requires(const T& object) {
  { object.metadata.name } -> std::convertible_to<std::string_view>;
  { object.metadata.uid } -> std::convertible_to<std::string_view>;
});

/// What a server answers to a delete: the object as it stands now (it goes when its grace period is
/// over and its finalizers are done, or has gone already), or a Status of success.
template <ApiObject T>
struct DeleteResult {
  Optional<T> object{};
  Optional<json::Value> status{};
};

namespace detail {

Optional<json::Value> status_in(const std::string& body);
Error missing_name(std::string_view where);

template <ApiObject T>
std::string_view name_of(const T& object) {
  if constexpr (std::same_as<T, Unstructured>) {
    return object.name();
  } else {
    return object.metadata.name;
  }
}

// Hands the object to `send` (bytes) -> Result<std::string>, in protobuf where type and server have
// it. A server that refuses that has not looked at it, and gets it as one line of JSON.
template <class T, class Send>
Result<std::string> send_object(const RawApi& api, const T& object, Send&& send) {
  if constexpr (Described<T>) {
    if (api.body_encoding() == Encoding::Protobuf &&
        preferred_encoding<T>() == Encoding::Protobuf) {
      Result<std::string> body = meta::to_protobuf(object);
      if (!body) return body.error();
      Result<std::string> answer = send(*std::move(body));
      if (answer || !is_unsupported_media_type(answer.error()) ||
          api.body_encoding() == Encoding::Protobuf) {
        return answer;
      }
    }
  }
  return send(meta::to_json(object) + "\n");
}

// What an operation did, for the context of errors in its answer.
struct Operation {
  const RawApi& api;
  std::string_view verb;
  std::string_view name = {};
  std::string_view subresource = {};

  Error failed(const Error& error) const;
};

template <class T>
Result<T> decoded(const Result<std::string>& body, const Operation& operation) {
  if (!body) return body.error();
  Result<T> object = decode_object<T>(*body);
  if (!object) return operation.failed(object.error());
  return object;
}

template <class T>
Result<void> decode_page(const RawList& page, std::vector<T>& into, const Operation& operation) {
  auto appended = append_items(page, into);
  if (!appended) return operation.failed(appended.error());
  return {};
}

}  // namespace detail

/// A cheap handle; copies share the client, and compare equal if they were made alike.
///
/// Each function sends one request, unless it says otherwise, and blocks until it is answered or
/// `stop` asks to stop (Cancelled; a write may have been done). By default there is no bound on the
/// whole of a request, as in client-go (rest::Config::timeout sets one); but a server that sends
/// nothing for 90 s (rest::Config::idle_timeout) ends it with Timeout. Of the waits that a server
/// asks for by Retry-After, ten are obeyed, of a minute each at most (RestClient::send()). A watch
/// has to begin within 30 s; then it and streams of text may be silent for as long as they like.
///
/// @par Thread safety   All functions may be called from any thread, but not the transport's.
/// @par Errors   Server with the whole Status (meta::status_of; is_not_found, is_conflict, ...),
///   the transport's codes, InvalidArgument for names that can't be sent, Decode for an answer that
///   is not a T.
template <ApiObject T>
class Api {
 public:
  explicit Api(RawApi raw) : raw_(raw.preferring(preferred_encoding<T>())) {}

  const meta::ResourceInfo& resource() const& { return raw_.resource(); }
  meta::ResourceInfo resource() const&& { return raw_.resource(); }
  /// Empty: cluster scope, or all namespaces.
  const std::string& namespace_() const& { return raw_.namespace_(); }
  std::string namespace_() const&& { return raw_.namespace_(); }
  const RawApi& raw() const& { return raw_; }
  RawApi raw() const&& { return raw_; }

  Result<T> get(std::string_view name, const GetOptions& options = {},
                std::stop_token stop = {}) const {
    return detail::decoded<T>(raw_.get(name, "", options, std::move(stop)), {raw_, "get", name});
  }

  /// One page: ListOptions::limit objects and continue_, or everything when limit is 0.
  Result<List<T>> list(const ListOptions& options = {}, std::stop_token stop = {}) const {
    const Result<RawList> raw = raw_.list(options, std::move(stop));
    if (!raw) return raw.error();
    List<T> list;
    static_cast<ListInfo&>(list) = raw->info();
    auto decoded = detail::decode_page(*raw, list.items, {raw_, "list"});
    if (!decoded) return decoded.error();
    return list;
  }

  /// All pages (of ListOptions::limit, else 500 objects) as one list with the first one's
  /// resourceVersion. When the server forgets the list on the way (410), it is fetched again in one
  /// piece. Holds one page of text and all objects.
  Result<List<T>> list_all(const ListOptions& options = {}, std::stop_token stop = {}) const {
    List<T> list;
    bool first = true;
    auto fetched = raw_.for_each_page(
        options,
        [&](const RawList& page) {
          if (std::exchange(first, false)) list.resource_version = page.info().resource_version;
          return detail::decode_page(page, list.items, {raw_, "list"});
        },
        [&] {
          list = {};
          first = true;
        },
        std::move(stop));
    if (!fetched) return fetched.error();
    return list;
  }

  /// Calls `visit` (T) -> Result<void> for each object, page by page, without holding more than a
  /// page. Its error ends the walk and is returned; so does a 410 on the way (is_resource_expired),
  /// after which some objects have been visited.
  template <class Visit>
  Result<void> for_each(const ListOptions& options, Visit&& visit,
                        std::stop_token stop = {}) const {
    return raw_.for_each_page(
        options,
        [&](const RawList& page) -> Result<void> {
          for (std::size_t i = 0; i < page.size(); ++i) {
            Result<T> object = decode_item<T>(page, i);
            if (!object) return detail::Operation{raw_, "list"}.failed(object.error());
            if (Result<void> visited = visit(std::move(*object)); !visited) return visited;
          }
          return {};
        },
        nullptr, std::move(stop));
  }

  /// Opens a watch, which stays open until the server ends it, it is destroyed, or `stop`.
  Result<WatchStream<T>> watch(const ListOptions& options = {}, std::stop_token stop = {}) const {
    Result<RawWatch> raw = raw_.watch(options, std::move(stop));
    if (!raw) return raw.error();
    return WatchStream<T>(*std::move(raw));
  }

  Result<T> create(const T& object, const CreateOptions& options = {},
                   std::stop_token stop = {}) const {
    return detail::decoded<T>(
        detail::send_object(
            raw_, object,
            [&](std::string body) { return raw_.create("", "", std::move(body), options, stop); }),
        {raw_, "create"});
  }

  /// Replaces the object of the same name. With metadata.resourceVersion set it fails with Conflict
  /// when the object has changed since (retry_on_conflict() helps).
  Result<T> update(const T& object, const UpdateOptions& options = {},
                   std::stop_token stop = {}) const {
    return update_subresource<T>(detail::name_of(object), "", object, options, std::move(stop));
  }
  /// Replaces the status only.
  Result<T> update_status(const T& object, const UpdateOptions& options = {},
                          std::stop_token stop = {}) const {
    return update_subresource<T>(detail::name_of(object), "status", object, options,
                                 std::move(stop));
  }

  Result<T> patch(std::string_view name, const Patch& patch, const PatchOptions& options = {},
                  std::stop_token stop = {}) const {
    return patch_subresource<T>(name, "", patch, options, std::move(stop));
  }
  Result<T> patch_status(std::string_view name, const Patch& patch,
                         const PatchOptions& options = {}, std::stop_token stop = {}) const {
    return patch_subresource<T>(name, "status", patch, options, std::move(stop));
  }

  /// Server-side apply of a document that holds what the caller owns, with apiVersion, kind and
  /// metadata.name. ApplyOptions::field_manager is required.
  Result<T> apply(const json::Value& document, const ApplyOptions& options,
                  std::stop_token stop = {}) const {
    return apply_document_to("", document, options, std::move(stop));
  }
  Result<T> apply_status(const json::Value& document, const ApplyOptions& options,
                         std::stop_token stop = {}) const {
    return apply_document_to("status", document, options, std::move(stop));
  }

  /// The same of what is set in an object (apply_document() says what that is): for objects made
  /// for this, not for ones that were read.
  Result<T> apply(const T& object, const ApplyOptions& options,
                  std::stop_token stop = {}) const requires Described<T> {
    return apply_subresource<T>(detail::name_of(object), "", object, options, std::move(stop));
  }
  Result<T> apply_status(const T& object, const ApplyOptions& options,
                         std::stop_token stop = {}) const requires Described<T> {
    return apply_subresource<T>(detail::name_of(object), "status", object, options,
                                std::move(stop));
  }

  Result<DeleteResult<T>> delete_(std::string_view name, const DeleteOptions& options = {},
                                  std::stop_token stop = {}) const {
    const Result<std::string> body = raw_.delete_(name, options, std::move(stop));
    if (!body) return body.error();
    DeleteResult<T> result;
    result.status = detail::status_in(*body);
    if (result.status) return result;
    Result<T> object = detail::decoded<T>(body, {raw_, "delete", name});
    if (!object) return object.error();
    result.object = std::move(*object);
    return result;
  }

  /// Deletes what `list` selects. The objects that the server says it is deleting; none when it
  /// answers with a Status.
  Result<List<T>> delete_collection(const DeleteOptions& options = {}, const ListOptions& list = {},
                                    std::stop_token stop = {}) const {
    Result<std::string> body = raw_.delete_collection(options, list, std::move(stop));
    if (!body) return body.error();
    List<T> deleted;
    if (detail::status_in(*body)) return deleted;
    const Result<RawList> raw = RawList::parse(*std::move(body));
    const detail::Operation operation{raw_, "deletecollection"};
    if (!raw) return operation.failed(raw.error());
    static_cast<ListInfo&>(deleted) = raw->info();
    auto decoded = detail::decode_page(*raw, deleted.items, operation);
    if (!decoded) return decoded.error();
    return deleted;
  }

  /// Subresources whose type differs from the object's:
  /// api.get_subresource<autoscaling::v1::Scale>( "front", "scale").
  template <Object S = T>
  Result<S> get_subresource(std::string_view name, std::string_view subresource,
                            const GetOptions& options = {}, std::stop_token stop = {}) const {
    return detail::decoded<S>(raw_for<S>().get(name, subresource, options, std::move(stop)),
                              {raw_, "get", name, subresource});
  }

  /// POST .../name/subresource. Many answer with a Status: then take Unstructured.
  template <Object S = Unstructured, Object Body>
  Result<S> create_subresource(std::string_view name, std::string_view subresource,
                               const Body& body, const CreateOptions& options = {},
                               std::stop_token stop = {}) const {
    const RawApi raw = raw_for<S>();
    return detail::decoded<S>(
        detail::send_object(raw, body,
                            [&](std::string bytes) {
                              return raw.create(name, subresource, std::move(bytes), options, stop);
                            }),
        {raw_, "create", name, subresource});
  }

  template <Object S = T>
  Result<S> update_subresource(std::string_view name, std::string_view subresource, const S& object,
                               const UpdateOptions& options = {}, std::stop_token stop = {}) const {
    const RawApi raw = raw_for<S>();
    return detail::decoded<S>(
        detail::send_object(raw, object,
                            [&](std::string body) {
                              return raw.update(name, subresource, std::move(body), options, stop);
                            }),
        {raw_, "update", name, subresource});
  }

  template <Object S = T>
  Result<S> patch_subresource(std::string_view name, std::string_view subresource,
                              const Patch& patch, const PatchOptions& options = {},
                              std::stop_token stop = {}) const {
    return detail::decoded<S>(
        raw_for<S>().patch(name, subresource, patch, options, std::move(stop)),
        {raw_, "patch", name, subresource});
  }

  /// create_subresource() of what is answered with a Status of success: a binding, an eviction.
  template <Object Body>
  Result<void> post_subresource(std::string_view name, std::string_view subresource,
                                const Body& body, const CreateOptions& options = {},
                                std::stop_token stop = {}) const {
    const Result<std::string> answer = detail::send_object(raw_, body, [&](std::string bytes) {
      return raw_.create(name, subresource, std::move(bytes), options, stop);
    });
    if (!answer) return answer.error();
    return {};
  }

  template <Described S = T>
  Result<S> apply_subresource(std::string_view name, std::string_view subresource, const S& object,
                              const ApplyOptions& options, std::stop_token stop = {}) const {
    if (name.empty()) return detail::missing_name(raw_.resource().plural);
    Result<json::Value> document = apply_document(object);
    if (!document) return document.error();
    return patch_subresource<S>(name, subresource, Patch::apply(*std::move(document)),
                                to_patch_options(options), std::move(stop));
  }

  friend bool operator==(const Api&, const Api&) = default;

 private:
  // What comes back decides what is asked for.
  template <class S>
  RawApi raw_for() const {
    return raw_.preferring(preferred_encoding<S>());
  }

  Result<T> apply_document_to(std::string_view subresource, const json::Value& document,
                              const ApplyOptions& options, std::stop_token stop) const {
    const json::Value* name = document.at_path({"metadata", "name"});
    if (name == nullptr || name->string_or_empty().empty()) {
      return detail::missing_name(raw_.resource().plural);
    }
    return patch_subresource<T>(name->string_or_empty(), subresource, Patch::apply(document),
                                to_patch_options(options), std::move(stop));
  }

  RawApi raw_;
};

}  // namespace kube
