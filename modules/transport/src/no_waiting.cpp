// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/no_waiting.hpp>

#include <utility>

namespace kube::transport {
namespace {

thread_local bool handles_responses = false;

}  // namespace

NoWaiting::NoWaiting() : outer_(std::exchange(handles_responses, true)) {}

NoWaiting::~NoWaiting() {
  handles_responses = outer_;
}

Result<void> may_wait() {
  if (!handles_responses) return {};
  return Error(ErrorCode::InvalidArgument,
               "a call that blocks was made on the thread that receives responses, in a response "
               "handler, a warning handler or a logger, and would never end, or in a function that "
               "AsyncApi::call() got; call it from another thread, or use RestClient::start()");
}

}  // namespace kube::transport
