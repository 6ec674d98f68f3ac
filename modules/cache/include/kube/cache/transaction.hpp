// SPDX-License-Identifier: Apache-2.0
//
// kube::Transaction<T>: changes that a Store<T> applies together, and why some were left out.
#pragma once

#include <cstddef>
#include <vector>

#include <kube/base/error.hpp>
#include <kube/cache/cached.hpp>

namespace kube {

enum class TransactionType { Add, Update, Delete };

/// One change of a transaction.
template <Object T>
struct Transaction {
  TransactionType type = TransactionType::Add;
  Cached<T> object{};
};

/// Which changes of a transaction failed, and why: the detail of its Error.
/// @par Thread safety   A value.
struct TransactionError final : ErrorDetail {
  std::size_t total_transactions = 0;
  std::vector<std::size_t> successful_indices{};  ///< In order; these were applied.
  std::vector<Error> errors{};                    ///< One for each of the others, in order.

  static const char kType;
  const void* type() const override;
};

/// Returns the detail of an error of Store::transaction(); null for another error. Valid as long as
/// the error or a copy of it lives. Any thread may call it.
const TransactionError* transaction_error(const Error& error);
const TransactionError* transaction_error(const Error&& error) =
    delete;  // Give the error a name first.

namespace cache {
/// Makes the error of a transaction of which some changes failed: at least one of errors is there.
Error make_transaction_error(TransactionError detail);
}  // namespace cache
}  // namespace kube
