// SPDX-License-Identifier: Apache-2.0
//
// Compares the content of two cells by their bytes: equal versions do not prove equality.
#pragma once

#include <string_view>

#include <kube/cache/detail/cell.hpp>

namespace kube::cache {

/// Whether both have bytes, in the same encoding; decoded objects have none.
inline bool can_be_compared(const Cell& a, const Cell& b) {
  return !a.body().empty() && !b.body().empty() && a.encoding() == b.encoding();
}

/// Returns the text of a JSON object after its bracket and its kind and apiVersion, which events
/// have and items of lists omit.
inline std::string_view after_kind(std::string_view object) {
  std::string_view rest = object.substr(1);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const std::string_view member : {R"("kind":")", R"("apiVersion":")"}) {
      if (!rest.starts_with(member)) continue;
      const std::size_t end = rest.find(R"(",)", member.size());
      if (end == std::string_view::npos) return rest;
      rest.remove_prefix(end + 2);
      goes_on = true;
    }
  }
  return rest;
}

/// @pre can_be_compared()
/// @par Cost   A memcmp of the bodies.
inline bool have_same_content(const Cell& a, const Cell& b) {
  const bool a_is_longer = a.body().size() > b.body().size();
  const std::string_view longer = a_is_longer ? a.body() : b.body();
  const std::string_view shorter = a_is_longer ? b.body() : a.body();
  if (longer.size() == shorter.size()) return longer == shorter;
  return a.encoding() == Encoding::Json && shorter.starts_with('{') && longer.starts_with('{') &&
         after_kind(longer) == shorter.substr(1);
}

}  // namespace kube::cache
