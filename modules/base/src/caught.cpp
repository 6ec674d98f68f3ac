// SPDX-License-Identifier: Apache-2.0
#include <kube/base/caught.hpp>

namespace kube {

std::exception_ptr detail::call_and_catch(void (*call)(const void* f), const void* f) noexcept {
  try {
    call(f);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

std::string exception_text(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& thrown) {
    return thrown.what();
  } catch (...) {
    return "not a std::exception";
  }
}

}  // namespace kube
