// SPDX-License-Identifier: Apache-2.0
#include "error_output.hpp"

#include <cstdio>

namespace kubecpp {

void print_error(std::string_view text) {
  std::fprintf(stderr, "kubecpp: %s\n", printable(text).c_str());
}

}  // namespace kubecpp
