// SPDX-License-Identifier: Apache-2.0
//
// Files that hold something else than objects, as people meet them: one line that names file,
// document and field, and no wrong call.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>
#include <kube/base/file.hpp>

#include "program.hpp"

namespace kubecpp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kGoodMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";

class BadFiles : public ::testing::Test {
 protected:
  Outcome call(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), KUBECPP);
    arguments.insert(arguments.end(), {"--server", server_->url()});
    return run(std::move(arguments));
  }
  const TemporaryFolder folder_;
  const std::unique_ptr<kube::apiserver::ApiServer> server_ =
      kube::apiserver::ApiServer::start().value();
};

TEST_F(BadFiles, APipeIsLeftOnASignal) {
  const std::string pipe = folder_.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"apply", "-f", pipe, "--server", server_->url()},
                                             {"delete", "-f", pipe, "--server", server_->url()},
                                             {"convert", pipe}}) {
    std::vector<std::string> arguments = {KUBECPP};
    arguments.insert(arguments.end(), command.begin(), command.end());
    Program program(arguments);
    const int writer = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);  // until it reads
    ASSERT_GE(writer, 0);
    program.send(SIGTERM);
    EXPECT_EQ(program.wait(), 130) << command.front();
    EXPECT_EQ(program.err(), "kubecpp: interrupted\n");
    ::close(writer);
  }
}

TEST_F(BadFiles, AFoldersPipesAreSkippedWithAWarning) {
  folder_.write("a.yaml", kGoodMap);
  const std::string pipe = folder_.path("pipe.yaml");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string warning = "Warning: " + pipe + ": skipped: not a regular file\n";
  const Outcome applied = call({"apply", "-f", folder_.path("")});
  EXPECT_EQ(applied.status, 0);
  EXPECT_EQ(applied.err, warning);
  EXPECT_THAT(applied.out, HasSubstr("configmap/c created"));
  Program server({KUBECPP, "apiserver", "--load", folder_.path(""), "--listen", "localhost:0"});
  EXPECT_TRUE(server.complains(warning));
  EXPECT_TRUE(server.complains("loaded 1 object\n"));
  EXPECT_TRUE(server.prints("listening on "));
  server.send(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(BadFiles, AreNamedWithDocumentAndField) {
  const std::string head = "apiVersion: v1\nkind: ConfigMap\n";
  std::string blocks = head + "metadata:\n";
  for (std::size_t level = 1; level < 2000; ++level) blocks += std::string(level, ' ') + "a:\n";
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"[]", ": expected an object, found an array"},
      {"text", ": expected an object, found a string"},
      {"kind: 5", ": kind: expected a string, found a number"},
      {"kind: Pod\napiVersion: [v1]", ": apiVersion: expected a string, found an array"},
      {"kind: Pod\napiVersion: null", ": expected an object with an apiVersion, found none"},
      {head + "metadata: {name: 5}", ": metadata.name: expected a string, found a number"},
      {head + "metadata: {name: c, namespace: {}}",
       ": metadata.namespace: expected a string, found an object"},
      {head + "metadata: []", ": metadata: expected an object, found an array"},
      {head, ": metadata.name: expected a name, found none"},
      {std::string(kGoodMap) + "---\n" + head + "metadata: {name: true}",
       ": document 2: metadata.name: expected a string, found a boolean"},
      {"apiVersion: v1\nkind: List\nitems: [{kind: ConfigMap, apiVersion: v1, metadata: {name: "
       "1}}]",
       ": items[0]: metadata.name: expected a string, found a number"},
      {head + "metadata: " + std::string(2000, '[') + std::string(2000, ']'),
       ": yaml: line 3: exceeded max depth: lists and maps are nested too deeply"},
      {blocks, ": exceeded max depth: lists and maps are nested too deeply"},
  };
  for (const auto& [text, expected] : texts) {
    const std::string file = folder_.write("file.yaml", text);
    for (const char* command : {"apply", "delete"}) {
      const Outcome outcome = call({command, "-f", file});
      EXPECT_EQ(outcome.status, 1) << text.substr(0, 99);
      EXPECT_THAT(outcome.out, IsEmpty());
      EXPECT_THAT(outcome.err, StartsWith("kubecpp: " + file)) << text.substr(0, 99);
      EXPECT_THAT(outcome.err, HasSubstr(expected + "\n"));
      EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    }
  }
}

TEST_F(BadFiles, APatchOfAnotherTypeIsAWrongCall) {
  EXPECT_THAT(call({"patch", "cm/c", "-p", "[]"}).err,
              HasSubstr("expected an object, found an array\n"));
  EXPECT_THAT(call({"patch", "cm/c", "--type", "json", "-p", "{}"}).err,
              HasSubstr("expected an array of operations, found an object\n"));
}

TEST_F(BadFiles, KeysThatComeTwiceAreListedWithTheirLines) {
  const std::string file = folder_.write(
      "twice.yaml", std::string(kGoodMap) + "data: {a: '1', a: '2'}\ndata: {b: '1'}\n");
  const Outcome outcome = run({KUBECPP, "convert", "--strict", file});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "kubecpp: " + file +
                             ": strict decoding error: yaml: line 4: key \"a\" already set in map, "
                             "yaml: line 5: key \"data\" already set in map\n");
}

TEST_F(BadFiles, AListWithoutItemsSaysSo) {
  const auto error_of = [&](const std::string& rest) {
    const std::string file =
        folder_.write("list.yaml", "apiVersion: v1\nkind: List\n" + rest + "\n");
    const Outcome outcome = call({"apply", "-f", file});
    EXPECT_EQ(outcome.status, 1);
    return outcome.err.substr(outcome.err.find("list.yaml"));
  };
  EXPECT_EQ(error_of("items: {}"), "list.yaml: items: expected an array, found an object\n");
  EXPECT_EQ(error_of("items: ~"), "list.yaml: items: expected an array, found null\n");
  EXPECT_EQ(error_of(""), "list.yaml: items: expected an array, found none\n");
}

TEST_F(BadFiles, WithoutAnEndAreReadUpToABound) {
  const std::string error = ": expected at most 256 MiB, found more\n";
  EXPECT_EQ(kube::kMaxFileBytes, std::size_t{256} << 20U);
  const Outcome input = run({"/bin/sh", "-c", KUBECPP " apply -f - < /dev/zero"});
  EXPECT_EQ(input.status, 1);
  EXPECT_EQ(input.err, "kubecpp: standard input" + error);
}

TEST_F(BadFiles, WhatObjectsSayIsNoWrongCall) {
  const std::string file = folder_.write(
      "n.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: default}\n");
  for (const std::string command : {"apply", "delete"}) {
    const Outcome other = call({command, "-n", "other", "-f", file});
    EXPECT_EQ(other.status, 1);
    EXPECT_THAT(other.err,
                HasSubstr("the namespace from the provided object \"default\" does not match the "
                          "namespace \"other\". You must pass '--namespace=default'"));
  }
  const Outcome name =
      call({"apply", "-f",
            folder_.write("s.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a/b}\n")});
  EXPECT_EQ(name.status, 1);
  EXPECT_THAT(name.err, HasSubstr("a/b"));
}

TEST_F(BadFiles, AContextThatIsNotThereIsNoWrongCall) {
  const std::string kubeconfig = folder_.write("kubeconfig", server_->kubeconfig());
  const Outcome outcome =
      run({KUBECPP, "get", "pods", "--kubeconfig", kubeconfig, "--context", "x"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, StartsWith("kubecpp: context \"x\" does not exist"));
}

}  // namespace
}  // namespace kubecpp
