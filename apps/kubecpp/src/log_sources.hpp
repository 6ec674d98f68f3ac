// SPDX-License-Identifier: Apache-2.0
//
// The containers whose logs a command prints, and how one log becomes lines of standard output.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/core/v1/pod.hpp>
#include <kube/api/core/v1/pod_log_options.hpp>
#include <kube/base/result.hpp>
#include <kube/client/text_request.hpp>

#include "cluster.hpp"

namespace kubecpp {

/// The log of one container.
struct LogSource {
  std::string prefix;  ///< "[pod/NAME/CONTAINER] ".
  kube::TextRequest request;
};

struct LogSelection {
  std::string container{};  ///< Empty: the default one.
  bool all_containers = false;
  bool quiet = false;  ///< Without a note on the default container.
};

/// Returns the logs of a pod: one, or those of all containers, init containers first.
/// @par Errors   Those of choose_container_for_logs().
kube::Result<std::vector<LogSource>> logs_of(const Cluster& cluster, const kube::core::v1::Pod& pod,
                                             const kube::core::v1::PodLogOptions& options,
                                             const LogSelection& selection);

/// Passes whole lines on, each behind a prefix; what is longer than 1 MiB comes in parts.
///
/// @par Thread safety   One thread.
class LineWriter {
 public:
  /// `write` returns false when nothing more is wanted.
  LineWriter(std::string prefix, std::function<bool(std::string_view text)> write)
      : prefix_(std::move(prefix)), write_(std::move(write)) {}

  bool add(std::string_view text);
  /// Passes on what has no end of line.
  bool finish();

 private:
  std::string prefix_;
  std::function<bool(std::string_view text)> write_;
  std::string begun_{};  // of a line
};

}  // namespace kubecpp
