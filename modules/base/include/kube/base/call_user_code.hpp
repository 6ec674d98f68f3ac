// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// kube::call_user_code: calls a program's code, which may throw, for a strand, a worker or a queue
// that must continue afterwards.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>

#include <kube/base/result.hpp>

namespace kube {

/// Calls f() and returns its Result; for a function that returns nothing, a Result<void>.
/// @param what   Names the code in the message: "the transform".
/// @par Errors   Those of f; Internal, "<what> threw: <text>", when f throws.
/// @par Thread safety   Any thread; f runs on the caller's.
template <class F>
auto call_user_code(std::string_view what, F&& f)
    -> std::conditional_t<std::is_void_v<decltype(f())>, Result<void>, decltype(f())> {
  try {
    if constexpr (std::is_void_v<decltype(f())>) {
      f();
      return {};
    } else {
      return f();
    }
  } catch (const std::exception& e) {
    return Error(ErrorCode::Internal, std::string(what) + " threw: " + e.what());
  } catch (...) {
    return Error(ErrorCode::Internal, std::string(what) + " threw: not a std::exception");
  }
}

}  // namespace kube
