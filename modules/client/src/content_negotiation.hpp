// SPDX-License-Identifier: Apache-2.0
//
// Chooses the encodings between a client and its server, with client-go's defaults and settings.
#pragma once

#include <set>
#include <string>

#include <kube/base/error.hpp>
#include <kube/base/mutex.hpp>
#include <kube/client/content.hpp>
#include <kube/config/config.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// Stores the encodings that the server has refused, per resource, because an aggregated API may
/// support fewer than the API server.
///
/// @par Thread safety   All functions may be called from any thread.
class ContentNegotiation {
 public:
  explicit ContentNegotiation(const rest::Config& config);

  ContentChoice choose(const meta::GroupResource& resource, bool has_protobuf) const;
  /// See RestClient::note_response().
  bool note_response(const meta::GroupResource& resource, const ContentChoice& sent,
                     const Error& refusal);

 private:
  ContentChoice configured_;  // for types that have protobuf
  mutable Mutex mutex_;
  std::set<meta::GroupResource> json_bodies_ KUBE_GUARDED_BY(mutex_);
  std::set<meta::GroupResource> json_answers_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube
