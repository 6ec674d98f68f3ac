// SPDX-License-Identifier: Apache-2.0
#include "warning_printer.hpp"

#include <cstdio>

#include "error_output.hpp"

namespace kubecpp {

void WarningPrinter::handle_warning_header(int code, std::string_view /*agent*/,
                                           std::string_view text) {
  if (code != kMiscellaneousWarning || text.empty()) return;
  {
    const kube::MutexLock lock(mutex_);
    constexpr std::size_t kRemembered = 256;
    if (printed_.size() >= kRemembered) printed_.clear();
    if (!printed_.emplace(text).second) return;
  }
  std::fprintf(stderr, "Warning: %s\n", printable(text).c_str());
}

}  // namespace kubecpp
