// SPDX-License-Identifier: Apache-2.0
//
// kube::condition_is(): whether a condition of an object's status has a value, for every type with
// status.conditions and for Unstructured, as `kubectl wait --for=condition=...` decides it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/codec/object.hpp>
#include <kube/codec/unstructured.hpp>

namespace kube {

namespace detail {

template <class T>
const auto* status_of(const T& object) {
  if constexpr (requires { object.status.has_value(); }) {
    return object.status.has_value() ? &*object.status : nullptr;
  } else {
    return &object.status;
  }
}

inline std::int64_t generation_or_zero(std::optional<std::int64_t> generation) {
  return generation.value_or(0);
}

}  // namespace detail

/// A type of objects whose status has conditions.
template <class T>
concept HasConditions = std::same_as<T, Unstructured> ||(
    Described<T>&& requires(const T& object) { object.status; } &&
    requires(const T& object) {
      detail::status_of(object)->conditions.begin()->type;
      detail::status_of(object)->conditions.begin()->status;
    });

/// A condition of an object's status, for wait_for(), or to be called with an object.
/// @par Thread safety   A value.
struct ConditionIs {
  std::string type{};
  std::string status{};

  /// Whether the first condition of that type has that status; the case of letters does not matter.
  /// False for a condition that is about an older generation of the object, by its own
  /// observedGeneration or that of the status.
  template <HasConditions T>
  bool operator()(const T& object) const {
    if constexpr (std::same_as<T, Unstructured>) {
      return is_met_by(object);
    } else {
      const auto* const of_status = detail::status_of(object);
      if (of_status == nullptr) return false;
      for (const auto& each : of_status->conditions) {
        if (!ascii::equal_ignoring_case(each.type, type)) continue;
        std::int64_t observed = 0;
        if constexpr (requires { each.observed_generation; })
          observed = detail::generation_or_zero(each.observed_generation);
        if constexpr (requires { of_status->observed_generation; }) {
          if (observed == 0) observed = detail::generation_or_zero(of_status->observed_generation);
        }
        return (observed == 0 || observed >= object.metadata.generation) &&
               ascii::equal_ignoring_case(each.status, status);
      }
      return false;
    }
  }

  std::string to_string() const { return type + "=" + status; }  ///< "Ready=True"
  bool operator==(const ConditionIs&) const = default;

 private:
  bool is_met_by(const Unstructured& object) const;
};

/// Returns the condition of that type and status: `condition_is("Ready")(widget)`.
inline ConditionIs condition_is(std::string type, std::string status = "True") {
  return {std::move(type), std::move(status)};
}

}  // namespace kube
