// SPDX-License-Identifier: Apache-2.0
#include <kube/base/call_user_code.hpp>

namespace kube {

Error detail::user_code_threw(std::string_view what, const std::exception_ptr& exception) {
  std::string text(what);
  text.append(" threw: ").append(exception_text(exception));
  return {ErrorCode::Internal, std::move(text)};
}

}  // namespace kube
