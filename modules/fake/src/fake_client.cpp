// SPDX-License-Identifier: Apache-2.0
#include <kube/fake/fake_client.hpp>

#include <utility>

#include <kube/transport/curl_transport.hpp>

#include "fake_transport.hpp"

namespace kube::fake {

Result<std::unique_ptr<FakeClient>> FakeClient::start(std::string_view objects,
                                                      apiserver::ApiServer::Options options,
                                                      ClientOptions client_options) {
  auto started = apiserver::ApiServer::start(std::move(options));
  if (!started) return started.error();
  std::shared_ptr<apiserver::ApiServer> server = *std::move(started);
  if (!objects.empty()) {
    if (auto loaded = server->load_text(objects); !loaded) return loaded.error();
  }
  auto network = transport::CurlTransport::create({});
  if (!network) return network.error();
  auto transport = std::make_shared<Transport>(server, *std::move(network));
  rest::Config config;
  config.host = server->url();
  config.content_type = "application/json";  // so that actions have objects
  client_options.transport = transport;
  auto client = Client::create(config, std::move(client_options));
  if (!client) return client.error();
  return std::unique_ptr<FakeClient>(
      new FakeClient(std::move(server), std::move(transport), *std::move(client)));
}

FakeClient::FakeClient(std::shared_ptr<apiserver::ApiServer> server,
                       std::shared_ptr<Transport> transport, Client client)
    : server_(std::move(server)), transport_(std::move(transport)), client_(std::move(client)) {}

FakeClient::~FakeClient() {
  transport_->drop_reactors();
  server_->stop();
}

Result<void> FakeClient::add(const Unstructured& object) {
  auto loaded = server_->load(object);
  if (!loaded) return loaded.error();
  return {};
}

void FakeClient::prepend_reactor(std::string verb, std::string resource, Reactor reactor) {
  transport_->add_reactor({std::move(verb), std::move(resource), std::move(reactor)}, true);
}

void FakeClient::append_reactor(std::string verb, std::string resource, Reactor reactor) {
  transport_->add_reactor({std::move(verb), std::move(resource), std::move(reactor)}, false);
}

void FakeClient::prepend_watch_reactor(std::string resource, WatchReactor reactor) {
  transport_->add_reactor(
      {.verb = "watch", .resource = std::move(resource), .watch = std::move(reactor)}, true);
}

std::vector<Action> FakeClient::actions() const {
  return transport_->actions();
}

void FakeClient::clear_actions() {
  transport_->clear_actions();
}

}  // namespace kube::fake
