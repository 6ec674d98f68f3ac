// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Declarations of what newcomers write by mistake, so that the compiler's error says in its one
// line what to write instead.
#pragma once

#include <cstddef>

namespace kube::detail {

template <std::size_t N>
struct HintText {
  char text[N]{};
  consteval HintText(const char (&hint)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = hint[i];
  }
};

/// Its name has the hint.
template <HintText>
struct Hint {};

}  // namespace kube::detail

/// Declares a function that may not be called: KUBE_MISTAKE(hint, return type, declarator). GCC
/// prints the type that a deleted function returns, Clang the text of an unavailable one. In a
/// concept, the call is not valid for either.
///
/// KUBE_MISTAKEN_NAME(hint) is the attribute of a variable or constructor that may not be used; for
/// GCC, a concept sees no mistake there.
#ifdef __clang__
#define KUBE_MISTAKE(hint, type, ...) __attribute__((unavailable(hint))) type __VA_ARGS__
#else
#define KUBE_MISTAKE(hint, type, ...) kube::detail::Hint<hint> __VA_ARGS__ = delete
#endif
#define KUBE_MISTAKEN_NAME(hint) __attribute__((unavailable(hint)))
