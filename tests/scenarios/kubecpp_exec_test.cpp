// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp exec` and `attach` beside kubectl, through the real API server to a kubelet.
#include <csignal>
#include <string>

#include "kubelet_scenario.hpp"
#include "terminal_program.hpp"

namespace scenarios {
namespace {

class KubecppExecScenario : public KubeletScenario {
 protected:
  // Each byte, and more of them than anything buffers.
  std::string binary_file() const {
    std::string bytes;
    for (int i = 0; i < 5'000'000; ++i) bytes += static_cast<char>((i + i / 256) % 256);
    return folder_.write("binary", bytes);
  }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

constexpr const char* kTwo =
    "containers: [{name: one, image: img}, {name: two, image: img, tty: true, stdin: true}], "
    "initContainers: [{name: before, image: img}]";

TEST_F(KubecppExecScenario, PassesOutputsAndExitStatus) {
  run_pod("web", kTwo);
  EXPECT_EQ(expect_same({"exec", "web", "--", "echo", "-n", "--flag", "", "a b"}).out,
            "--flag  a b");
  const auto failed = expect_same(
      {"exec", "web", "-c", "two", "--", "sh", "-c", "echo $CONTAINER; echo wrong >&2; exit 42"});
  EXPECT_EQ(failed.out, "two\n");
  EXPECT_EQ(failed.err, "wrong\ncommand terminated with exit code 42\n");
  EXPECT_EQ(failed.status, 42);
  expect_same({"exec", "web", "-q", "--", "sh", "-c", "exit 255"});
  expect_same({"exec", "pod/web", "--container=before", "--", "sh", "-c", "echo $CONTAINER"});
}

TEST_F(KubecppExecScenario, PassesBytesAsTheyAre) {
  run_pod("web", kTwo);
  const std::string file = binary_file();
  EXPECT_EQ(expect_same({"exec", "-i", "web", "--", "cat"}, file).out, folder_.read("binary"));
  // Without -i the command has no input, with it the input ends.
  expect_same({"exec", "web", "--", "wc", "-c"}, file);
  expect_same({"exec", "web", "-i", "--", "wc", "-c"}, file);
  // The command ends before its input does.
  expect_same({"exec", "web", "-i", "--", "head", "-c", "3"}, file);
  expect_same({"exec", "web", "-it", "--", "cat"}, folder_.write("text", "no terminal\n"));
}

TEST_F(KubecppExecScenario, FindsThePodsOfOwners) {
  run_pod("web", "containers: [{name: one, image: img}, {name: two, image: img}]",
          "labels: {app: web}, annotations: {kubectl.kubernetes.io/default-container: two}");
  create(
      "apiVersion: v1\nkind: Service\nmetadata: {name: front}\n"
      "spec: {selector: {app: web}, ports: [{port: 80}]}\n");
  create("apiVersion: v1\nkind: Service\nmetadata: {name: bare}\nspec: {ports: [{port: 80}]}\n");
  create(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: all}\n"
      "spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, "
      "spec: {containers: [{name: one, image: img}]}}}\n");
  create("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: none}\n");
  for (const char* owner : {"service/front", "svc/front", "deploy/all", "deployment.apps/all"}) {
    EXPECT_EQ(expect_same({"exec", owner, "--", "sh", "-c", "echo $CONTAINER"}).out, "two\n");
  }
  expect_same({"exec", "svc/bare", "--", "ls"});
  expect_same({"exec", "configmap/none", "--", "ls"});
}

TEST_F(KubecppExecScenario, SaysWhatIsWrong) {
  run_pod("web", kTwo);
  run_pod("over", "containers: [{name: one, image: img}]");
  set_phase("over", "Succeeded");
  expect_same({"exec", "nothing", "--", "ls"});
  expect_same({"exec", "deploy/nothing", "--", "ls"});
  expect_same({"exec", "web", "-c", "three", "--", "ls"});
  expect_same({"exec", "over", "--", "ls"});
  expect_same({"exec", "web", "--", "no-such-program"});
  expect_same({"attach", "over"});
  expect_same({"attach", "web", "-c", "three"});
  expect_same({"attach", "nothing"});
}

TEST_F(KubecppExecScenario, AttachesToAContainer) {
  run_pod("web", kTwo);
  const std::string text = folder_.write("text", "to the container\n");
  EXPECT_EQ(expect_same({"attach", "web", "-i"}, text).out, "attached to one\nto the container\n");
  expect_same({"attach", "-q", "-i", "web"}, text);
  expect_same({"attach", "-ti", "web"}, text);
  expect_same({"attach", "-i", "pods", "web", "-c", "two"}, text);
}

TEST_F(KubecppExecScenario, GivesTheTerminalToTheCommand) {
  run_pod("web", kTwo);
  for (const Arguments& line : {kubectl_words({"exec", "-it", "web", "--", "sh"}),
                                kubecpp_words({"exec", "-it", "web", "--", "sh"})}) {
    SCOPED_TRACE(line.front());
    programs::TerminalProgram shell(line, 90, 33);
    const auto before = shell.modes();
    shell.type("stty size\n");
    EXPECT_TRUE(shell.shows("33 90")) << shell.text();
    shell.resize(70, 22);
    // The signal and the new size take their time.
    EXPECT_TRUE(eventually([&] {
      shell.type("stty size\n");
      return shell.text().find("22 70") != std::string::npos;
    })) << shell.text();
    EXPECT_NE(shell.modes(), before);  // each key is the command's
    shell.type("cat; echo st''opped\n");
    shell.type("to cat\n");
    EXPECT_TRUE(eventually([&] { return count(shell.text(), "to cat") == 2; })) << shell.text();
    shell.type("\x03");
    // The terminal drops what was typed before it has seen the key.
    EXPECT_TRUE(eventually([&] {
      shell.type("echo code $?\n");
      return count(shell.text(), "code 130") > 0;
    })) << shell.text();
    shell.type("exit 7\n");
    EXPECT_EQ(shell.wait(), 7) << shell.text();
    EXPECT_EQ(shell.modes(), before);
    EXPECT_TRUE(shell.shows("command terminated with exit code 7"));
  }
}

TEST_F(KubecppExecScenario, RestoresTheTerminalWhenASignalEndsIt) {
  run_pod("web", kTwo);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
    SCOPED_TRACE(signal);
    programs::TerminalProgram shell(kubecpp_words({"exec", "-it", "web", "--", "sh"}), 80, 24);
    const auto before = shell.modes();
    shell.type("echo re''ady\n");
    ASSERT_TRUE(shell.shows("ready")) << shell.text();
    ASSERT_NE(shell.modes(), before);
    shell.send(signal);
    EXPECT_NE(shell.wait(), 0);
    EXPECT_EQ(shell.modes(), before);
  }
}

}  // namespace
}  // namespace scenarios
