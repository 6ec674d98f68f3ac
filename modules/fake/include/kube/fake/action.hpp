// SPDX-License-Identifier: Apache-2.0
//
// kube::fake::Action: what a client asked for, as a FakeClient records it.
#pragma once

#include <string>
#include <string_view>

#include <kube/json/value.hpp>
#include <kube/transport/http.hpp>

namespace kube::fake {

/// A request in the words of the API.
/// @par Thread safety   A value.
struct Action {
  std::string verb{};  ///< get, list, watch, create, update, patch, delete or delete-collection.
  std::string group{};
  std::string version{};
  std::string resource{};  ///< "pods"; empty for a path without a resource, such as /version.
  std::string subresource{};
  std::string namespace_{};
  std::string name{};
  std::string path{};              ///< Of the URL.
  json::Value object{};            ///< The body: an object, a patch or options; null without one.
  std::string content_type{};      ///< Of the body; says which patch it is.
  std::string label_selector{};    ///< As the client sent it.
  std::string field_selector{};    ///< As the client sent it.
  std::string resource_version{};  ///< Of the options of a get, list or watch.

  /// Whether it is this verb of "pods" or "pods/status", in any case. A resource without a slash
  /// matches its subresources too.
  bool matches(std::string_view verb_text, std::string_view resource_text) const;
};

/// Returns the action of a request. A body that is not JSON is null.
/// @par Thread safety   Any thread may call it.
Action action_of(const transport::HttpRequest& request);

/// Whether a reactor for `verb` and `resource` gets an action: "*" matches all, "pods" also the
/// subresources of pods, "pods/status" only that one.
/// @par Thread safety   Any thread may call it.
bool reacts_to(const Action& action, std::string_view verb, std::string_view resource);

}  // namespace kube::fake
