// SPDX-License-Identifier: Apache-2.0
//
// An informer that keeps its state from one run to the next: InformerOptions::state_dir.
#include <unistd.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/file.hpp>
#include <kube/testing/recording_logger.hpp>

#include "folder.hpp"
#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using testing::bookmark_text;
using ::testing::ElementsAre;
using testing::event_text;
using testing::Folder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::Recorder;
using testing::respond_status;
using testing::ScriptedCall;
using testing::status_text;
using ::testing::UnorderedElementsAre;

class InformerSaving : public testing::InformerFixture {
 protected:
  InformerSaving() { runtime.logger = log; }
  void make_saving(InformerOptions options = {}) {
    options.state_dir = folder.path();
    make(std::move(options));
  }
  /// One run that ends with web/a@5 and web/b@11, at version 12.
  void save() {
    make_saving();
    ScriptedCall watch = start({object_text("web/a", "5")});
    watch.data(added("web/b", "11") + bookmark_text("12"));
    run();
    informer.reset();
  }
  /// Starts the next run; hands out its first request.
  ScriptedCall start_again() {
    if (!informer) make_saving();
    registration = add(recorder);
    EXPECT_TRUE(informer->start());
    return next();
  }
  std::string file() const { return folder / "pods.v1.state"; }
  bool exists() const { return ::access(file().c_str(), F_OK) == 0; }
  std::string logged(const std::string& message) const {
    return ::testing::PrintToString(log->lines_with(message));
  }

  const Folder folder;
  const std::shared_ptr<kube::testing::RecordingLogger> log =
      std::make_shared<kube::testing::RecordingLogger>();
  Recorder recorder;
  HandlerRegistration registration;
};

TEST_F(InformerSaving, TheNextRunResumesWithoutAList) {
  save();
  ScriptedCall watch = start_again();
  EXPECT_EQ(watch.query("watch"), "true");
  EXPECT_EQ(watch.query("resourceVersion"), "12");
  EXPECT_EQ(watch.query("sendInitialEvents"), std::nullopt);
  watch.data(modified("web/a", "15"));
  run();
  EXPECT_THAT(recorder.take(),
              UnorderedElementsAre("*add web/a@5", "*add web/b@11", "update web/a@5 -> web/a@15"));
  EXPECT_TRUE(informer->has_synced());
  const InformerStatus status = informer->status();
  EXPECT_EQ(status.lists, 0U);
  EXPECT_EQ(status.state, InformerState::Watching);
  ASSERT_TRUE(status.resumed);
  EXPECT_EQ(informer->last_sync_resource_version(), "15");
}

TEST_F(InformerSaving, NothingIsVisibleBeforeTheServerHasAcceptedTheVersion) {
  save();
  ScriptedCall watch = start_again();
  watch.head(200);
  run_for(900ms);
  EXPECT_FALSE(informer->has_synced());
  EXPECT_THAT(recorder.take(), IsEmpty());
  EXPECT_THAT(informer->lister().list(), IsEmpty());
  run_for(100ms);
  EXPECT_TRUE(informer->has_synced()) << "no error for a second";
  EXPECT_THAT(recorder.take(), UnorderedElementsAre("*add web/a@5", "*add web/b@11"));
  watch.data(deleted("web/a", "16"));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("delete web/a@16"));
}

TEST_F(InformerSaving, AVersionThatIsGoneIsFollowedByAListAtOnce) {
  save();
  ScriptedCall watch = start_again();
  watch.data(event_text("ERROR", status_text(410, "Expired", "too old")));
  run();
  EXPECT_THAT(recorder.take(), IsEmpty()) << "a state that is too old was handed out";
  EXPECT_FALSE(informer->has_synced());
  next_list().respond(200, list_text({object_text("web/b", "11")}, "40"));
  ScriptedCall next = next_watch();
  run();
  EXPECT_EQ(next.query("resourceVersion"), "40");
  EXPECT_THAT(recorder.take(), ElementsAre("*add web/b@11"));
  EXPECT_EQ(informer->status().lists, 1U);
  EXPECT_FALSE(informer->status().resumed);
}

TEST_F(InformerSaving, AListAtTheVersionOfTheFileIsSavedAnew) {
  save();
  ScriptedCall watch = start_again();
  respond_status(watch, 410, "Expired", "another server");
  next_list().respond(200, list_text({object_text("web/c", "3")}, "12"));
  ScriptedCall next = next_watch();
  run();
  informer.reset();
  recorder.take();
  start_again().data(bookmark_text("13"));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("*add web/c@3"));
}

TEST_F(InformerSaving, AListFollowsTheResponse410AtOnce) {
  save();
  ScriptedCall watch = start_again();
  respond_status(watch, 410, "Expired", "too old");
  EXPECT_EQ(next_list().query("resourceVersion"), "12") << "at least what was known";
}

