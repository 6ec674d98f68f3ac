// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// kube::caught: what a call throws, as a value. A public header uses it in place of `try`, which
// does not compile in a program without exceptions: there the library calls and catches.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <type_traits>

namespace kube {

namespace detail {
std::exception_ptr call_and_catch(void (*call)(const void* f), const void* f) noexcept;
}

/// Calls f(). Returns what it throws; null for nothing.
/// @par Thread safety   Any thread; f runs on the caller's.
template <class F>
std::exception_ptr caught(F&& f) noexcept {
#ifdef __cpp_exceptions
  try {
    f();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
#else
  using Function = std::remove_reference_t<F>;
  return detail::call_and_catch(
      [](const void* function) {
        // As f is: constant or not. NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
        (*const_cast<Function*>(static_cast<const Function*>(function)))();
      },
      std::addressof(f));
#endif
}

/// Returns what the exception says; "not a std::exception" for another.
std::string exception_text(const std::exception_ptr& exception);

}  // namespace kube
