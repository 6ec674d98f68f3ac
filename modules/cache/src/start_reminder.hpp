// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::StartReminder: says of an informer that is waited for that nobody has started it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include <kube/base/error.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/log.hpp>

namespace kube::cache {

/// @par Thread safety   All functions may be called from any thread; no lock of theirs is held
///   while the executor or the logger is called.
class StartReminder : public std::enable_shared_from_this<StartReminder> {
 public:
  /// From the first wait to the line in the log.
  static constexpr Duration kPatience = std::chrono::seconds(5);

  /// `subject`: what the informer holds, "pods".
  StartReminder(Strand strand, std::shared_ptr<Logger> logger, std::string subject)
      : strand_(std::move(strand)), logger_(std::move(logger)), subject_(std::move(subject)) {}

  /// Somebody waits for the informer to sync.
  void waited_for();
  /// It has been started, or stopped: there is nothing to say any more.
  void over();
  /// What was said.
  std::optional<Error> problem() const;

 private:
  void remind();

  Strand strand_;
  const std::shared_ptr<Logger> logger_;
  const std::string subject_;
  std::atomic<bool> waiting_{false};
  std::atomic<bool> reminded_{false};
  std::atomic<bool> over_{false};
  Timer timer_;  // the strand's
};

}  // namespace kube::cache
