// SPDX-License-Identifier: Apache-2.0
#include <kube/names/object_key.hpp>

#include <kube/names/go_text.hpp>

namespace kube {

Result<ObjectKey> parse_object_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return ObjectKey{"", std::string(text)};
  if (text.find('/', slash + 1) != std::string_view::npos) {
    return Error(ErrorCode::InvalidArgument, "unexpected key format: " + go::quote(text) +
                                                 ", expected \"namespace/name\" or \"name\"");
  }
  return ObjectKey{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

}  // namespace kube
