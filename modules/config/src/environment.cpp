// SPDX-License-Identifier: Apache-2.0
#include <kube/config/environment.hpp>

#include <cstdlib>

namespace kube::rest {

Environment process_environment() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

}  // namespace kube::rest
