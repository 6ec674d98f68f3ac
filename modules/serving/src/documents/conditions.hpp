// SPDX-License-Identifier: Apache-2.0
//
// The conditions in an object's status.
#pragma once

#include <string>
#include <string_view>

#include <kube/json/value.hpp>

namespace kube::serving {

struct Condition {
  std::string_view type{};
  std::string_view status{};  ///< "True", "False" or "Unknown".
  std::string_view reason{};
  std::string message{};
};

/// Changes the condition of that type, or appends it. `now` becomes the time of its transition when
/// its status is another.
void set_condition(json::Value& object, const Condition& condition, std::string_view now);

}  // namespace kube::serving
