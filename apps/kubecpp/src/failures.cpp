// SPDX-License-Identifier: Apache-2.0
#include "failures.hpp"

#include <cstdio>

#include <kube/meta/errors.hpp>

#include "cluster.hpp"
#include "output_format.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;

std::string failure_text(const Error& error, const std::string& doing) {
  const std::string before = doing.empty() ? "" : doing + ": ";
  if (error.code() != ErrorCode::Server) return "kubecpp: " + before + error.to_string();
  if (kube::is_unauthorized(error)) {
    return "kubecpp: " + not_logged_in(before + error.message());
  }
  const std::string reason = error.reason().empty() ? "" : " (" + error.reason() + ")";
  return "Error from server" + reason + ": " + before + error.message();
}

}  // namespace

int Failures::report(int failed) const {
  if (all_.empty()) return 0;
  if (all_.size() == 1 && kube::is_invalid(all_.front().first)) {
    report_server(all_.front().first);
    return failed;
  }
  for (const auto& [error, doing] : all_) {
    if (error.code() == ErrorCode::Cancelled) return kubecpp::report(error);
    // Messages of conflicts have several lines.
    std::fprintf(stderr, "%s\n", terminal_text(failure_text(error, doing)).c_str());
  }
  return failed;
}

}  // namespace kubecpp