TEST_F(InformerSaving, WhatWasDeletedSinceAnAcceptedStateIsADeletion) {
  save();
  ScriptedCall watch = start_again();
  watch.head(200);
  run_for(1s);
  recorder.take();
  relist(std::move(watch), {object_text("web/b", "11")}, "40");
  EXPECT_THAT(recorder.take(),
              UnorderedElementsAre("delete web/a@5 (inferred)", "update web/b@11 -> web/b@11"));
}

TEST_F(InformerSaving, AServerThatIsAwayIsWaitedFor) {
  save();
  start_again().fail(Error(ErrorCode::Unreachable, "no route"));
  run_for(60s);
  ScriptedCall watch = next_watch();
  EXPECT_EQ(watch.query("resourceVersion"), "12");
  EXPECT_FALSE(informer->has_synced());
  EXPECT_EQ(informer->status().condition, InformerCondition::Unreachable);
  watch.data(bookmark_text("13"));
  run();
  EXPECT_TRUE(informer->has_synced());
  EXPECT_THAT(recorder.take(), UnorderedElementsAre("*add web/a@5", "*add web/b@11"));
}

TEST_F(InformerSaving, AStopWhileItResumesKeepsTheFile) {
  save();
  const std::string before = read_file(file()).value();
  start_again();
  informer.reset();
  EXPECT_EQ(read_file(file()).value(), before);
}

TEST_F(InformerSaving, AStateOfOtherOptionsIsNotUsed) {
  save();
  make_saving({.drop_fields = {"metadata.managedFields"}});
  ScriptedCall list = start_again();
  EXPECT_EQ(list.query("watch"), std::nullopt);
  EXPECT_THAT(logged("the saved state is not used"),
              HasSubstr(file() + ": it is the state of something else"));
}

TEST_F(InformerSaving, ADamagedFileIsNamedAndReplaced) {
  save();
  std::string text = read_file(file()).value();
  text[text.size() / 2] ^= 1;
  std::ofstream(file()) << text;
  ScriptedCall list = start_again();
  EXPECT_THAT(logged("the saved state is not used"), HasSubstr(file() + ": it is "));
  EXPECT_EQ(list.query("watch"), std::nullopt);
  list.respond(200, list_text({object_text("web/c", "20")}, "21"));
  ScriptedCall watch = next_watch();
  run();
  informer.reset();
  recorder.take();
  start_again().data(bookmark_text("22"));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("*add web/c@20"));
}

TEST_F(InformerSaving, AChangedStateIsSavedWhileItRuns) {
  make_saving({.state_save_period = 60s});
  ScriptedCall watch = start({object_text("web/a", "5")});
  run_for(59s);
  EXPECT_FALSE(exists());
  run_for(1s);
  ASSERT_TRUE(exists());
  ASSERT_EQ(::unlink(file().c_str()), 0);
  run_for(70s);
  EXPECT_FALSE(exists()) << "nothing has changed";
  next_watch().data(added("web/b", "11"));  // the first was silent for too long
  run_for(70s);
  EXPECT_TRUE(exists());
}

TEST_F(InformerSaving, AFileThatCanNotBeWrittenIsReportedAndTheInformerGoesOn) {
  std::ofstream(folder / "no-folder") << "";
  InformerOptions options;
  options.state_dir = folder / "no-folder";
  make(options);
  ScriptedCall watch = start();
  informer->stop_and_wait();
  EXPECT_THAT(logged("the state could not be saved"), HasSubstr("Not a directory"));
}

TEST_F(InformerSaving, AStateThatLacksAnObjectIsNotSaved) {
  make_saving();
  ScriptedCall watch = start();
  watch.data(event_text("ADDED", R"({"metadata":{"name":"a/b","resourceVersion":"20"}})"));
  run();
  ASSERT_GT(informer->status().processing_errors, 0U);
  informer.reset();
  EXPECT_FALSE(exists()) << "the watch of the next run would not bring it";
}

TEST_F(InformerSaving, OneThatHasNotSyncedIsNotSaved) {
  make_saving();
  ASSERT_TRUE(informer->start());
  next_list();
  informer.reset();
  EXPECT_FALSE(exists());
}

TEST_F(InformerSaving, ATransformAndDecodedObjectsAreRefusedByStart) {
  make_saving();
  ASSERT_TRUE(informer->set_transform([](const Unstructured&) -> Result<Unstructured> {
    return Error(ErrorCode::Internal, "not called");
  }));
  EXPECT_EQ(informer->start().error().code(), ErrorCode::InvalidArgument);
  EXPECT_TRUE(informer->is_stopped());
  make_saving({.storage = StoragePolicy::Decoded});
  EXPECT_EQ(informer->start().error().message(),
            "InformerOptions::state_dir: expected no StoragePolicy::Decoded, which keeps no bytes");
}

}  // namespace
}  // namespace kube::cache
