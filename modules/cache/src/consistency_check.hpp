// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::ConsistencyCheck: whether what a reflector received is what the server has stored at
// that version (client-go's util/consistencydetector).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "decoded_stream.hpp"
#include "list_decoder.hpp"

#include <kube/base/backoff.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/optional.hpp>
#include <kube/base/runtime.hpp>
#include <kube/cache/lister_watcher.hpp>

namespace kube::cache {

/// Returns the options of the list that must return the same `count` objects as the list or stream
/// with the options `asked`, which had this version; nullopt when there is none.
inline Optional<ListOptions> consistent_list_options(ListOptions asked, std::string_view version,
                                                     std::size_t count) {
  if (!asked.continue_.empty() || version.empty() || version == "0") return std::nullopt;
  // A server's cache ignores the limit at version "0".
  if (asked.resource_version == "0" && static_cast<std::size_t>(asked.limit) < count)
    asked.limit = 0;
  asked.resource_version = version;
  asked.resource_version_match = "Exact";
  return asked;
}

/// Lists once more and compares. Nothing waits for it.
/// @par Thread safety   Used on one strand.
class ConsistencyCheck final : public std::enable_shared_from_this<ConsistencyCheck> {
 public:
  struct Received {
    std::vector<CellRef> objects;
    bool transformed = false;  ///< Then only uid and version are compared.
  };
  /// Calls `different` when they are.
  ConsistencyCheck(Runtime runtime, Strand strand, std::shared_ptr<ListerWatcher> source,
                   const CellType& type, ObjectChanges changes, ListOptions options,
                   Received received, std::function<void(const Error&)> different);

  /// A list that fails is sent again after pauses of a second to a minute, until stop() or a stop
  /// of `stop`. One that is refused for good (the version is compacted, the request is not
  /// accepted) ends the check without a result.
  void start(std::stop_token stop);
  void stop();

 private:
  using Stream = DecodedStream<ListDecoder>;

  void list();
  void list_ended(const Result<ListInfo>& result);
  void compare();
  bool is_same(const Cell& received, const Cell& stored) const;
  template <class... Args>
  auto unless_stopped(void (ConsistencyCheck::*member)(Args...));

  const Runtime runtime_;
  Strand strand_;
  const std::shared_ptr<ListerWatcher> source_;
  const CellType& type_;
  const ObjectChanges changes_;
  const ListOptions options_;
  Received received_;
  const std::function<void(const Error&)> different_;
  Backoff backoff_;
  std::stop_token stop_;
  std::vector<CellRef> stored_;
  std::shared_ptr<Stream> stream_;
  Timer timer_;
};

}  // namespace kube::cache
