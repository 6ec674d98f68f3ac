// SPDX-License-Identifier: Apache-2.0
//
// How far a request had come when its exchange failed. A caller decides by it whether to send the
// request again; the text of an error is for people, and has the names of hosts. Any thread may
// call these functions.
#pragma once

#include <optional>
#include <string>

#include <kube/base/error.hpp>

namespace kube::transport {

enum class ExchangeFailure {
  /// The credentials for the request could not be had: nothing was sent. Whatever failed while they
  /// were asked for, a plugin or a request to an identity provider, is not a failure of the
  /// request.
  NoCredentials,
  NoConnection,       ///< No connection was made, or its TLS was refused: the server got nothing.
  LostBeforeRequest,  ///< The connection was lost before the request was sent.
  LostAfterRequest,   ///< The connection was lost after the request, or a part of it, was sent.
  BadResponse,        ///< The request was sent; the response is not HTTP, or exceeds a limit.
};

/// Returns the error with that fact, which replaces its detail(). A RoundTripper of the user marks
/// its Unreachable errors so: RestClient treats one without a mark as NoConnection. `refused_by` is
/// what refusing_host() returns.
Error with_exchange_failure(const Error& error, ExchangeFailure failure,
                            std::string refused_by = {});

/// Returns the fact; nullopt when the error has none.
std::optional<ExchangeFailure> exchange_failure(const Error& error);

/// Returns the host of the request, with its port if the URL has one, when the connection was
/// refused: the host is there, and nothing listens. Empty for all other errors, also where a proxy
/// or a unix socket refused.
std::string refusing_host(const Error& error);

}  // namespace kube::transport
