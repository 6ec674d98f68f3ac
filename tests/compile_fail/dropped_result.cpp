// SPDX-License-Identifier: Apache-2.0
//
// A failure that nobody looks at is a bug, so Result is [[nodiscard]].
#include <kube/base/result.hpp>

kube::Result<void> store(int value);
kube::Result<int> load();

bool copy() {
  load();    // wrong: dropped
  store(1);  // wrong: dropped
  kube::Result<int> value = load();
  return value && store(*value);
}
