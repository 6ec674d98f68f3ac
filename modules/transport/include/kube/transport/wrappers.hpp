// SPDX-License-Identifier: Apache-2.0
//
// Decorators of transports, put together: rest::Config::wrap_transport takes one. Any thread may
// call these functions.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include <kube/base/error.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::transport {

/// Returns a transport around another one, for tracing, headers or faults.
using Wrapper =
    std::function<std::shared_ptr<RoundTripper>(std::shared_ptr<RoundTripper> transport)>;

/// Returns all of them as one, the first innermost; empty ones are left out, and the result is
/// empty when two or more are, and there is no other.
Wrapper wrappers(std::vector<Wrapper> list);

/// Returns a wrapper whose transport ends exchanges with `error` once `stop` is requested, and then
/// starts none.
Wrapper until_stopped(std::stop_token stop, Error error);

/// Returns a transport that sends watches (HttpRequest::is_watch) by one and the rest by another,
/// so that they have different connections.
std::shared_ptr<RoundTripper> separate_watches(std::shared_ptr<RoundTripper> watches,
                                               std::shared_ptr<RoundTripper> others);

}  // namespace kube::transport
