// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/connection_retired.hpp>

#include <memory>

namespace kube::transport {
namespace {

struct Retired final : ErrorDetail {};

}  // namespace

Error connection_retired() {
  return Error(ErrorCode::Unreachable,
               "the connection is no longer used because the certificates have changed")
      .with_detail(std::make_shared<Retired>());
}

bool is_connection_retired(const Error& error) {
  return dynamic_cast<const Retired*>(error.detail().get()) != nullptr;
}

}  // namespace kube::transport
