// SPDX-License-Identifier: Apache-2.0
#include "complaint.hpp"

#include <cstdio>

namespace kubecpp {

void complain(std::string_view text) {
  std::fprintf(stderr, "kubecpp: %s\n", printable(text).c_str());
}

}  // namespace kubecpp
