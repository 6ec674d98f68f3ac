// SPDX-License-Identifier: Apache-2.0
#include <kube/base/thread_turns.hpp>

namespace kube {
namespace {

thread_local ThreadTurns* turns_of_this_thread = nullptr;

}  // namespace

ThreadTurns* ThreadTurns::of_this_thread() {
  return turns_of_this_thread;
}

void ThreadTurns::set_of_this_thread(ThreadTurns* turns) {
  turns_of_this_thread = turns;
}

}  // namespace kube
