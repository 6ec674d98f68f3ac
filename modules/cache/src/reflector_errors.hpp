// SPDX-License-Identifier: Apache-2.0
//
// The decisions that a reflector makes by an error.
#pragma once

#include <kube/base/error.hpp>
#include <kube/cache/informer_status.hpp>
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

/// Whether the request for a stream of the initial state is refused because of what it asks for,
/// and would be refused again.
inline bool refuses_streams(const Error& error) {
  return is_invalid(error) || is_bad_request(error) || is_method_not_supported(error) ||
         error.http_status() == 501;
}

/// Whether the credentials are refused now, or missing. They say nothing about our version.
inline bool needs_credentials(const Error& error) {
  return is_unauthorized(error) || error.code() == ErrorCode::Credentials;
}

/// Whether the server is unavailable now; it may still accept our version.
inline bool worth_another_watch(const Error& error) {
  return error.code() == ErrorCode::Unreachable || error.code() == ErrorCode::Timeout ||
         error.code() == ErrorCode::Cancelled || is_too_many_requests(error);
}

/// Whether a request stays refused until somebody acts.
inline bool is_denied(const Error& error) {
  return is_not_found(error) || is_forbidden(error);
}

inline InformerCondition condition_of(const Error& error) {
  if (needs_credentials(error)) return InformerCondition::Unauthorized;
  if (is_not_found(error)) return InformerCondition::Missing;
  if (is_forbidden(error)) return InformerCondition::Forbidden;
  const bool no_answer =
      error.code() == ErrorCode::Unreachable || error.code() == ErrorCode::Timeout;
  return no_answer ? InformerCondition::Unreachable : InformerCondition::Failing;
}

}  // namespace kube::cache
