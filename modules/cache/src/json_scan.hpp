// SPDX-License-Identifier: Apache-2.0
//
// Members of an object's text, found without parsing the object.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::cache {

/// One member of an object. The value is a view into its text.
struct JsonMember {
  std::string_view key;    ///< Escapes resolved; valid during the visit.
  std::string_view value;  ///< With quotes or brackets.
};

/// Walks the members of an object's text, in order, until `visit` returns false. Values are skipped
/// by their brackets, not checked. Decode names the offset in `object`.
Result<void> for_each_member(std::string_view object,
                             const std::function<bool(const JsonMember&)>& visit);

/// The text of a JSON string given with its quotes; escapes resolved. A view into `value` when
/// there are none, else into `storage`. Decode when it is not a string.
Result<std::string_view> string_value(std::string_view value, std::string& storage);

}  // namespace kube::cache
