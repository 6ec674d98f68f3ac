// SPDX-License-Identifier: Apache-2.0
//
// Certificates of servers in tests.
#pragma once

#include <string>

namespace kube::serving::test {

/// Writes a self-signed certificate of 127.0.0.1 and its key, new ones each time.
void write_certificate(const std::string& certificate_file, const std::string& key_file);

}  // namespace kube::serving::test
