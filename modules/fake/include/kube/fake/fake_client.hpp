// SPDX-License-Identifier: Apache-2.0
//
// kube::fake::FakeClient: a client for tests, on an API server inside the process, with reactors
// and a record of what it was asked for (client-go's kubernetes/fake, dynamic/fake and
// testing.Fake).
//
//   auto fake = fake::FakeClient::start(objects_in_yaml);
//   if (!fake) return fake.error();
//   (*fake)->prepend_reactor("create", "pods", [](fake::Action&) -> fake::Reaction {
//     return Result<json::Value>(meta::internal_error("out of order"));
//   });
//   run_controller((*fake)->client());
//   for (const fake::Action& action : (*fake)->actions()) std::cout << action.verb << "\n";
//
// Its objects are those of a real API: with defaults, validation, uids, versions, finalizers and
// field selectors, which client-go's fakes do not have.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/apiserver/api_server.hpp>
#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/client/client.hpp>
#include <kube/codec/converter.hpp>
#include <kube/fake/action.hpp>
#include <kube/fake/fake_watch.hpp>
#include <kube/json/value.hpp>

namespace kube::fake {

/// Nothing: the next reactor decides, the server last. A value: the body of the answer; of a watch,
/// an array of events, after which it ends (a FakeWatch stays open). An error of code Server: its
/// Status. Another error: the request fails with it, as by the network.
using Reaction = Optional<Result<json::Value>>;

/// Changes to Action::object are seen by the reactors after it and by the server.
using Reactor = std::function<Reaction(Action& action)>;

/// @par Thread safety   All functions may be called from any thread, reactors included. Reactors
///   are called on the threads that send requests, several at a time, without a lock held; they
///   must not use the client.
class FakeClient {
 public:
  /// Starts a server with the objects of JSON or YAML documents. `client`: the client's logger,
  /// metrics and executors; its transport is not used.
  /// @par Errors   As ApiServer::start(), ApiServer::load_text() and Client::create().
  static Result<std::unique_ptr<FakeClient>> start(std::string_view objects = {},
                                                   apiserver::ApiServer::Options options = {},
                                                   ClientOptions client = {});
  /// Ends the requests of the client, those of each FakeWatch too, and the server.
  ~FakeClient();
  FakeClient(const FakeClient&) = delete;
  FakeClient& operator=(const FakeClient&) = delete;

  const Client& client() const& { return client_; }
  Client client() const&& { return client_; }
  apiserver::ApiServer& server() { return *server_; }

  /// Stores an object, or replaces it. It is not recorded.
  /// @par Errors   As ApiServer::load().
  template <Described T>
  Result<void> add(const T& object) {
    return add(meta::to_unstructured(object));
  }
  Result<void> add(const Unstructured& object);

  /// Adds a reactor before, or after, those that exist; all are asked before the server. For the
  /// patterns see reacts_to().
  void prepend_reactor(std::string verb, std::string resource, Reactor reactor);
  void append_reactor(std::string verb, std::string resource, Reactor reactor);

  /// Adds a reactor for watches before those that exist.
  void prepend_watch_reactor(std::string resource, WatchReactor reactor);

  /// Returns the actions so far, in the order of their start, as they were before any reactor.
  std::vector<Action> actions() const;
  void clear_actions();

 private:
  class Transport;
  FakeClient(std::shared_ptr<apiserver::ApiServer> server, std::shared_ptr<Transport> transport,
             Client client);

  std::shared_ptr<apiserver::ApiServer> server_;
  std::shared_ptr<Transport> transport_;
  Client client_;
};

}  // namespace kube::fake
