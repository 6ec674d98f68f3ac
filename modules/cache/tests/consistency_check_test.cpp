// SPDX-License-Identifier: Apache-2.0
//
// The consistency detector: another list after what a stream, or a list from a cache, has brought.
#include "consistency_check.hpp"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/shared_informer.hpp>

#include "informer_fixture.hpp"
#include "reflector_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using testing::bookmark_text;
using testing::event_text;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::respond_status;
using testing::ScriptedCall;

const std::string kA = object_text("x/a", "5");
const std::string kB = object_text("x/b", "6");

class ConsistencyCheckTest : public testing::ReflectorFixture {
 protected:
  /// Streams the objects at version 10, and hands out the list that checks them.
  ScriptedCall stream(const std::vector<std::string>& objects) {
    streams = true;
    start({.detect_inconsistency = true});
    std::string events;
    for (const std::string& object : objects) events += event_text("ADDED", object);
    watch.emplace(next_watch());
    watch->data(events + bookmark_text("10", "true"));
    return next_check();
  }
  ScriptedCall next_check() {
    ScriptedCall list = next_list();
    EXPECT_EQ(list.query("resourceVersion"), "10");
    EXPECT_EQ(list.query("resourceVersionMatch"), "Exact");
    EXPECT_EQ(list.query("limit"), std::nullopt);
    return list;
  }
  /// The error after this answer, "" for none.
  std::string found(ScriptedCall check, const std::vector<std::string>& objects) {
    check.respond(200, list_text(objects, "10"));
    run_for(10s);
    EXPECT_EQ(transport->waiting(), 0U) << "one list";
    const std::string error = target.errors.empty() ? "" : target.errors.front().to_string();
    target.errors.clear();
    reflector->stop();
    run();
    return error;
  }
  std::optional<ScriptedCall> watch;
};

TEST_F(ConsistencyCheckTest, CDT_01_EqualDataIsOneListExactlyAtTheVersion) {
  EXPECT_EQ(found(stream({kA, kB}), {kB, kA}), "");
  EXPECT_EQ(found(stream({}), {}), "");
  const auto options = consistent_list_options(
      {.label_selector = "a=b", .resource_version = "", .timeout_seconds = 39}, "10", 2);
  EXPECT_EQ(options, (ListOptions{.label_selector = "a=b",
                                  .resource_version = "10",
                                  .resource_version_match = "Exact",
                                  .timeout_seconds = 39}));
}

TEST_F(ConsistencyCheckTest, DifferentDataIsReported) {
  EXPECT_THAT(
      found(stream({kA, kB}), {kA}),
      HasSubstr("check pods in all namespaces: the server's cache and its storage differ at "
                "version 10 in 1 objects: not stored: x/b"));
  EXPECT_THAT(found(stream({kA}), {kA, kB}), HasSubstr("not received: x/b"));
  EXPECT_THAT(found(stream({kA}), {object_text("x/a", "4")}), HasSubstr("different: x/a"));
  EXPECT_THAT(found(stream({kA}), {object_text("x/a", "5", {}, R"("spec":{})")}),
              HasSubstr("different: x/a"));
  EXPECT_THAT(found(stream({kA}), {object_text("x/a", "5", {}, {}, "another")}),
              HasSubstr("different: x/a"));
}

TEST_F(ConsistencyCheckTest, CDT_03_TheLimitThatACacheHasIgnoredIsNotSent) {
  const auto limit = [](const char* version, std::int64_t asked) {
    const auto options =
        consistent_list_options({.resource_version = version, .limit = asked}, "10", 3);
    return options->limit;
  };
  EXPECT_EQ(limit("0", 2), 0);
  EXPECT_EQ(limit("0", 500), 500);
  EXPECT_EQ(limit("7", 2), 2);
  EXPECT_EQ(limit("", 2), 2);
}

TEST_F(ConsistencyCheckTest, CDT_04_WithoutAVersionOrInPagesNothingIsChecked) {
  EXPECT_EQ(consistent_list_options({.continue_ = "token"}, "10", 3), std::nullopt);
  EXPECT_EQ(consistent_list_options({}, "0", 3), std::nullopt);
  EXPECT_EQ(consistent_list_options({}, "", 3), std::nullopt);
}

