// SPDX-License-Identifier: Apache-2.0
//
// The end of a watch whose connection is no longer used, because certificates have
// changed.
//
// Any thread may call these functions.
#pragma once

#include <kube/base/error.hpp>

namespace kube::transport {

/// Returns the error: Unreachable.
Error connection_retired();

/// Whether an error, with whatever context, is that of connection_retired(). Nothing has failed:
/// the caller continues on another connection at once.
bool is_connection_retired(const Error& error);

}  // namespace kube::transport
