// SPDX-License-Identifier: Apache-2.0
//
// The decisions that a reflector makes by an error.
#pragma once

#include <kube/base/error.hpp>
#include <kube/meta/errors.hpp>

namespace kube::cache {

inline bool version_gone(const Error& error) {
  return is_resource_expired(error) || is_gone(error);
}

/// Whether the request itself is refused, perhaps because its version is too long or not a number.
inline bool may_refuse_version(const Error& error) {
  return is_bad_request(error) || is_request_entity_too_large(error) ||
         error.http_status() == 414 || error.http_status() == 431;
}

/// Whether the server is unavailable now; it may still accept our version.
inline bool worth_another_watch(const Error& error) {
  return error.code() == ErrorCode::Unreachable || error.code() == ErrorCode::Timeout ||
         error.code() == ErrorCode::Cancelled || is_too_many_requests(error);
}

}  // namespace kube::cache
