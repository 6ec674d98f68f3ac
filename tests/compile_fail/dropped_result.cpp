// SPDX-License-Identifier: Apache-2.0
//
// A failure that nobody looks at is a bug, so Result is [[nodiscard]].
#include <kube/base/result.hpp>

kube::Result<void> store(int value);
kube::Result<int> load();

bool copy() {
#ifdef WRONG
  load();
  store(1);
  return true;
#else
  kube::Result<int> value = load();
  return value && store(*value);
#endif
}
