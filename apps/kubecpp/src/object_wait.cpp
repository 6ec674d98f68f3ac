// SPDX-License-Identifier: Apache-2.0
#include "object_wait.hpp"

#include <utility>

#include <kube/client/watch_until.hpp>
#include <kube/meta/errors.hpp>

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;

// Whether the wait begins again with a list: the watch ended for another reason than the condition.
bool must_list_again(const Error& error) {
  return kube::is_gone(error) || kube::is_resource_expired(error);
}

}  // namespace

TimeLimit::TimeLimit(const kube::Client& client, kube::Duration limit, std::stop_token stop)
    : stop_(std::move(stop)) {
  ended_.add(stop_);
  ended_.add(late_->get_token());
  if (limit == kube::Duration::max()) return;
  // The timer may outlive this for a moment: it holds the source.
  timer_ = client.runtime().executor->submit_after(limit, [late = late_] { late->request_stop(); });
}

Result<void> wait_for_object(const Cluster& cluster, const SelectedObject& object,
                             const ObjectCheck& check, const TimeLimit& limit) {
  const auto api = cluster.api(object.resource, object.namespace_);
  const auto ended = [&](const Error& error) {
    return error.code() == ErrorCode::Cancelled && limit.is_over()
               ? Error(ErrorCode::Timeout, "timed out waiting for the condition")
               : error;
  };
  // The error of the check itself, which may look like one of the watch.
  Result<void> checked;
  const auto is_done = [&](const Unstructured* state) -> Result<bool> {
    auto done = check(state);
    if (!done) checked = done.error();
    return done;
  };
  for (;;) {
    kube::ListOptions options = kube::single_object_options(object.name, "");
    const auto list = api.list(options, limit.token());
    if (!list) return ended(list.error());
    const auto done = is_done(list->items.empty() ? nullptr : &list->items.front());
    if (!done) return done.error();
    if (*done) return {};
    options.resource_version = list->resource_version;
    const auto until = kube::watch_until<Unstructured>(
        api, options, {[&](const kube::WatchEvent<Unstructured>& event) -> Result<bool> {
          if (event.type == kube::WatchEventType::Bookmark) return false;
          const bool deleted = event.type == kube::WatchEventType::Deleted;
          return is_done(deleted ? nullptr : &event.object);
        }},
        {}, limit.token());
    if (until.result) return {};
    if (!checked) return checked;
    if (!must_list_again(until.result.error())) return ended(until.result.error());
  }
}

Result<void> named_timeout(Result<void> result, const SelectedObject& object) {
  if (result || result.error().code() != ErrorCode::Timeout) return result;
  return Error(ErrorCode::Timeout,
               result.error().message() + " on " + object.resource.plural + "/" + object.name);
}

}  // namespace kubecpp
