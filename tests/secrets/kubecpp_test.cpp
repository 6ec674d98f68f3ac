// SPDX-License-Identifier: Apache-2.0
//
// Secrets that kubecpp is given, and both streams that it writes.
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "canary.hpp"
#include "child_program.hpp"
#include "proxy_shapes.hpp"
#include "tcp_server.hpp"
#include "temporary_folder.hpp"

namespace secrets {
namespace {

using Arguments = std::vector<std::string>;

std::string join(const Arguments& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

void expect_not_shown(Arguments arguments, const std::string& input,
                      std::vector<std::string> environment = {}) {
  arguments.insert(arguments.begin(), KUBECPP);
  const auto outcome = programs::run(arguments, {.environment = std::move(environment)});
  EXPECT_GT(outcome.status, 0) << join(arguments) << outcome.err;
  Outputs outputs;
  outputs.add("standard output", outcome.out);
  outputs.add("standard error", outcome.err);
  outputs.expect_no_canary(input + " of " + join(arguments));
}

// A connection that reads, one that watches and one that writes; each fails for its own reason.
std::vector<Arguments> commands(const programs::TemporaryFolder& folder) {
  const std::string manifest = folder.write(
      "secret.yaml", "kind: Secret\napiVersion: v1\nmetadata: {name: a}\ndata: {password: " +
                         std::string(kCanary) + "}\n");
  return {{"get", "secrets", "--verbose"},
          {"watch", "secrets", "--verbose"},
          {"apply", "-f", manifest, "--verbose"}};
}

TEST(KubecppSecrets, OfProxiesAreNotShown) {
  const programs::TemporaryFolder folder;
  const std::vector<Arguments> all = commands(folder);
  std::size_t next = 0;
  for (const std::string& shape : proxy_shapes()) {
    Arguments command = all[next++ % all.size()];
    command.insert(command.end(), {"--server", "https://cluster.invalid"});
    expect_not_shown(command, "HTTPS_PROXY=" + shape, {"HTTPS_PROXY=" + with_canary(shape)});
  }
}

TEST(KubecppSecrets, OfServersAreNotShown) {
  for (const std::string& shape : proxy_shapes()) {
    if (shape.find("127.0.0.1:1/?") != std::string::npos) continue;
    expect_not_shown({"get", "secrets", "--verbose", "--server", with_canary(shape)}, shape);
  }
}

TEST(KubecppSecrets, OfKubeconfigsAreNotShown) {
  const programs::TemporaryFolder folder;
  for (const char* user :
       {"{token: CANARY}", "{token: [CANARY]}", "{token: *CANARY}", "{token: !!int CANARY}",
        "{token: \"CANARY}", "{username: a, password: CANARY}", "{client-key-data: CANARY}",
        "{exec: {command: a, args: [CANARY]}}", "{auth-provider: {name: a, config: {b: CANARY}}}",
        "CANARY", "{token: CANARY, as: somebody}"}) {
    const std::string file = folder.write(
        "config", with_canary(std::string("current-context: c\ncontexts: [{name: c, context: "
                                          "{cluster: c, user: u}}]\nclusters: [{name: c, cluster: "
                                          "{server: \"https://127.0.0.1:1\"}}]\nusers: [{name: u, "
                                          "user: ") +
                              user + "}]\n"));
    for (Arguments command : commands(folder)) {
      expect_not_shown(command, user, {"KUBECONFIG=" + file});
      command.insert(command.end(), {"--kubeconfig", file});
      expect_not_shown(command, user);
    }
  }
}

TEST(KubecppSecrets, OfManifestsAreNotShownWhenTheyAreWrong) {
  programs::Program server({KUBECPP, "apiserver", "--listen", "127.0.0.1:0"});
  const std::string said = "listening on ";
  ASSERT_TRUE(server.prints("\n"));
  std::string url = server.out().substr(server.out().find(said) + said.size());
  url.resize(url.find('\n'));
  const programs::TemporaryFolder folder;
  const std::string head =
      "kind: Secret\napiVersion: v1\nmetadata: {name: a, namespace: default}\n";
  for (const char* rest :
       {"data: {password: CANARY!}", "data: {password: [CANARY]}", "data: [CANARY]", "data: CANARY",
        "stringData: {password: [CANARY]}", "stringData: CANARY", "data: {password: *CANARY}",
        "data: {password: !!int CANARY}", "data: {password: \"CANARY}", "data: {password: CANARY",
        "type: kubernetes.io/tls\nstringData: {a: CANARY}",
        "type: kubernetes.io/dockerconfigjson\nstringData: {.dockerconfigjson: CANARY}",
        "type: kubernetes.io/basic-auth\nstringData: {a: CANARY}",
        "type: kubernetes.io/ssh-auth\nstringData: {a: CANARY}", "immutable: CANARY",
        "--- CANARY"}) {
    const std::string file = folder.write("secret.yaml", with_canary(head + rest + "\n"));
    // Whether the server takes it is its business; what it says is ours.
    for (const Arguments& command : std::vector<Arguments>{
             {"apply", "-f", file, "--verbose", "--server", url},
             {"patch", "secret", "a", "--verbose", "--server", url, "--type", "merge", "-p",
              with_canary("{\"data\":{\"password\":\"CANARY!\"}")},
             {"convert", file, "--strict", "--to", "protobuf", "--out", folder.path("out")}}) {
      Arguments line = {KUBECPP};
      line.insert(line.end(), command.begin(), command.end());
      const auto outcome = programs::run(line);
      Outputs outputs;
      outputs.add("standard output", outcome.out);
      outputs.add("standard error", outcome.err);
      outputs.expect_no_canary(std::string(rest) + " of " + join(command));
    }
  }
  server.send(SIGTERM);
  server.wait();
  Outputs outputs;
  outputs.add("the server's standard output", server.out());
  outputs.add("the server's standard error", server.err());
  outputs.expect_no_canary("manifests");
}

TEST(KubecppSecrets, OfAnswersAreNotShown) {
  for (const char* answer :
       {"302 Found\r\nLocation: https://user:CANARY@elsewhere/", "200 OK\r\nSet-Cookie: CANARY",
        "200 OK\r\nContent-Type: application/json", "500 Error\r\nX-Token: CANARY"}) {
    const std::string body = with_canary(R"({"kind":"Secret","data":{"a":"CANARY"}})");
    const programs::TcpServer server({"HTTP/1.1 " + with_canary(answer) + "\r\nContent-Length: " +
                                      std::to_string(body.size()) + "\r\n\r\n" + body});
    expect_not_shown({"get", "secrets", "--verbose", "--server", server.url()}, answer);
  }
}

}  // namespace
}  // namespace secrets
