// SPDX-License-Identifier: Apache-2.0
//
// The transport of a FakeClient: records actions, asks the reactors, and sends the rest to a
// server.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/mutex.hpp>
#include <kube/fake/fake_client.hpp>
#include <kube/fake/fake_watch.hpp>
#include <kube/testing/scripted_transport.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::fake {

class FakeClient::Transport final : public transport::RoundTripper {
 public:
  Transport(std::shared_ptr<apiserver::ApiServer> objects,
            std::shared_ptr<transport::RoundTripper> server)
      : objects_(std::move(objects)), server_(std::move(server)) {}

  std::shared_ptr<transport::Exchange> start(transport::HttpRequest request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override;

  struct Entry {
    std::string verb{};
    std::string resource{};
    Reactor react{};
    WatchReactor watch{};  ///< Instead of `react`.
  };
  void add_reactor(Entry entry, bool first);
  std::vector<Action> actions() const;
  void clear_actions();
  /// After this, reactors are no longer called, and the watches that they have handed out end.
  void drop_reactors();

 private:
  using Entries = std::vector<Entry>;

  // What answers the request; empty: the entry leaves it to others.
  testing::ScriptedTransport::Rule rule_of(const Entry& entry, Action& action);

  const std::shared_ptr<apiserver::ApiServer> objects_;
  const std::shared_ptr<transport::RoundTripper> server_;
  mutable Mutex mutex_;
  std::vector<Action> actions_ KUBE_GUARDED_BY(mutex_);
  // Replaced, not changed: calls go on with those that they began with.
  std::shared_ptr<const Entries> reactors_ KUBE_GUARDED_BY(mutex_) =
      std::make_shared<const Entries>();
  std::vector<std::weak_ptr<FakeWatch::State>> watches_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::fake
