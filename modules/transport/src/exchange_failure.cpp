// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/exchange_failure.hpp>

#include <memory>
#include <utility>

namespace kube::transport {
namespace {

struct FailureDetail final : ErrorDetail {
  FailureDetail(ExchangeFailure how, std::string host)
      : failure(how), refused_by(std::move(host)) {}
  const ExchangeFailure failure;
  const std::string refused_by;
  static constexpr char kType{};
  const void* type() const override { return &kType; }
};

}  // namespace

Error with_exchange_failure(const Error& error, ExchangeFailure failure, std::string refused_by) {
  return error.with_detail(std::make_shared<FailureDetail>(failure, std::move(refused_by)));
}

std::optional<ExchangeFailure> exchange_failure(const Error& error) {
  const auto* detail = detail_as<FailureDetail>(error);
  if (detail == nullptr) return std::nullopt;
  return detail->failure;
}

std::string refusing_host(const Error& error) {
  const auto* detail = detail_as<FailureDetail>(error);
  return detail == nullptr ? std::string() : detail->refused_by;
}

}  // namespace kube::transport
