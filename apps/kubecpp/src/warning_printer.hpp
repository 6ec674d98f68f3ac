// SPDX-License-Identifier: Apache-2.0
//
// What servers warn of, on standard error.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include <kube/client/warnings.hpp>

namespace kubecpp {

/// "Warning: <text>" on standard error for what servers warn of, each text once (it remembers 256
/// texts, then starts over).
///
/// @par Thread safety   All functions may be called from any thread.
class WarningPrinter final : public kube::rest::WarningHandler {
 public:
  void handle_warning_header(int code, std::string_view agent, std::string_view text) override;

 private:
  std::mutex mutex_;
  std::set<std::string, std::less<>> printed_;
};

}  // namespace kubecpp
