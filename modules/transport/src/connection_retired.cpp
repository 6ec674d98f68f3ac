// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/connection_retired.hpp>

#include <memory>

namespace kube::transport {
namespace {

struct Retired final : ErrorDetail {
  static constexpr char kType{};
  const void* type() const override { return &kType; }
};

}  // namespace

Error connection_retired() {
  return Error(ErrorCode::Unreachable,
               "the connection is no longer used because the certificates have changed")
      .with_detail(std::make_shared<Retired>());
}

bool is_connection_retired(const Error& error) {
  return detail_as<Retired>(error) != nullptr;
}

}  // namespace kube::transport
