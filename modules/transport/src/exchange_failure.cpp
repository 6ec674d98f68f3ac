// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/exchange_failure.hpp>

#include <memory>

namespace kube::transport {
namespace {

struct FailureDetail final : ErrorDetail {
  explicit FailureDetail(ExchangeFailure how) : failure(how) {}
  const ExchangeFailure failure;
  static constexpr char kType{};
  const void* type() const override { return &kType; }
};

}  // namespace

Error with_exchange_failure(const Error& error, ExchangeFailure failure) {
  return error.with_detail(std::make_shared<FailureDetail>(failure));
}

std::optional<ExchangeFailure> exchange_failure(const Error& error) {
  const auto* detail = detail_as<FailureDetail>(error);
  if (detail == nullptr) return std::nullopt;
  return detail->failure;
}

}  // namespace kube::transport
