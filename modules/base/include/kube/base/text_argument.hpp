// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Which arguments of text functions refuse, by deleted overloads: those that a view into them would
// outlive.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>

namespace kube {

/// As `template <TemporaryText T> ... (T&& text) = delete`: a std::string without a name, and no
/// literal or std::string_view, whose text may live on.
template <class T>
concept TemporaryText = std::same_as<std::remove_const_t<T>, std::string>;

}  // namespace kube
