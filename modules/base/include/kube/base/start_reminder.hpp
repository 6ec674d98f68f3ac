// SPDX-License-Identifier: Apache-2.0
//
// kube::StartReminder: a line in the log when something is used that nobody has started.
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

/// Held by what has a start(). Owned by a std::shared_ptr.
///
/// @par Thread safety   All functions may be called from any thread; no lock of theirs is held
///   while the executor or the logger is called.
/// @par Cost   used() is one look at an atomic from the second time on.
class StartReminder : public std::enable_shared_from_this<StartReminder> {
 public:
  /// From the first use to the line in the log.
  static constexpr Duration kPatience = std::chrono::seconds(5);

  struct Subject {
    std::string component;  ///< Of the log line: "informer".
    std::string kind;       ///< The field that names it: "resource".
    std::string name;       ///< "pods".
    std::string problem;    ///< The sentence: "used, but not started".
  };

  StartReminder(Strand strand, std::shared_ptr<Logger> logger, Subject subject)
      : strand_(std::move(strand)), logger_(std::move(logger)), subject_(std::move(subject)) {}

  /// It has been used, and nothing will come of it before it is started. Throws nothing: without an
  /// executor that takes the timer nothing is said.
  void used();
  /// It has been started or stopped: there is nothing to say any more.
  void over();
  /// The problem, once the log has it and until it is over.
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
