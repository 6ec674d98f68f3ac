// SPDX-License-Identifier: Apache-2.0
//
// Calls the function that a caller passes to a monadic member (and_then, transform, or_else). Like
// std::invoke for at most one argument; including <functional> for that would take a tenth of the
// time that the standard library costs each file with a generated header.
#pragma once

#include <type_traits>
#include <utility>

namespace kube::detail {

template <class F>
decltype(auto) invoke(F&& f) {
  return std::forward<F>(f)();
}

/// Returns f(x); f may be a pointer to a member of x, or of the object that x points to.
template <class F, class X>
decltype(auto) invoke(F&& f, X&& x) {
  if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>) {
    if constexpr (
        requires { std::forward<X>(x).*f; } || requires { (std::forward<X>(x).*f)(); }) {
      if constexpr (std::is_member_object_pointer_v<std::remove_cvref_t<F>>) {
        return (std::forward<X>(x).*f);
      } else {
        return (std::forward<X>(x).*f)();
      }
    } else {
      return invoke(std::forward<F>(f), *std::forward<X>(x));
    }
  } else {
    return std::forward<F>(f)(std::forward<X>(x));
  }
}

}  // namespace kube::detail
