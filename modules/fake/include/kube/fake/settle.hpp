// SPDX-License-Identifier: Apache-2.0
//
// kube::fake::settle: waits until a controller has nothing left to do, so that a test of it needs
// neither polling nor a guess at what the controller will write.
//
//   PodCounter counter(fake->client());
//   ASSERT_THAT(counter.start(), IsOk());
//   ASSERT_THAT(fake::settle(fake->server(), counter.controller()), IsOk());
//   EXPECT_THAT(fake->client().api<core::v1::ConfigMap>("web").get("pod-count"), IsOk());
#pragma once

#include <chrono>
#include <stop_token>
#include <vector>

#include <kube/apiserver/api_server.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/controller/controller.hpp>

namespace kube::fake {

struct SettleOptions {
  /// Limits the wait, in real time, so that a broken controller fails its test.
  Duration timeout = std::chrono::minutes(2);
};

/// Waits until the controllers are at rest, all at one moment: their informers have every write of
/// the server, their handlers were called for it, no key is queued, in work, held back until its
/// writes arrive (ReconcileRequest::written()) or waiting for a retry after a failure, and the
/// server has got no write meanwhile. Keys that a reconciler asked for with requeue_after() and
/// resyncs are not waited for, nor are writes that the server makes after a time of its own (the
/// end of a grace period).
///
/// The informers must read from this server, over whatever transport; their watches get bookmarks.
/// @par Errors   Timeout, naming what was not at rest: an informer with its version and last error,
///   or the controller's keys. Cancelled when `stop` is requested.
/// @par Blocks   Until then. Not inside a reconciler or a handler.
/// @par Thread safety   Any thread may call it.
Result<void> settle(apiserver::ApiServer& server, const Controller& controller,
                    const SettleOptions& options = {}, std::stop_token stop = {});
Result<void> settle(apiserver::ApiServer& server, const std::vector<const Controller*>& controllers,
                    const SettleOptions& options = {}, std::stop_token stop = {});

}  // namespace kube::fake
