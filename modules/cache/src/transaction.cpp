// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/transaction.hpp>

#include <memory>
#include <string>
#include <utility>

#include <kube/base/join.hpp>

namespace kube {

const char TransactionError::kType{};
const void* TransactionError::type() const {
  return &kType;
}

const TransactionError* transaction_error(const Error& error) {
  return detail_as<TransactionError>(error);
}

Error cache::make_transaction_error(TransactionError detail) {
  std::vector<std::string> causes;
  causes.reserve(detail.errors.size());
  for (const Error& error : detail.errors) causes.push_back(error.to_string());
  const ErrorCode code = detail.errors.front().code();
  std::string message = "failed to execute (" + std::to_string(detail.errors.size()) + "/" +
                        std::to_string(detail.total_transactions) +
                        ") transactions: " + join(causes, "; ");
  return Error(code, std::move(message))
      .with_detail(std::make_shared<TransactionError>(std::move(detail)));
}

}  // namespace kube
