// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// kube::call_user_code: calls a program's code, which may throw, for a strand, a worker or a queue
// that must continue afterwards.
#pragma once

#include <exception>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <kube/base/caught.hpp>
#include <kube/base/result.hpp>

namespace kube {

namespace detail {
Error user_code_threw(std::string_view what, const std::exception_ptr& exception);
}

/// Calls f() and returns its Result; for a function that returns nothing, a Result<void>.
/// @param what   Names the code in the message: "the transform".
/// @par Errors   Those of f; Internal, "<what> threw: <text>", when f throws.
/// @par Thread safety   Any thread; f runs on the caller's.
template <class F>
auto call_user_code(std::string_view what, F&& f)
    -> std::conditional_t<std::is_void_v<decltype(f())>, Result<void>, decltype(f())> {
  if constexpr (std::is_void_v<decltype(f())>) {
    if (const auto exception = caught(f)) return detail::user_code_threw(what, exception);
    return {};
  } else {
    std::optional<decltype(f())> result;
    if (const auto exception = caught([&] { result.emplace(f()); }))
      return detail::user_code_threw(what, exception);
    return *std::move(result);
  }
}

}  // namespace kube
