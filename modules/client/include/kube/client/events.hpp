// SPDX-License-Identifier: Apache-2.0
//
// What typed clients of events can do beyond others: write into an event's own namespace, find the
// events about an object.
#pragma once

#include <string>
#include <string_view>

#include <kube/client/api.hpp>

namespace kube {

/// "involvedObject.name=...,involvedObject.namespace=...": of the parts that aren't empty.
std::string involved_object_selector(std::string_view name, std::string_view namespace_,
                                     std::string_view kind, std::string_view uid);

/// InvalidArgument when a client of one namespace is to work in another one.
Result<void> check_event_namespace(std::string_view client, std::string_view wanted);

/// The same client in the wanted namespace.
template <ApiObject T>
Result<Api<T>> in_namespace(const Api<T>& events, const std::string& wanted) {
  if (auto same = check_event_namespace(events.namespace_(), wanted); !same) return same.error();
  return Api<T>(RawApi(events.raw().rest(), events.resource(), wanted));
}
template <ApiObject T>
Result<Api<T>> in_namespace_of(const Api<T>& events, const T& event) {
  return in_namespace(events, event.metadata.namespace_);
}

}  // namespace kube
