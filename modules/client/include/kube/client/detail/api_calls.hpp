// SPDX-License-Identifier: Apache-2.0
//
// How Api<T> encodes the objects that it sends, and decodes the ones that come back.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/client/content.hpp>
#include <kube/client/list.hpp>
#include <kube/client/raw_api.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/object.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>
#include <kube/patch/patch.hpp>

namespace kube {

/// An object with an identity of its own: neither a list nor a part of an object.
template <class T>
concept ApiObject = std::same_as<T, Unstructured> ||(Object<T>&& requires(const T& object) {
  { object.metadata.name } -> std::convertible_to<std::string_view>;
  { object.metadata.uid } -> std::convertible_to<std::string_view>;
});

/// An object that a server stores as it is sent, and not its metadata alone.
template <class T>
concept WholeObject = (response_form<T>() == ResponseForm::Object);

class TextRequest;

namespace core::v1 {
struct Pod;
struct PodLogOptions;
}  // namespace core::v1

namespace detail {

template <class T>
struct LogOptionsOf {
  using Type = std::nullptr_t;
};
template <>
struct LogOptionsOf<core::v1::Pod> {
  using Type = core::v1::PodLogOptions;
};
template <class T>
using LogOptions = typename LogOptionsOf<T>::Type;
template <class T>
concept HasLogs = std::same_as<T, core::v1::Pod>;
TextRequest logs(const RawApi& pods, std::string_view name, const core::v1::PodLogOptions& options);

Optional<json::Value> status_in(const std::string& body);
Error missing_name(std::string_view where);
// The merge patches of Api<T>::set_label() and its like; nullopt removes.
Result<Patch> label_patch(std::string_view key, std::optional<std::string_view> value);
Result<Patch> annotation_patch(std::string_view key, std::optional<std::string_view> value);

template <ApiObject T>
std::string_view name_of(const T& object) {
  if constexpr (std::same_as<T, Unstructured>) {
    return object.name();
  } else {
    return object.metadata.name;
  }
}

// Passes the object to `send` (api, bytes) -> Result<std::string>, in protobuf if the type and the
// server support it. A server that refuses protobuf has not read the object, and then receives it
// as one line of JSON.
template <class T, class Send>
Result<std::string> send_object(const RawApi& api, const T& object, Send&& send) {
  if constexpr (Described<T>) {
    if (api.body_encoding() == Encoding::Protobuf &&
        preferred_encoding<T>() == Encoding::Protobuf) {
      Result<std::string> body = meta::to_protobuf(object);
      if (!body) return body.error();
      const RawApi call = api.started();
      Result<std::string> answer = send(call, *std::move(body));
      if (answer || !is_unsupported_media_type(answer.error()) ||
          api.body_encoding() == Encoding::Protobuf) {
        return answer;
      }
      return send(call, meta::to_json(object) + "\n");
    }
  }
  return send(api, meta::to_json(object) + "\n");
}

// The operation, for the context of errors in its response.
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

// Calls `visit` (T) -> Result<void> for each object of a page.
template <class T, class Visit>
Result<void> visit_items(const RawList& page, Visit& visit, const Operation& operation) {
  for (std::size_t i = 0; i < page.size(); ++i) {
    Result<T> object = decode_item<T>(page, i);
    if (!object) return operation.failed(object.error());
    if (Result<void> visited = visit(std::move(*object)); !visited) return visited;
  }
  return {};
}

}  // namespace detail

}  // namespace kube
