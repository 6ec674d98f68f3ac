// SPDX-License-Identifier: Apache-2.0
//
// What a reflector asks of an error.
#pragma once

#include <string>
#include <utility>

#include <kube/base/error.hpp>
#include <kube/meta/errors.hpp>

namespace kube::cache {

inline bool version_gone(const Error& error) {
  return is_resource_expired(error) || is_gone(error);
}

/// The request itself is refused, so perhaps the version in it: it is no number, or too long.
inline bool may_refuse_version(const Error& error) {
  return is_bad_request(error) || is_request_entity_too_large(error) ||
         error.http_status() == 414 || error.http_status() == 431;
}

/// The server is not there, or not now; what it has to say about our version is open.
inline bool worth_another_watch(const Error& error) {
  return error.code() == ErrorCode::Unreachable || error.code() == ErrorCode::Timeout ||
         error.code() == ErrorCode::Cancelled || is_too_many_requests(error);
}

/// The same error, which says something: a server may send one without a message.
inline Error in_words(const Error& error) {
  if (!error.message().empty()) return error;
  std::string text = error.to_string() + "the server sent an error without a message";
  if (!error.reason().empty()) text += ", of reason " + error.reason();
  if (error.http_status() != 0) text += ", of code " + std::to_string(error.http_status());
  Error told = Error(error.code(), std::move(text))
                   .with_http_status(error.http_status())
                   .with_reason(error.reason())
                   .with_detail(error.detail());
  return error.retry_after() ? told.with_retry_after(*error.retry_after()) : told;
}

}  // namespace kube::cache
