// SPDX-License-Identifier: Apache-2.0
#include "auth/process.hpp"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX

#include <fstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/worker_thread.hpp>
#include <kube/testing/eventually.hpp>

#include "plugin_folder.hpp"

namespace kube::rest {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class ProcessTest : public ::testing::Test {
 protected:
  ProcessSpec shell(const std::string& body) const {
    return {.executable = folder.script("script", body),
            .arguments = {"script"},
            .environment = {"PATH=/usr/bin:/bin", "HERE=" + folder.directory().path().string()}};
  }
  // Whether it has ended, even if its new parent has not reaped it.
  static bool has_ended(int pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(") ");
    return name_end == std::string::npos || text[name_end + 2] == 'Z' || text[name_end + 2] == 'X';
  }
  PluginFolder folder;
};

TEST_F(ProcessTest, ReturnsTheOutputAndTheExitCode) {
  const auto ran = run_process(shell("echo one; echo hidden >&2; exit 3"), {});
  ASSERT_TRUE(ran) << ran.error().to_string();
  EXPECT_EQ(ran->text, "one\n");
  EXPECT_EQ(ran->exit_code, 3);
  const auto killed = run_process(shell("kill -9 $$"), {});
  ASSERT_TRUE(killed) << killed.error().to_string();
  EXPECT_EQ(killed->exit_code, -1);
  EXPECT_EQ(killed->signal, SIGKILL);
}

TEST_F(ProcessTest, PassesALongOutputWhole) {
  const auto ran = run_process(shell("head -c 3000000 /dev/zero"), {});
  ASSERT_TRUE(ran) << ran.error().to_string();
  EXPECT_EQ(ran->text.size(), 3'000'000U);
}

TEST_F(ProcessTest, HasOnlyTheGivenEnvironmentNoInputNoOtherDescriptorsAndNoBlockedSignals) {
  const int inherited = ::open("/dev/null", O_RDONLY);
  const std::string body =
      "cat; env | grep -v '^PWD=\\|^_=\\|^SHLVL=\\|^OLDPWD=' | cut -d= -f1 | sort | tr '\\n' ' '\n"
      "test -e /proc/self/fd/" +
      std::to_string(inherited) + " && echo leaked\ngrep SigBlk /proc/self/status";
  Result<ProcessOutput> ran(Error(ErrorCode::Internal, "not run"));
  // As the refresh of credentials does: on a thread that blocks signals.
  WorkerThread("kube-auth", [&] { ran = run_process(shell(body), {}); }).join();
  ::close(inherited);
  ASSERT_TRUE(ran) << ran.error().to_string();
  EXPECT_THAT(ran->text, HasSubstr("HERE PATH "));
  EXPECT_THAT(ran->text, ::testing::Not(HasSubstr("leaked")));
  EXPECT_THAT(ran->text, HasSubstr("0000000000000000"));
}

TEST_F(ProcessTest, AChildThatKeepsTheOutputOpenDoesNotKeepTheRunOpen) {
  const auto ran = run_process(shell("sleep 1000 & echo $! > \"$HERE/child\"; echo done"), {});
  ASSERT_TRUE(ran) << ran.error().to_string();
  EXPECT_EQ(ran->text, "done\n");
  ::kill(std::stoi(folder.noted("child")), SIGKILL);
}

TEST_F(ProcessTest, AStopEndsTheProgram) {
  std::stop_source stop;
  const ProcessSpec spec = shell("echo $$ > \"$HERE/pid\"; exec sleep 1000");
  std::jthread stopper([&] {
    (void)testing::eventually([&] { return !folder.noted("pid").empty(); });
    stop.request_stop();
  });
  const auto ran = run_process(spec, stop.get_token());
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code(), ErrorCode::Cancelled);
  EXPECT_NE(::kill(std::stoi(folder.noted("pid")), 0), 0) << "it has ended";
}

TEST_F(ProcessTest, AStopEndsTheChildrenOfTheProgramToo) {
  std::stop_source stop;
  const ProcessSpec spec = shell(
      "sh -c \"trap '' TERM; echo \\$\\$ > $HERE/stubborn; while :; do sleep 0.05; done\" &\n"
      "sleep 1000 & echo $! > \"$HERE/obedient\"; wait");
  std::jthread stopper([&] {
    (void)testing::eventually(
        [&] { return !folder.noted("obedient").empty() && !folder.noted("stubborn").empty(); });
    stop.request_stop();
  });
  const auto ran = run_process(spec, stop.get_token());
  ASSERT_FALSE(ran);
  for (const char* child : {"obedient", "stubborn"}) {
    const int pid = std::stoi(folder.noted(child));
    EXPECT_TRUE(testing::eventually([&] { return has_ended(pid); })) << child;
  }
}

TEST_F(ProcessTest, ATimeoutKillsAProgramThatIgnoresSigterm) {
  ProcessSpec spec = shell("trap '' TERM; while :; do sleep 0.01; done");
  spec.timeout = 100ms;
  const auto ran = run_process(spec, {});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code(), ErrorCode::Timeout);
}

TEST_F(ProcessTest, TooLongAnOutputIsAnError) {
  ProcessSpec spec = shell("cat /dev/zero");
  spec.max_output_bytes = 1 << 20;
  const auto ran = run_process(spec, {});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message(), "it wrote more than 1048576 bytes");
}

TEST_F(ProcessTest, AFileThatIsNoProgramCannotBeStarted) {
  ProcessSpec spec = shell("");
  folder.directory().write("script",
                           "\x7f"
                           "ELF nonsense");
  const auto ran = run_process(spec, {});
  ASSERT_FALSE(ran);
  EXPECT_THAT(ran.error().message(), HasSubstr("Exec format error"));
}

TEST_F(ProcessTest, CommandsWithoutASlashAreLookedForInThePath) {
  const std::string folder_name = folder.directory().path().string();
  EXPECT_EQ(find_executable("plugin", "/nowhere::." + std::string(":") + folder_name),
            folder_name + "/plugin");
  EXPECT_EQ(find_executable("plugin", "/nowhere"), "");
  EXPECT_EQ(find_executable("", folder_name), "");
  EXPECT_EQ(find_executable(folder.command(), ""), folder.command());
  folder.directory().write("data", "not executable");
  EXPECT_EQ(find_executable("data", folder_name), "");
  EXPECT_EQ(find_executable(folder_name, ""), "") << "a folder";
}

}  // namespace
}  // namespace kube::rest
