// SPDX-License-Identifier: Apache-2.0
//
// A stranger's program that uses the whole: an informer and a controller on an embedded server, a
// cache server, a fake client, a simulation. It is built as it is, and without exceptions and RTTI.
#include <kube/api/apps/v1/deployment.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/cache/transaction.hpp>
#include <kube/cacheserver/cache_server.hpp>
#include <kube/client/cached_discovery.hpp>
#include <kube/client/client.hpp>
#include <kube/client/rest_mapper.hpp>
#include <kube/controller/controller.hpp>
#include <kube/fake/fake_client.hpp>
#include <kube/meta/aggregate.hpp>
#include <kube/meta/errors.hpp>
#include <kube/names/group_version.hpp>
#include <kube/remote/port_forward.hpp>
#include <kube/simulation/simulation.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/transport/exchange_failure.hpp>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string_view>

using kube::apps::v1::Deployment;

// Classes of the program's own below those of the library.
struct CountingLogger final : kube::Logger {
  bool enabled(kube::LogLevel, std::string_view) const override { return true; }
  void write(const kube::LogRecord&) override { ++lines; }
  std::atomic<int> lines{0};
};
struct Series final : kube::metrics::CounterImpl {
  void add(double) override { ++calls; }
  std::atomic<int> calls{0};
};
struct Metrics final : kube::metrics::Provider {
  std::shared_ptr<kube::metrics::CounterImpl> counter(std::string_view,
                                                      const kube::metrics::Labels&) override {
    return series;
  }
  std::shared_ptr<kube::metrics::GaugeImpl> gauge(std::string_view,
                                                  const kube::metrics::Labels&) override {
    return nullptr;
  }
  std::shared_ptr<kube::metrics::HistogramImpl> histogram(std::string_view,
                                                          const kube::metrics::Labels&) override {
    return nullptr;
  }
  const std::shared_ptr<Series> series = std::make_shared<Series>();
};
struct OwnDetail final : kube::ErrorDetail {};

// Leaves with what is wrong.
void expect(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "wrong: " << what << '\n';
  std::_Exit(1);
}

Deployment web() {
  Deployment out;
  out.metadata.name = "web";
  out.metadata.namespace_ = "default";
  out.spec.selector.ensure().match_labels = {{"app", "web"}};
  out.spec.template_.metadata.labels = {{"app", "web"}};
  out.spec.template_.spec.containers = {{.name = "web", .image = "web:1"}};
  return out;
}

// What an error is does not depend on who made its detail, nor with which flags.
void ask_about_errors(const kube::Error& from_server) {
  expect(kube::is_not_found(from_server), "not found");
  expect(kube::meta::status_of(from_server) != nullptr, "a Status");
  const kube::Error mine =
      kube::Error(kube::ErrorCode::Internal, "mine").with_detail(std::make_shared<OwnDetail>());
  for (const kube::Error& error : {mine, from_server}) {
    expect(!kube::is_no_match(error), "no match");
    expect(!kube::is_group_discovery_failed(error), "discovery");
    expect(!kube::is_unexpected_object_error(error), "unexpected object");
    expect(kube::transaction_error(error) == nullptr, "transaction");
    expect(kube::errors_of(error) == nullptr, "aggregate");
    expect(!kube::transport::exchange_failure(error), "exchange");
  }
  expect(kube::meta::status_of(mine) == nullptr, "a detail of the program is no Status");
  const auto status = std::make_shared<kube::meta::StatusBody>();
  const kube::Error made = mine.with_detail(status);
  expect(kube::meta::status_of(made) == status.get(), "a Status that the program made");
}

void serve_and_fake(kube::SharedInformer<Deployment>& informer) {
  const auto cache = kube::CacheServer::start();
  expect(cache && (*cache)->add(informer), "a cache server");
  const auto fake = kube::fake::FakeClient::start();
  expect(fake && (*fake)->client().api<Deployment>("default").create(web()), "a fake client");
  const auto report =
      kube::testing::simulate({.seed = 1, .faults = false}, [](kube::testing::Simulation& sim) {
        expect(sim.client().api<Deployment>().list_all().has_value(), "a simulated call");
      });
  expect(!report.broken, "a simulation");
  expect(kube::portforward::parse_ports({"80"}).has_value(), "ports");
}

int main() {
  const auto logger = std::make_shared<CountingLogger>();
  const auto metrics = std::make_shared<Metrics>();
  const auto server = kube::apiserver::ApiServer::start();
  expect(server.has_value(), "a server");
  const auto client = kube::Client::create({.host = (*server)->url()},
                                           {.runtime = {.logger = logger, .metrics = metrics}});
  expect(client.has_value(), "a client");
  kube::SharedInformerFactory factory(client->rest());
  const auto informer = factory.informer<Deployment>();
  expect(informer == factory.informer<Deployment>(), "one informer of a type");
  expect(informer
             ->set_transform([](Deployment object) -> kube::Result<Deployment> {
               object.metadata.annotations["seen"] = "yes";
               return object;
             })
             .has_value(),
         "a transform");

  std::atomic<int> reconciled = 0;
  kube::Controller controller(client->rest().runtime(),
                              [&](const kube::ReconcileRequest& request, const std::stop_token&) {
                                if (informer->lister().find(request.key)) ++reconciled;
                                return kube::ReconcileResult::done();
                              });
  expect(controller.watch(*informer) && controller.start(), "a controller");
  expect(client->api<Deployment>("default").create(web()).has_value(), "a write");
  factory.start({});
  expect(factory.wait_for_cache_sync({}).unsynced().empty(), "a synced cache");
  expect(kube::testing::eventually([&] { return reconciled > 0; }), "a reconcile");
  const auto found = informer->lister().find(kube::ObjectKey{"default", "web"});
  expect(found && found->metadata.annotations.at("seen") == "yes", "the transformed object");

  const auto missing = client->api<Deployment>("default").get("missing");
  expect(!missing, "an error");
  ask_about_errors(missing.error());
  kube::MemoryCachedDiscovery discovery(std::make_shared<kube::MemoryCachedDiscovery>(
      std::make_shared<kube::DiscoveryClient>(client->rest())));
  expect(discovery.server_groups({}).has_value(), "discovery");
  discovery.invalidate();
  serve_and_fake(*informer);
  expect(logger->lines > 0 && metrics->series->calls > 0, "logs and metrics");

  const auto& resource = informer->resource();
  std::cout << "group " << resource.group << ", version " << resource.version << '\n';
  return 0;
}
