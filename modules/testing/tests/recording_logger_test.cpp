// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/recording_logger.hpp>

#include <gmock/gmock.h>

#include <stop_token>
#include <thread>

namespace kube::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RecordingLogger, KeepsRecordsInOrderWithTheirFields) {
  RecordingLogger logger;
  KUBE_LOG(&logger, LogLevel::Warning, "reflector", "watch closed", {"resource", "pods"},
           {"n", "2"});
  KUBE_LOG(&logger, LogLevel::Debug, "client", "sent");
  const auto entries = logger.entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].level, LogLevel::Warning);
  EXPECT_EQ(entries[0].component, "reflector");
  EXPECT_EQ(entries[0].message, "watch closed");
  EXPECT_EQ(entries[0].field("resource"), "pods");
  EXPECT_EQ(entries[0].field("reason"), "");
  EXPECT_THAT(logger.lines(), ElementsAre("warning reflector: watch closed resource=pods n=2",
                                          "debug client: sent"));
}

TEST(RecordingLogger, LeavesOutWhatIsBelowItsLevel) {
  RecordingLogger logger(LogLevel::Error);
  KUBE_LOG(&logger, LogLevel::Warning, "x", "quiet");
  KUBE_LOG(&logger, LogLevel::Error, "x", "loud");
  EXPECT_THAT(logger.lines(), ElementsAre("error x: loud"));
}

TEST(RecordingLogger, TakenLinesAreForgotten) {
  RecordingLogger logger;
  KUBE_LOG(&logger, LogLevel::Info, "x", "one");
  EXPECT_THAT(logger.take_lines(), ElementsAre("info x: one"));
  EXPECT_THAT(logger.take_lines(), IsEmpty());
}

TEST(RecordingLogger, FindsLinesByATextInThem) {
  RecordingLogger logger;
  KUBE_LOG(&logger, LogLevel::Info, "x", "one", {"key", "web/a"});
  KUBE_LOG(&logger, LogLevel::Info, "x", "two", {"key", "web/b"});
  KUBE_LOG(&logger, LogLevel::Info, "y", "three", {"key", "web/b"});
  EXPECT_THAT(logger.lines_with("web/b"),
              ElementsAre("info x: two key=web/b", "info y: three key=web/b"));
  EXPECT_THAT(logger.lines_with("four"), IsEmpty());
  EXPECT_EQ(::testing::PrintToString(logger),
            "info x: one key=web/a\ninfo x: two key=web/b\ninfo y: three key=web/b\n");
}

TEST(RecordingLogger, ALineThatAnotherThreadWritesIsWaitedFor) {
  RecordingLogger logger;
  std::jthread other([&] { KUBE_LOG(&logger, LogLevel::Info, "x", "etcd is away"); });
  EXPECT_TRUE(logger.await_line("is away")) << logger;
  EXPECT_TRUE(logger.await_line("info x: etcd")) << "it is there already";
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(logger.await_line("never", stopped.get_token()));
}

TEST(RecordingLogger, ThreadsMayLogAtTheSameTime) {
  RecordingLogger logger;
  const auto log = [&] {
    for (int i = 0; i < 100; ++i) KUBE_LOG(&logger, LogLevel::Info, "x", "line");
  };
  std::thread other(log);
  log();
  other.join();
  EXPECT_EQ(logger.entries().size(), 200U);
}

}  // namespace
}  // namespace kube::testing
