// SPDX-License-Identifier: Apache-2.0
//
// Prints warnings of servers on standard error.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include <kube/base/mutex.hpp>
#include <kube/client/warnings.hpp>

namespace kubecpp {

/// The code of warnings that have no other.
inline constexpr int kMiscellaneousWarning = 299;

/// Prints "Warning: <text>" on standard error for each warning of a server, each text once. It
/// remembers 256 texts, then starts over.
///
/// @par Thread safety   All functions may be called from any thread.
class WarningPrinter final : public kube::rest::WarningHandler {
 public:
  void handle_warning_header(int code, std::string_view agent, std::string_view text) override;

 private:
  kube::Mutex mutex_;
  std::set<std::string, std::less<>> printed_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kubecpp
