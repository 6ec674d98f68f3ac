// SPDX-License-Identifier: Apache-2.0
//
// A cache server without its sockets on an informer, and an informer that reads from it, slowly or
// not, and loses its connections. Both run under the seeded executor, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <kube/base/executor.hpp>
#include <kube/cache/detail/informer_core.hpp>

#include "kinds.hpp"
#include "trace.hpp"

namespace kube::lying {

class ServedReader {
 public:
  /// The reader has the type, encoding and namespace of the informer, and no selectors.
  ServedReader(std::uint64_t seed, const std::shared_ptr<cache::InformerCore>& informer,
               const std::shared_ptr<Executor>& executor, const Kind& kind,
               const InformerOptions& options, Findings& findings);
  ~ServedReader();
  ServedReader(const ServedReader&) = delete;
  ServedReader& operator=(const ServedReader&) = delete;

  /// Resets what the reader has open.
  void drop_connections();
  /// Its watch is open, and everything that the server had for it has arrived.
  bool is_up_to_date() const;
  /// The reader's objects are the informer's: keys, uids, versions and contents.
  /// @pre is_up_to_date()
  void expect_equal() const;
  void stop();
  /// Nothing is left of a reader that has stopped.
  void expect_forgotten() const;
  /// A bound of what the server and the reader may hold.
  std::size_t max_memory() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace kube::lying
