// SPDX-License-Identifier: Apache-2.0
//
// Members of an object's text, found without parsing the object.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::json {

namespace detail {
/// One that has escapes, or is no string.
Result<std::string_view> escaped_string_value(std::string_view value, std::string& storage);
}  // namespace detail

/// One member of an object. The value is a view into its text.
struct Member {
  std::string_view key;    ///< Escapes resolved; valid during the visit.
  std::string_view value;  ///< With quotes or brackets.
};

/// Whether an object's text is all of it.
enum class Extent { Whole, Beginning };

/// Walks the members of an object's text, in order, until `visit` returns false. Values are skipped
/// by their brackets, not checked. In a Beginning, the object or array that is cut is visited as
/// far as it goes.
/// @par Errors   Decode with the offset in `object`; of a Beginning, too, where the text ends.
Result<void> for_each_member(std::string_view object,
                             const std::function<bool(const Member&)>& visit,
                             Extent extent = Extent::Whole);

/// The text of a JSON string given with its quotes; escapes resolved. A view into `value` when
/// there are none, else into `storage`.
/// @par Errors   Decode when it is not a string.
inline Result<std::string_view> string_value(std::string_view value, std::string& storage) {
  if (value.size() >= 2 && value.front() == '"' && value.find('\\') == std::string_view::npos)
    return value.substr(1, value.size() - 2);
  return detail::escaped_string_value(value, storage);
}

}  // namespace kube::json
