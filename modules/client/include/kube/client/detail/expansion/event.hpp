// SPDX-License-Identifier: Apache-2.0
//
// The methods that typed clients of events have in addition to Api<T> (client-go's EventExpansion):
// they write to the namespace of an event, and find the events about an object.
#pragma once

#include <concepts>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <kube/api/core/v1/event.hpp>
#include <kube/api/core/v1/object_reference.hpp>
#include <kube/client/api.hpp>
#include <kube/client/detail/events.hpp>

namespace kube::clientset::expansion {

/// The methods with "event namespace" write to the namespace of the event.
/// @par Errors   InvalidArgument when the client is for another namespace.
/// @par Thread safety   As Api<T>.
template <ApiObject T>
class EventExpansion : public Api<T> {
 public:
  using Api<T>::Api;

  /// @par Errors   As Api<T>::create(), update() and patch().
  Result<T> create_with_event_namespace(const T& event, std::stop_token stop = {}) const {
    const auto target = in_namespace_of(*this, event);
    if (!target) return target.error();
    return target->create(event, {}, std::move(stop));
  }
  Result<T> update_with_event_namespace(const T& event, std::stop_token stop = {}) const {
    const auto target = in_namespace_of(*this, event);
    if (!target) return target.error();
    return target->update(event, {}, std::move(stop));
  }
  Result<T> patch_with_event_namespace(const T& event, const Patch& patch,
                                       std::stop_token stop = {}) const {
    const auto target = in_namespace_of(*this, event);
    if (!target) return target.error();
    return target->patch(event.metadata.name, patch, {}, std::move(stop));
  }

  /// Returns the events about an object.
  /// @par Errors   As Api<T>::list().
  Result<List<T>> search(const core::v1::ObjectReference& about, std::stop_token stop = {})
      const requires std::same_as<T, core::v1::Event> {
    const auto target = in_namespace(*this, about.namespace_);
    if (!target) return target.error();
    ListOptions options;
    options.field_selector =
        get_field_selector(about.name, about.namespace_, about.kind, about.uid);
    return target->list(options, std::move(stop));
  }

  /// Returns the field selector of the events about an object; empty parts are omitted.
  static std::string get_field_selector(
      std::string_view name, std::string_view namespace_, std::string_view kind,
      std::string_view uid) requires std::same_as<T, core::v1::Event> {
    return involved_object_selector(name, namespace_, kind, uid);
  }
};

}  // namespace kube::clientset::expansion
