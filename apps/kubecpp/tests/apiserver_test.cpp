// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp apiserver`: where it listens, and what it loads.
#include "apiserver_command.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace kubecpp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ListenOptions, LocalhostAndNothingMean127) {
  for (const char* listen : {"localhost:0", ":0", "127.0.0.1:0"}) {
    const auto options = listen_options(listen);
    ASSERT_TRUE(options) << listen;
    EXPECT_EQ(options->address, "127.0.0.1");
    EXPECT_EQ(options->port, 0);
  }
  EXPECT_EQ(listen_options("[::1]:80").value().address, "::1");
  for (const char* listen : {"", "80", "::1:80", "h:", "h:x", "h:70000", "h:-1", "[]:0"}) {
    const auto options = listen_options(listen);
    ASSERT_FALSE(options) << listen;
    EXPECT_EQ(options.error().code(), kube::ErrorCode::InvalidArgument) << listen;
  }
}

TEST(ListenOptions, AnAddressThatOthersReachIsWarnedOf) {
  for (const char* address : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_THAT(exposure_warning(address), IsEmpty()) << address;
  }
  for (const char* address : {"0.0.0.0", "::", "10.0.0.1", "::ffff:10.0.0.1", "fe80::1"}) {
    EXPECT_THAT(exposure_warning(address),
                HasSubstr("Warning: --listen " + std::string(address) + ": anyone who can reach"));
  }
}

class ApiserverCommand : public ::testing::Test {
 public:
  ~ApiserverCommand() override { std::filesystem::remove_all(folder_); }

 protected:
  ApiserverCommand() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  std::string write(const std::string& name, const std::string& text) {
    const auto path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      (std::string("kubecpp_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(ApiserverCommand, LoadsBeforeItListens) {
  write("a.yaml", "{apiVersion: v1, kind: Node, metadata: {name: a}}");
  Program server({KUBECPP, "apiserver", "--load", folder_.string(), "--listen", "localhost:0"});
  EXPECT_TRUE(server.prints("listening on http://127.0.0.1:")) << server.err();
  EXPECT_TRUE(server.complains("loaded 1 object\n"));
  server.send(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(ApiserverCommand, WarnsOfFieldsThatALoadedKindDoesNotHave) {
  const std::string file =
      write("a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, datax: {a: b}}");
  Program server({KUBECPP, "apiserver", "--load", file, "--listen", "localhost:0"});
  EXPECT_TRUE(server.prints("listening on ")) << server.err();
  EXPECT_TRUE(server.complains("Warning: " + file + ": document 1: unknown field \"datax\"\n"));
  EXPECT_TRUE(server.complains("loaded 1 object\n"));
  server.send(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(ApiserverCommand, EndsOnASignalWhileItLoads) {
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  Program server({KUBECPP, "apiserver", "--load", pipe});
  const int writer = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);  // until it reads
  ASSERT_GE(writer, 0);
  server.send(SIGTERM);
  EXPECT_EQ(server.wait(), 130);
  EXPECT_EQ(server.err(), "kubecpp: interrupted\n");
  ::close(writer);
}

TEST_F(ApiserverCommand, LoadsStandardInput) {
  const std::string file = write("node.yaml", "{apiVersion: v1, kind: Node, metadata: {name: a}}");
  Program server({"sh", "-c", "exec " KUBECPP " apiserver --load - <" + file});
  EXPECT_TRUE(server.prints("listening on ")) << server.err();
  EXPECT_TRUE(server.complains("loaded 1 object\n"));
}

TEST_F(ApiserverCommand, WarnsWhenOthersReachIt) {
  // An address of documentation, which this machine does not have: nobody is served by it.
  const Outcome outcome = run({KUBECPP, "apiserver", "--listen", "192.0.2.1:0"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("Warning: --listen 192.0.2.1: anyone who can reach this address"));
}

TEST_F(ApiserverCommand, TheKubeconfigIsPrivateEvenWhereAFileWas) {
  const std::string kubeconfig = write("kubeconfig", std::string(10'000, '#'));
  std::filesystem::permissions(kubeconfig, std::filesystem::perms(0644));
  Program server({KUBECPP, "apiserver", "--kubeconfig-out", kubeconfig});
  ASSERT_TRUE(server.prints("listening on ")) << server.err();
  EXPECT_EQ(std::filesystem::status(kubeconfig).permissions(), std::filesystem::perms(0600));
  EXPECT_LT(std::filesystem::file_size(kubeconfig), 10'000U);
  server.send(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  const Outcome nowhere =
      run({KUBECPP, "apiserver", "--kubeconfig-out", (folder_ / "no" / "file").string()});
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("cannot be created: No such file or directory"));
}

TEST_F(ApiserverCommand, NoBadFileIsServedAndAllEndWithOne) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {write("syntax.yaml", "a: [1"), "syntax.yaml: yaml: line "},
      {write("kind.yaml",
             "{apiVersion: v1, kind: Node, metadata: {name: a}}\n---\n"
             "{apiVersion: v1, kind: Nonsense, metadata: {name: a}}"),
       "kind.yaml: document 2: no resource of kind Nonsense in v1"},
      {write("invalid.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: X_y}}"),
       "invalid.yaml: document 1: Pod \"X_y\" is invalid"},
      {folder_ / "absent.yaml", "absent.yaml"},
  };
  for (const auto& [file, expected] : files) {
    const Outcome outcome = run({KUBECPP, "apiserver", "--load", file});
    EXPECT_EQ(outcome.status, 1) << file;
    EXPECT_THAT(outcome.err, HasSubstr(expected));
    EXPECT_THAT(outcome.err, ::testing::StartsWith("kubecpp: --load: "));
    EXPECT_THAT(outcome.out, IsEmpty()) << "it listened";
  }
}

}  // namespace
}  // namespace kubecpp
