// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// kube::StartReminder: logs that an object is used but was not started.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include <kube/base/error.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/log.hpp>
#include <kube/base/optional.hpp>

namespace kube {

/// Held by objects with a start(). Owned by a std::shared_ptr.
///
/// @par Thread safety   All functions may be called from any thread; no lock is held while the
///   executor or the logger is called.
/// @par Cost   used() reads one atomic from the second call on.
class StartReminder : public std::enable_shared_from_this<StartReminder> {
 public:
  /// The time from the first use to the line in the log.
  static constexpr Duration kPatience = std::chrono::seconds(5);

  struct Subject {
    std::string component;  ///< Component of the log line: "informer".
    std::string kind;       ///< Key of the field that names the object: "resource".
    std::string name;       ///< "pods".
    std::string problem;    ///< Message: "used, but not started".
  };

  StartReminder(Strand strand, std::shared_ptr<Logger> logger, Subject subject)
      : strand_(std::move(strand)), logger_(std::move(logger)), subject_(std::move(subject)) {}

  /// Reports that the object was used before its start. Does not throw: when the executor refuses
  /// the timer, nothing is logged.
  void used();
  /// Reports that the object was started or stopped: nothing is logged from here on.
  void over();
  /// Returns the problem as an error, from the log line on until over().
  Optional<Error> problem() const;

 private:
  void arm();
  void remind();

  Strand strand_;
  const std::shared_ptr<Logger> logger_;
  const Subject subject_;
  std::atomic<bool> used_{false};
  std::atomic<bool> reminded_{false};
  std::atomic<bool> over_{false};
  Timer timer_;  // the strand's
};

}  // namespace kube
