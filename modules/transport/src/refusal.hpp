// SPDX-License-Identifier: Apache-2.0
//
// Whether an HTTP/2 server refused a request, by what libcurl remembers of it.
#pragma once

#include <curl/curl.h>

namespace kube::transport {

/// Returns whether a stream of this handle was refused with REFUSED_STREAM since it was made, on a
/// connection that had been used before. The handle is in no multi handle, and is of no use after
/// this.
///
/// libcurl sends a request again after a refusal, and in the same way after a reused connection has
/// died; for a write only the first is right. It tells nobody which one it was, but the handle
/// keeps a flag, and sends a request on a new connection that ends without a response again only
/// then. So this has the handle send one to a socket of this process that ends it, and counts. A
/// libcurl that clears the flag earlier makes this false: a refusal is then an error.
/// @par Blocks   For less than a millisecond; it needs no network.
bool remembers_refusal(CURL* easy);

}  // namespace kube::transport
