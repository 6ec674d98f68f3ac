// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp auth`, `version` and `cluster-info` on the embedded server, and beside kubectl where
// there is one.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>

#include "kubectl_program.hpp"
#include "program.hpp"

namespace kubecpp {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

// Everybody may get and list pods, and ask about themselves and the resources.
kube::apiserver::ApiServer::Options guarded() {
  kube::apiserver::ApiServer::Options options;
  options.authorizer = [](const kube::apiserver::AccessRequest& access) {
    if (access.resource.starts_with("selfsubject")) return true;
    if (access.resource.empty()) return access.path != "/logs/";
    return access.resource == "pods" && (access.verb == "get" || access.verb == "list") &&
           access.subresource.empty();
  };
  return options;
}

class AuthCommand : public ::testing::Test {
 protected:
  Outcome call(Words words, const std::string& program = KUBECPP) const {
    words.insert(words.begin(), program);
    words.insert(words.end(), {"--server", url_, "--cache-dir", folder_.path("cache")});
    return run(std::move(words), {.environment = {"KUBECONFIG=" + file_}});
  }

  const TemporaryFolder folder_;
  const std::string file_ = folder_.write("config", "kind: Config\n");
  const std::unique_ptr<kube::apiserver::ApiServer> server_ =
      kube::apiserver::ApiServer::start(guarded()).value();
  const std::unique_ptr<kube::apiserver::ApiServer> open_ =
      kube::apiserver::ApiServer::start().value();
  std::string url_ = server_->url();
};

TEST_F(AuthCommand, WhoAmIPrintsTheUserThatTheServerSees) {
  const Outcome table = call({"auth", "whoami"});
  EXPECT_THAT(table.out, StartsWith("ATTRIBUTE   VALUE\nUsername    kubecpp:admin\nGroups      "
                                    "[system:masters system:authenticated]\n"))
      << table.err;
  const Outcome name = call({"auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"});
  EXPECT_THAT(table.out, HasSubstr("Username    " + name.out + "\n"));
  const Outcome wrong = call({"auth", "whoami", "-o", "wide"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("unable to match a printer suitable for the output format"));
}

TEST_F(AuthCommand, CanIAnswersWithItsExitStatus) {
  Outcome outcome = call({"auth", "can-i", "list", "pods"});
  EXPECT_EQ(outcome.out, "yes\n");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  outcome = call({"auth", "can-i", "delete", "po/front"});
  EXPECT_EQ(outcome.out, "no\n");
  EXPECT_EQ(outcome.status, 1);
  outcome = call({"auth", "can-i", "delete", "pods", "-q"});
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(call({"auth", "can-i", "get", "pods", "--subresource=log"}).out, "no\n");
  EXPECT_EQ(call({"auth", "can-i", "fly", "nodes"}).err,
            "Warning: resource 'nodes' is not namespace scoped\n\n"
            "Warning: verb 'fly' is not a known verb\n\n");
}

// The same words on both streams and the same exit status; errors begin with another name.
TEST_F(AuthCommand, SaysWhatKubectlDoes) {
  const std::string other = kubectl_program();
  if (other.empty()) GTEST_SKIP() << "no kubectl: ./dev cluster build kubectl";
  const auto without_name = [](std::string text, const std::string& name) {
    if (text.starts_with(name)) text.erase(0, name.size());
    for (std::size_t at = 0; (at = text.find("kubecpp", at)) != std::string::npos;)
      text.replace(at, 7, "kubectl");
    for (std::size_t at = 0; (at = text.find("\nkubectl: ")) != std::string::npos;)
      text.replace(at, 10, "\n");
    return text;
  };
  for (const Words& line : std::vector<Words>{
           {"auth", "whoami"},
           {"auth", "whoami", "-o", "jsonpath={.kind}{.status}"},
           {"auth", "whoami", "-o", "jsonpath-as-json={.status.userInfo.groups}"},
           {"auth", "whoami", "-o", "name"},
           {"auth", "can-i", "list", "pods"},
           {"auth", "can-i", "list", "pods", "-n", "web"},
           {"auth", "can-i", "create", "pods", "-A"},
           {"auth", "can-i", "delete", "pods/front"},
           {"auth", "can-i", "get", "pods", "--subresource", "log"},
           {"auth", "can-i", "list", "deploy"},
           {"auth", "can-i", "list", "deployments.apps"},
           {"auth", "can-i", "list", "deployments.v1.apps"},
           {"auth", "can-i", "list", "nodes"},
           {"auth", "can-i", "list", "clusterroles"},
           {"auth", "can-i", "fly", "pods"},
           {"auth", "can-i", "list", "nosuch"},
           {"auth", "can-i", "list", "nosuch.example.com"},
           {"auth", "can-i", "impersonate", "users"},
           {"auth", "can-i", "*", "*"},
           {"auth", "can-i", "get", "/logs/"},
           {"auth", "can-i", "fly", "/logs/"},
           {"auth", "can-i", "get", "/logs/", "--subresource=x"},
           {"auth", "can-i", "list", "pods", "-q"},
           {"auth", "can-i", "list", "pods", "--no-headers"},
           {"auth", "can-i", "list"},
           {"auth", "can-i"},
           {"auth", "can-i", "--list"},
           {"auth", "can-i", "--list", "--no-headers"},
           {"auth", "can-i", "--list", "-q"},
           {"auth", "can-i", "--list", "get", "pods"},
           {"cluster-info"},
       }) {
    for (const auto& url : {server_->url(), open_->url()}) {
      url_ = url;
      const Outcome ours = call(line);
      const Outcome theirs = call(line, other);
      const std::string shown = ::testing::PrintToString(line);
      EXPECT_EQ(ours.out, theirs.out) << shown;
      EXPECT_EQ(without_name(ours.err, "kubecpp: "), without_name(theirs.err, "error: ")) << shown;
      EXPECT_EQ(ours.status, theirs.status) << shown;
    }
  }
}

TEST_F(AuthCommand, VersionPrintsTheServersAsKubectlDoes) {
  EXPECT_THAT(call({"version", "--client"}).out, StartsWith("Client Version: v"));
  const std::string other = kubectl_program();
  if (other.empty()) GTEST_SKIP() << "no kubectl: ./dev cluster build kubectl";
  for (const char* output : {"", "json", "yaml"}) {
    Words words = {"version"};
    if (*output != '\0') words.insert(words.end(), {"-o", output});
    const Outcome ours = call(words);
    const Outcome theirs = call(words, other);
    EXPECT_EQ(ours.status, theirs.status) << ours.err;
    const auto of_server = [](const std::string& text) {
      for (const char* word : {"Server Version", "serverVersion", "\"serverVersion\""}) {
        if (const auto at = text.find(word); at != std::string::npos) return text.substr(at);
      }
      return "no version of the server: " + text;
    };
    EXPECT_EQ(of_server(ours.out), of_server(theirs.out));
  }
}

TEST_F(AuthCommand, VersionNamesTheClientWhenTheServerIsAway) {
  const Outcome outcome = run({KUBECPP, "version", "--server", "http://127.0.0.1:1"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, StartsWith("Client Version: v"));
  EXPECT_THAT(outcome.err, HasSubstr("127.0.0.1"));
}

}  // namespace
}  // namespace kubecpp
