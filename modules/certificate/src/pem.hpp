// SPDX-License-Identifier: Apache-2.0
//
// The blocks of PEM text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kube::certificate {

struct PemBlock {
  std::string type{};  ///< "CERTIFICATE"
  bool has_headers = false;
  std::string der{};
};

/// Reads all blocks; text around them and blocks that are not base64 are skipped, as in Go.
std::vector<PemBlock> read_pem(std::string_view text);
std::string write_pem(const std::string& type, std::string_view der);

}  // namespace kube::certificate
