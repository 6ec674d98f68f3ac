// SPDX-License-Identifier: Apache-2.0
//
// What a reflector asks of an error.
#pragma once

#include <chrono>

#include <kube/base/clock.hpp>
#include <kube/base/error.hpp>
#include <kube/meta/errors.hpp>

namespace kube::cache {

inline bool version_gone(const Error& error) {
  return is_resource_expired(error) || is_gone(error);
}

// The server is not there, or not now; what it has to say about our version is open.
inline bool worth_another_watch(const Error& error) {
  return error.code() == ErrorCode::Unreachable || error.code() == ErrorCode::Timeout ||
         error.code() == ErrorCode::Cancelled || is_too_many_requests(error);
}

inline Duration asked_delay(const Error& error) {
  return error.retry_after().value_or(std::chrono::seconds(0));
}

}  // namespace kube::cache
