// SPDX-License-Identifier: Apache-2.0
//
// The parts of EventExpansion that need no type: the field selector of the events about an object,
// and the namespaces that a client may write to.
#pragma once

#include <string>
#include <string_view>

#include <kube/client/api.hpp>

namespace kube {

/// Returns "involvedObject.name=...,involvedObject.namespace=..."; empty parts are omitted.
std::string involved_object_selector(std::string_view name, std::string_view namespace_,
                                     std::string_view kind, std::string_view uid);

/// @par Errors   InvalidArgument when `client` is a namespace and `wanted` is another one.
Result<void> check_event_namespace(std::string_view client, std::string_view wanted);

/// The same client in the namespace `wanted`.
/// @par Errors   As check_event_namespace().
template <ApiObject T>
Result<Api<T>> in_namespace(const Api<T>& events, const std::string& wanted) {
  if (auto same = check_event_namespace(events.namespace_(), wanted); !same) return same.error();
  return Api<T>(RawApi(events.raw().rest(), events.resource(), wanted));
}
/// @par Errors   As check_event_namespace().
template <ApiObject T>
Result<Api<T>> in_namespace_of(const Api<T>& events, const T& event) {
  return in_namespace(events, event.metadata.namespace_);
}

}  // namespace kube
