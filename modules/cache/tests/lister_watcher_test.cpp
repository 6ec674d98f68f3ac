// SPDX-License-Identifier: Apache-2.0
//
// The source of informers that asks an API server: its requests, and what a refusal changes.
#include <kube/cache/lister_watcher.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/meta/errors.hpp>

#include "scripted_run.hpp"

namespace kube::cache {
namespace {

using ::testing::HasSubstr;
using testing::ScriptedCall;

/// Keeps the end of an exchange.
class EndKeeper final : public transport::ResponseHandler {
 public:
  void on_head(transport::ResponseHead) override {}
  transport::Flow on_data(std::string_view) override { return transport::Flow::Continue; }
  void on_end(Result<void> result) override { end = std::move(result); }

  std::optional<Result<void>> end{};
};

class ListerWatcherTest : public ::testing::Test, public testing::ScriptedRun {
 protected:
  static std::string accept(ScriptedCall& call) {
    return std::string(call.request().headers.find("Accept").value_or(""));
  }

  const std::shared_ptr<EndKeeper> handler = std::make_shared<EndKeeper>();
};

TEST_F(ListerWatcherTest, ListsAndWatchesWhatItsSelectorsSelect) {
  const auto source = rest_lister_watcher(client(), testing::pods(), "web", "app=a", "spec.x=y");
  EXPECT_EQ(source->to_string(), "pods in namespace \"web\"");
  source->list({.resource_version = "0"}, std::chrono::milliseconds(0), handler, {});
  ScriptedCall list = next_list();
  EXPECT_THAT(list.request().url, HasSubstr("/api/v1/namespaces/web/pods?"));
  EXPECT_EQ(list.query("labelSelector"), "app=a");
  EXPECT_EQ(list.query("fieldSelector"), "spec.x=y");
  EXPECT_EQ(list.query("resourceVersion"), "0");
  source->watch({.resource_version = "7"}, std::chrono::milliseconds(0), handler, {});
  ScriptedCall watch = next_watch();
  EXPECT_EQ(watch.query("labelSelector"), "app=a");
  EXPECT_EQ(watch.query("resourceVersion"), "7");
}

struct SilentClient {};
struct DeclaringClient {
  bool unsupported = false;
  bool is_watch_list_semantics_unsupported() const { return unsupported; }
};

TEST_F(ListerWatcherTest, WLU_01_OnlyAClientThatSaysSoDoesNotSupportStreams) {
  const SilentClient silent;
  const DeclaringClient supports{false};
  const DeclaringClient lacks{true};
  EXPECT_TRUE(does_client_not_support_watch_list_semantics(&lacks));
  EXPECT_FALSE(does_client_not_support_watch_list_semantics(&supports));
  EXPECT_FALSE(does_client_not_support_watch_list_semantics(&silent));
  EXPECT_FALSE(does_client_not_support_watch_list_semantics<DeclaringClient>(nullptr));
}

TEST_F(ListerWatcherTest, LW_01_LW_02_ASourceHasWhatItsClientDeclares) {
  const auto source = rest_lister_watcher(client(), testing::pods(), "", "", "");
  EXPECT_FALSE(source->is_watch_list_semantics_unsupported());
  const SilentClient silent;
  const DeclaringClient supports{false};
  const DeclaringClient lacks{true};
  const auto unsupported = [&](const auto* declares) {
    return to_lister_watcher_with_watch_list_semantics(source, declares)
        ->is_watch_list_semantics_unsupported();
  };
  EXPECT_FALSE(unsupported(&silent));
  EXPECT_FALSE(unsupported(static_cast<const DeclaringClient*>(nullptr)));
  EXPECT_FALSE(unsupported(&supports));
  EXPECT_TRUE(unsupported(&lacks));
  const auto declared = to_lister_watcher_with_watch_list_semantics(source, &lacks);
  EXPECT_EQ(declared->to_string(), source->to_string());
  declared->list({.resource_version = "0"}, std::chrono::milliseconds(0), handler, {});
  EXPECT_EQ(next_list().query("resourceVersion"), "0");
  declared->watch({.resource_version = "7"}, std::chrono::milliseconds(0), handler, {});
  EXPECT_EQ(next_watch().query("resourceVersion"), "7");
}

TEST_F(ListerWatcherTest, ARefusalIsOneEndWithItsError) {
  const auto source = rest_lister_watcher(client(), testing::pods(), "", "", "");
  source->list({}, std::chrono::milliseconds(0), handler, {});
  ScriptedCall list = next_list();
  testing::respond_status(list, 403, "Forbidden", "not for you");
  run();
  ASSERT_TRUE(handler->end);
  EXPECT_TRUE(is_forbidden(handler->end->error()));
  EXPECT_FALSE(source->note_response(handler->end->error())) << "the next one would be the same";
}

TEST_F(ListerWatcherTest, AfterARefusalOfProtobufItAsksForJson) {
  const auto source =
      rest_lister_watcher(client(), testing::pods(), "", "", "", Encoding::Protobuf);
  source->list({}, std::chrono::milliseconds(0), handler, {});
  ScriptedCall first = next_list();
  EXPECT_THAT(accept(first), HasSubstr(std::string(kProtobufMediaType)));
  testing::respond_status(first, 406, "NotAcceptable", "no protobuf");
  run();
  ASSERT_TRUE(handler->end);
  EXPECT_TRUE(source->note_response(handler->end->error()));
  source->list({}, std::chrono::milliseconds(0), handler, {});
  ScriptedCall second = next_list();
  EXPECT_EQ(accept(second), kJsonMediaType);
}

}  // namespace
}  // namespace kube::cache