TEST_F(ConsistencyCheckTest, AListThatFailsIsSentAgainLessAndLessOften) {
  ScriptedCall check = stream({kA});
  const Duration pauses[] = {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s};
  for (const Duration pause : pauses) {
    respond_status(check, 500, "InternalError", "oops");
    expect_pause(pause);
    check = next_check();
  }
  EXPECT_THAT(target.errors, IsEmpty());
  EXPECT_THAT(found(check, {}), HasSubstr("not stored: x/a"));

  check = stream({kA});
  respond_status(check, 500, "InternalError", "oops");
  run();
  stop.request_stop();
  run_for(1h);
  EXPECT_EQ(transport->waiting(), 0U);
}

TEST_F(ConsistencyCheckTest, AListThatIsRefusedForGoodEndsTheCheck) {
  const std::pair<int, const char*> refusals[] = {
      {410, "Expired"}, {400, "BadRequest"}, {403, "Forbidden"}, {405, "MethodNotAllowed"}};
  for (const auto& [code, reason] : refusals) {
    SCOPED_TRACE(reason);
    ScriptedCall check = stream({kA});
    respond_status(check, code, reason, "no");
    run_for(2min);
    EXPECT_EQ(transport->waiting(), 0U) << "no other list";
    EXPECT_THAT(target.errors, IsEmpty()) << "nothing is known to differ";
    reflector->stop();
    run();
  }
}

TEST_F(ConsistencyCheckTest, AListFromTheServersCacheIsCheckedToo) {
  start({.detect_inconsistency = true});
  next_list().respond(200, list_text({kA}, "10"));
  run();
  ASSERT_EQ(transport->waiting(), 2U);
  ScriptedCall first = *transport->take_request();
  ScriptedCall second = *transport->take_request();
  ScriptedCall& check = first.query("watch") ? second : first;
  EXPECT_EQ(check.query("resourceVersionMatch"), "Exact");
  EXPECT_EQ(check.query("limit"), "500");
  check.respond(200, list_text({kA, kB}, "10"));
  run();
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_THAT(target.errors[0].to_string(), HasSubstr("not received: x/b"));
}

class InformerCheckTest : public testing::InformerFixture {
 protected:
  std::vector<Error> check(bool with_transform, const std::string& stored) {
    streams = true;
    make({.detect_inconsistency = true});
    std::vector<Error> errors;
    EXPECT_TRUE(
        informer->set_watch_error_handler([&](const Error& error) { errors.push_back(error); }));
    if (with_transform) {
      EXPECT_TRUE(informer->set_transform([](Unstructured object) -> Result<Unstructured> {
        object.set_labels({{"transformed", "yes"}});
        return object;
      }));
    }
    EXPECT_TRUE(informer->start());
    next_watch().data(event_text("ADDED", kA) + bookmark_text("10", "true"));
    next_list().respond(200, list_text({stored}, "10"));
    run();
    informer->stop_and_wait();
    run();
    return errors;
  }
};

TEST_F(InformerCheckTest, CDT_06_WithAndWithoutATransform) {
  for (const bool with_transform : {false, true}) {
    EXPECT_THAT(check(with_transform, kA), IsEmpty());
    EXPECT_EQ(check(with_transform, object_text("x/a", "4")).size(), 1U);
  }
}

TEST(InconsistencyDetector, IsOnWhenTheVariableOfClientGoSaysSo) {
  const auto with = [](std::optional<std::string> value) {
    return inconsistency_detector_enabled([value](std::string_view name) {
      return name == "KUBE_WATCHLIST_INCONSISTENCY_DETECTOR" ? value : std::nullopt;
    });
  };
  EXPECT_FALSE(with(std::nullopt));
  EXPECT_FALSE(with(""));
  EXPECT_FALSE(with("false"));
  EXPECT_TRUE(with("true"));
  EXPECT_TRUE(with("1"));
}

}  // namespace
}  // namespace kube::cache
