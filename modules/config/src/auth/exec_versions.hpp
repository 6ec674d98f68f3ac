// SPDX-License-Identifier: Apache-2.0
//
// The versions of client.authentication.k8s.io that exec credential plugins speak.
#pragma once

#include <string_view>

namespace kube::rest {

inline constexpr std::string_view kExecInfoVariable = "KUBERNETES_EXEC_INFO";
inline constexpr std::string_view kExecGroup = "client.authentication.k8s.io";
inline constexpr std::string_view kExecV1 = "client.authentication.k8s.io/v1";
inline constexpr std::string_view kExecV1Beta1 = "client.authentication.k8s.io/v1beta1";

inline bool is_exec_version(std::string_view text) {
  return text == kExecV1 || text == kExecV1Beta1;
}

}  // namespace kube::rest
