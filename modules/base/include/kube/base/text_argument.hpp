// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Which texts functions refuse as an argument, by deleted overloads: one that a view into it would
// outlive, and one that would become a JSON string where a document is due.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace kube {

/// As `template <TemporaryText T> ... (T&& text) = delete`: a std::string without a name, and no
/// literal or std::string_view, whose text may live on.
template <class T>
concept TemporaryText = std::same_as<std::remove_const_t<T>, std::string>;

/// As `template <AnyText T> ... (const T& document) = delete` beside a function that takes a
/// json::Value, to which text converts: a literal, a std::string, a view. Of several types, whether
/// one is text.
template <class... T>
concept AnyText =
    ((std::convertible_to<const T&, std::string_view> && !std::same_as<T, std::nullptr_t>) || ...);

}  // namespace kube
