// SPDX-License-Identifier: Apache-2.0
//
// Converts curl's codes to ErrorCode.
#pragma once

#include <string_view>

#include <curl/curl.h>

#include <kube/base/error.hpp>

#include "tls_alert.hpp"

namespace kube::transport {

/// What the transfer was waiting for: None before the request was sent.
enum class ResponsePart { None, Head, Body };

/// Returns the error for a failed transfer. `text` is curl's own, more exact, message and may be
/// empty; `os_error` is the errno of a connect that failed, else 0; `alert` what the peer has said.
Error curl_error(CURLcode code, std::string_view text, long os_error, ResponsePart part,
                 const TlsAlert& alert);

/// Returns the error of a connect that failed with that errno; 0 for an unknown one.
Error cant_connect(long os_error);

}  // namespace kube::transport
