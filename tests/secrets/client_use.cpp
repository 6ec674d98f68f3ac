// SPDX-License-Identifier: Apache-2.0
#include "client_use.hpp"

#include <atomic>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <kube/api/core/v1/secret.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/client.hpp>
#include <kube/client/rest_mapper.hpp>
#include <kube/client/text_request.hpp>
#include <kube/testing/eventually.hpp>

namespace secrets {
namespace {

using kube::core::v1::Secret;

template <class T>
void note(const std::string& where, const kube::Result<T>& result, Outputs& outputs) {
  outputs.add(where, result ? kube::Error(kube::ErrorCode::Internal, "done") : result.error());
}

void use_verbs(const kube::Client& client, Outputs& outputs) {
  const auto typed = client.api<Secret>("web");
  const auto untyped = client.api(kube::meta::resource_of<Secret>(), "web");
  note("get", typed.get("a"), outputs);
  note("get untyped", untyped.get("a"), outputs);
  note("list", typed.list(), outputs);
  note("list untyped", untyped.list_all(), outputs);
  Secret secret;
  secret.metadata.name = "a";
  secret.data["password"] = kCanary;
  note("create", typed.create(secret), outputs);
  note("update", typed.update(secret), outputs);
  note("apply", typed.apply(secret, {.field_manager = "m"}), outputs);
  note("patch", typed.patch("a", kube::Patch::merge(kube::json::Object{{"data", kCanary}})),
       outputs);
  note("delete", typed.delete_("a"), outputs);
  note("discovery", kube::RestMapper::create(client.rest(), {}), outputs);
  note("proxy",
       kube::get_text(client.rest(), kube::meta::resource_of<Secret>(), "web", "a", "proxy", "path",
                      {{"token", std::string(kCanary)}})
           .do_raw(),
       outputs);
}

void use_watch(const kube::Client& client, Outputs& outputs) {
  auto watch = client.api<Secret>("web").watch({.field_selector = "data=" + std::string(kCanary)});
  if (!watch) return outputs.add("watch", watch.error());
  while (auto event = watch->next()) {
    if (!*event) outputs.add("event", event->error());
    if (*event && (*event)->error) outputs.add("event", *(*event)->error);
  }
  note("end of the watch", watch->end_reason(), outputs);
}

void use_informer(const kube::Client& client, Outputs& outputs) {
  kube::SharedInformer<Secret> informer(client.rest());
  std::atomic<bool> told = false;
  (void)informer.set_watch_error_handler([&](const kube::Error& error) {
    outputs.add("watch_error_handler", error);
    told = true;
  });
  auto registration = informer.add_event_handler({.on_add = [&](const auto& object, bool) {
    note("decoded", object.get(), outputs);
    told = true;
  }});
  (void)informer.start();
  EXPECT_TRUE(kube::testing::eventually([&] { return told.load(); }));
  if (auto why = informer.status().last_error) outputs.add("last_error", *why);
  registration.unregister_and_wait();
  informer.stop_and_wait();
}

}  // namespace

void use(const kube::rest::Config& config, Outputs& outputs) {
  std::ostringstream printed;
  printed << config;
  outputs.add("printed config", printed.str());
  note("validate", kube::rest::validate(config), outputs);
  kube::ClientOptions options;
  options.runtime.logger = std::make_shared<LogInto>(outputs);
  options.runtime.metrics = std::make_shared<MetricsInto>(outputs);
  auto client = kube::Client::create(config, options);
  if (!client) return outputs.add("create", client.error());
  outputs.add("url", client->rest().url({.path = "/api"}));
  use_verbs(*client, outputs);
  use_watch(*client, outputs);
  use_informer(*client, outputs);
}

}  // namespace secrets
