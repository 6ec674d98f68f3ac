// SPDX-License-Identifier: Apache-2.0
#include "connection_log.hpp"

namespace kubecpp {

std::optional<std::string> ConnectionLog::next_line(const kube::InformerStatus& status) {
  if (!status.last_error) {
    if (!trouble_) return std::nullopt;
    trouble_.reset();
    return "the connection is back";
  }
  const kube::Error& error = *status.last_error;
  const Trouble trouble{error.code(), error.http_status()};
  if (trouble_ == trouble) return std::nullopt;
  trouble_ = trouble;
  const bool lost = status.synced && error.code() != kube::ErrorCode::Server;
  return (lost ? "the connection is lost: " : "") + error.to_string() + "; retrying";
}

}  // namespace kubecpp
