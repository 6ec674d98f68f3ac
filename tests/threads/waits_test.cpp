// SPDX-License-Identifier: Apache-2.0
//
// A call that waits, made where it would wait for itself, fails at once: the I/O thread receives
// the responses, so nothing may wait for one there.
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/cache/delta_fifo.hpp>
#include <kube/cache/informer_watcher.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/cache/sync_wait.hpp>
#include <kube/client/cached_discovery.hpp>
#include <kube/client/client.hpp>
#include <kube/client/discovery.hpp>
#include <kube/client/list_pager.hpp>
#include <kube/client/openapi.hpp>
#include <kube/client/rest_request.hpp>
#include <kube/client/retry_watcher.hpp>
#include <kube/remote/port_forward.hpp>
#include <kube/remote/remote_command.hpp>
#include <kube/testing/recording_logger.hpp>
#include <kube/testing/round_trip.hpp>
#include <kube/transport/curl_transport.hpp>

namespace waits {
namespace {

using namespace std::chrono_literals;
using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::core::v1::ConfigMap;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kPatience = 60s;  // only what hangs takes as long

/// Why a call failed; nothing when it did not.
template <class T>
std::optional<Error> failure(const Result<T>& result) {
  if (result) return std::nullopt;
  return result.error();
}
template <class T>
std::optional<Error> failure(const kube::Optional<Result<T>>& result) {
  if (!result) return std::nullopt;
  return failure(*result);
}
using Call = std::function<std::optional<Error>()>;

/// Makes the calls in one of its functions, which the I/O thread calls.
class Caller final : public kube::transport::ResponseHandler {
 public:
  enum class In { Head, Data, End };
  Caller(In in, std::function<void()> call) : in_(in), call_(std::move(call)) {}

  void on_head(kube::transport::ResponseHead) override {
    if (in_ == In::Head) call_and_tell();
  }
  kube::transport::Flow on_data(std::string_view) override {
    if (in_ == In::Data) call_and_tell();
    return kube::transport::Flow::Continue;
  }
  void on_end(Result<void>) override {
    if (in_ == In::End) call_and_tell();
  }
  bool await() { return called_.get_future().wait_for(kPatience) == std::future_status::ready; }

 private:
  void call_and_tell() {
    if (auto call = std::exchange(call_, nullptr)) {
      call();
      called_.set_value();
    }
  }

  const In in_;
  std::function<void()> call_;
  std::promise<void> called_;
};

class Waits : public ::testing::Test {
 protected:
  /// Runs `call` on the I/O thread, in a handler of start().
  bool in_handler(std::function<void()> call, Caller::In in = Caller::In::End) {
    const auto caller = std::make_shared<Caller>(in, std::move(call));
    client.rest().start({.verb = "get", .path = "/version"}, caller, {});
    return caller->await();
  }
  void expect_refused(const std::string& what, const std::optional<Error>& error) {
    ASSERT_TRUE(error) << what << " succeeded";
    EXPECT_EQ(error->code(), ErrorCode::InvalidArgument) << what << ": " << error->to_string();
    EXPECT_THAT(error->message(), HasSubstr("call it from another thread")) << what;
  }
  std::uint64_t requests() const { return transport->stats().requests; }

