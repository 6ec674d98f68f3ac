// SPDX-License-Identifier: Apache-2.0
//
// The field selector and the namespace check of typed clients of events.
#include <kube/client/detail/events.hpp>

namespace kube {

std::string involved_object_selector(std::string_view name, std::string_view namespace_,
                                     std::string_view kind, std::string_view uid) {
  std::string selector;
  const auto add = [&](std::string_view field, std::string_view value) {
    if (value.empty()) return;
    if (!selector.empty()) selector += ',';
    selector.append("involvedObject.").append(field).append("=").append(value);
  };
  add("kind", kind);
  add("name", name);
  add("namespace", namespace_);
  add("uid", uid);
  return selector;
}

Result<void> check_event_namespace(std::string_view client, std::string_view wanted) {
  if (client.empty() || client == wanted) return {};
  return Error(ErrorCode::InvalidArgument, "can't create an event with namespace '" +
                                               std::string(wanted) + "' in namespace '" +
                                               std::string(client) + "'");
}

}  // namespace kube
