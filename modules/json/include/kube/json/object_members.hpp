// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Finds members in the text of an object without parsing it.
//
// Any thread may call these functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>

namespace kube::json {

namespace detail {
/// string_value() for text that has escapes or is not a string.
Result<std::string_view> escaped_string_value(std::string_view value, std::string& storage);
}  // namespace detail

/// One member of an object. The value is a view into its text.
struct Member {
  std::string_view key;    ///< Escapes resolved; valid during the visit.
  std::string_view value;  ///< With quotes or brackets.
};

/// Whether a text is a complete object or the beginning of one.
enum class Extent { Whole, Beginning };

/// Calls `visit` for the members of an object's text, in order, until it returns false. Values are
/// skipped by their brackets, not checked. In a Beginning, the last value, if it is an object or
/// array that is cut off, is visited up to the end of the text.
/// @par Errors   Decode with the offset in `object`; in a Beginning also at the end of the text.
Result<void> for_each_member(std::string_view object,
                             const std::function<bool(const Member&)>& visit,
                             Extent extent = Extent::Whole);

/// Returns the text of a JSON string, whose `value` includes its quotes: a view into `value` when
/// it has no escapes, else into `storage`.
/// @par Errors   Decode when `value` is not a string.
inline Result<std::string_view> string_value(std::string_view value, std::string& storage) {
  if (value.size() >= 2 && value.front() == '"' && value.find('\\') == std::string_view::npos)
    return value.substr(1, value.size() - 2);
  return detail::escaped_string_value(value, storage);
}
template <TemporaryText T>
Result<std::string_view> string_value(T&& value,
                                      std::string& storage) = delete;  // Give it a name first.

}  // namespace kube::json