  const std::shared_ptr<kube::testing::RecordingLogger> log =
      std::make_shared<kube::testing::RecordingLogger>(kube::LogLevel::Error);
  const std::unique_ptr<kube::apiserver::ApiServer> server = *kube::apiserver::ApiServer::start();
  const std::shared_ptr<kube::transport::CurlTransport> transport =
      *kube::transport::CurlTransport::create({});
  const kube::Client client = *kube::Client::create(
      {.host = server->url()}, {.runtime = {.logger = log}, .transport = transport});
  const kube::Api<ConfigMap> maps = client.api<ConfigMap>("default");
};

TEST_F(Waits, EachFunctionOfAHandlerMayNotWaitAndTheClientWorksOn) {
  ConfigMap map;
  map.metadata.name = "a";
  for (const Caller::In in : {Caller::In::Head, Caller::In::Data, Caller::In::End}) {
    std::optional<Error> error;
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    ASSERT_TRUE(in_handler(
        [&] {
          before = requests();
          error = failure(maps.create(map));
          after = requests();
        },
        in));
    expect_refused("create", error);
    EXPECT_THAT(error->to_string(), HasSubstr("create configmaps"));
    EXPECT_EQ(before, after) << "refused before anything was sent";
  }
  EXPECT_TRUE(maps.create(map)) << "on a thread of its own it goes on";
}

TEST_F(Waits, EveryCallThatWaitsForAServerIsRefusedInAHandler) {
  const kube::RestClient rest = client.rest();
  auto watch = *maps.watch({});
  auto raw_watch = *kube::RawWatch::open(rest, *maps.raw().watch_request({}), {});
  auto text = *kube::RestRequest(rest).abs_path({"version"}).stream();
  auto retrying = *kube::RetryWatcher<ConfigMap>::create(maps, {.resource_version = "1"});
  const auto discovery = std::make_shared<kube::DiscoveryClient>(rest);
  kube::MemoryCachedDiscovery cached(discovery);
  kube::OpenApi openapi(rest);
  kube::InformerWatcher<ConfigMap> changes(rest);
  kube::SharedInformer<ConfigMap> informer(rest);
  kube::DeltaFifo<ConfigMap> queue;

  const std::map<std::string, Call> calls = {
      {"get", [&] { return failure(maps.get("a")); }},
      {"list", [&] { return failure(maps.list()); }},
      {"list_all", [&] { return failure(maps.list_all()); }},
      {"delete", [&] { return failure(maps.delete_("a")); }},
      {"for_each_page_ahead",
       [&] {
         return failure(kube::for_each_page_ahead(
             maps.raw(), {}, [](kube::RawList&&) -> Result<void> { return {}; }));
       }},
      {"watch", [&] { return failure(maps.watch({})); }},
      {"RestRequest::do_raw",
       [&] { return failure(kube::RestRequest(rest).abs_path({"version"}).do_raw()); }},
      {"RestRequest::stream",
       [&] { return failure(kube::RestRequest(rest).abs_path({"version"}).stream()); }},
      {"WatchStream::next", [&] { return failure(watch.next()); }},
      {"RawWatch::next", [&] { return failure(raw_watch.next({})); }},
      {"TextStream::next", [&] { return failure(text.next()); }},
      {"RetryWatcher::next", [&] { return failure(retrying.next()); }},
      {"discovery", [&] { return failure(discovery->server_groups({})); }},
      {"cached discovery", [&] { return failure(cached.server_groups({})); }},
      {"OpenApi::paths", [&] { return failure(openapi.paths({})); }},
      {"exec",
       [&] {
         return failure(
             kube::remotecommand::exec(rest, "default", "a", {.stdout = true, .command = {"sh"}}));
       }},
      {"port forward",
       [&] {
         return failure(
             kube::portforward::PortForwarder::start(rest, "default", "a", {{.remote = 80}}));
       }},
      {"InformerWatcher::next", [&] { return failure(changes.next()); }},
      {"SharedInformer::wait_for", [&] { return failure(informer.wait_for("9", 1h)); }},
      {"Lister::wait_for", [&] { return failure(informer.lister().wait_for("9", 1h, {})); }},
      {"DeltaFifo::pop",
       [&] {
         return failure(
             queue.pop([](const kube::Delta<ConfigMap>&, bool) -> Result<void> { return {}; }, {}));
       }},
      {"CurlTransport",
       [&] {
         return failure(
             kube::testing::round_trip(*transport, {.url = server->url() + "/version"}, {}));
       }},
  };
  std::map<std::string, std::optional<Error>> errors;
  ASSERT_TRUE(in_handler([&] {
    for (const auto& [name, call] : calls) errors[name] = call();
  }));
  for (const auto& [name, error] : errors) expect_refused(name, error);
  EXPECT_TRUE(maps.list()) << "on a thread of its own it goes on";
}

TEST_F(Waits, AWaitForACacheReturnsFalseInAHandlerAndSaysWhyInTheLog) {
  kube::SharedInformerFactory factory(client.rest());
  const auto informer = factory.informer<ConfigMap>();
  const auto registration = informer->add_event_handler({});
  kube::DeltaFifo<ConfigMap> queue;
  std::map<std::string, bool> synced;
  ASSERT_TRUE(in_handler([&] {
    factory.start({});  // which needs this thread to sync
    synced["informer"] = informer->wait_for_sync({});
    synced["handler"] = registration.wait_for_sync({});
    synced["factory"] = factory.wait_for_cache_sync({}).unsynced().empty();
    synced["queue"] = queue.wait_for_sync({});
    synced["named"] =
        kube::wait_for_named_cache_sync(client.rest().runtime(), "test", kube::Duration::max(),
                                        {kube::sync_check(*informer)}, {})
            .unsynced()
            .empty();
  }));
  for (const auto& [name, was] : synced) EXPECT_FALSE(was) << name;
  EXPECT_THAT(log->lines_with("wait for the sync refused"), ::testing::SizeIs(3));
  EXPECT_THAT(log->lines_with("call it from another thread"), ::testing::SizeIs(4));
}

TEST_F(Waits, AWaitThatIsOverIsNotRefused) {
  kube::SharedInformerFactory factory(client.rest());
  const auto informer = factory.informer<ConfigMap>();
  const auto registration = informer->add_event_handler({});
  factory.start({});
  ASSERT_TRUE(kube::wait_for_cache_sync({}, *informer, registration));
  std::map<std::string, bool> over;
  ASSERT_TRUE(in_handler([&] {
    over["informer"] = informer->wait_for_sync({});
    over["handler"] = registration.wait_for_sync({});
    over["factory"] = factory.wait_for_cache_sync({}).unsynced().empty();
    over["version"] = informer->wait_for(informer->last_sync_resource_version(), 1h).has_value();
  }));
  for (const auto& [name, was] : over) EXPECT_TRUE(was) << name;
  EXPECT_THAT(log->lines(), IsEmpty());
}

}  // namespace
}  // namespace waits
