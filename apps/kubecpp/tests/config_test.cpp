// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp config`, alone and beside kubectl.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>
#include <kube/config/kubeconfig_types.hpp>
#include <kube/testing/eventually.hpp>

#include "kubectl_program.hpp"
#include "program.hpp"

namespace kubecpp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Runs a script of the shell that may use $KUBECPP.
Outcome shell(const std::string& script, const std::string& list) {
  return run({"sh", "-c", script},
             {.environment = {"KUBECONFIG=" + list, std::string("KUBECPP=") + KUBECPP}});
}

class ConfigCommand : public ::testing::Test {
 protected:
  // Runs "<program> config <line>" with these files as KUBECONFIG.
  Outcome config(const std::string& line, const std::string& program = KUBECPP) {
    return call("config " + line, program);
  }
  Outcome call(const std::string& line, const std::string& program = KUBECPP) {
    std::vector<std::string> arguments = words_of(line);
    arguments.insert(arguments.begin(), program);
    return run(std::move(arguments), {.environment = {"KUBECONFIG=" + list}});
  }
  TemporaryFolder folder;
  std::string list = folder.path("config");
};

constexpr const char* kCommands[] = {
    "view",
    "current-context",
    "get-contexts",
    "get-clusters",
    "set-cluster k --server=https://h --tls-server-name=name --proxy-url=http://p",
    "set-cluster k --insecure-skip-tls-verify=true",
    "set-cluster k --proxy-url=http://q",
    "set-cluster k --server=https://other",
    "set-credentials u --token=abc",
    "set-credentials u --username=me --password=pw",
    "set-credentials v --exec-command=login --exec-api-version=client.authentication.k8s.io/v1",
    "set-credentials v --exec-arg=a --exec-arg=b --exec-env=A=1",  // several: in any order
    "set-credentials v --exec-env=B=2",
    "set-credentials v --exec-env=A- --exec-provide-cluster-info=true",
    "set-credentials v --exec-interactive-mode=Never",
    "set-credentials w --auth-provider=oidc --auth-provider-arg=client-id=x",
    "set-credentials w --auth-provider-arg=client-id- --auth-provider-arg=other=1",
    "set-context c --cluster=k --user=u --namespace=web",
    "set-context c --namespace=other",
    "set-context n --user=v",
    "use-context c",
    "use-context nowhere",
    "current-context",
    "set-context --current --cluster=k",
    "get-contexts",
    "get-contexts --no-headers",
    "get-contexts -o name",
    "get-contexts c",
    "get-contexts nowhere",
    "get-clusters",
    "get-users",
    "view",
    "view -o json",
    "view -o name",
    "view -o jsonpath={.clusters[*].name}",
    "view -o jsonpath={.clusters}",
    "view -o jsonpath-as-json={.users[*].name}",
    "view -o jsonpath",
    "view -o wide",
    "view --merge=false",
    "view --merge=false --kubeconfig=/none/config",
    "view -o jsonpath={.nope}",
    "view -o jsonpath={.nope} --allow-missing-template-keys=false",
    "set clusters.k.certificate-authority pki/ca",
    "view",
    "unset clusters.k.certificate-authority",
    "view --raw",
    "view --minify",
    "view --minify --context=n",
    "set clusters.k.server https://h:6443",
    "set clusters.a.b.disable-compression true",
    "set users.u.client-key-data a2V5",
    "set users.u.client-certificate-data CERT --set-raw-bytes=true",
    "set users.u.client-key-data *",
    "set clusters.k.insecure-skip-tls-verify maybe",
    "set contexts.c.namespace 433e40",
    "set preferences.colors true",
    "set foo.bar x",
    "set clusters.k.foo x",
    "view --flatten",
    "unset clusters.k.proxy-url",
    "unset users.nobody.token",
    "unset users.nobody",
    "unset preferences.colors",
    "rename-context c d",
    "rename-context c d",
    "rename-context n d",
    "delete-context n",
    "delete-context n",
    "delete-user w",
    "delete-user w",
    "delete-cluster a.b",
    "delete-cluster a.b",
    "unset current-context",
    "current-context",
    "view --minify",
    "view --raw -o json",
};

// The lines that differ in order only are those of maps, which both write in the same order; paths
// of files differ in the name of the folder.
TEST_F(ConfigCommand, ASignalEndsTheWaitForAPipe) {
  ASSERT_EQ(::mkfifo(list.c_str(), 0600), 0);
  Program version({KUBECPP, "version"}, {.environment = {"KUBECONFIG=" + list}});
  // This succeeds as soon as the program reads.
  int writer = -1;
  EXPECT_TRUE(kube::testing::eventually([&] {
    writer = ::open(list.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    return writer >= 0;
  }));
  version.send(SIGTERM);
  EXPECT_EQ(version.wait(), 130) << version.err();
  ::close(writer);
}

// As a file that is mounted into a container.
TEST_F(ConfigCommand, AFileThatIsAMountIsChanged) {
  folder.write("config", "contexts: [{name: p}]\n");
  const Outcome mounted = shell(
      "unshare -rm sh -c 'mount --bind \"$KUBECONFIG\" \"$KUBECONFIG\" || exit 99\n"
      "$KUBECPP config set-context q --cluster=k'",
      list);
  if (mounted.status == 99 || mounted.err.find("unshare") != std::string::npos)
    GTEST_SKIP() << "nothing can be mounted here: " << mounted.err;
  EXPECT_EQ(mounted.status, 0) << mounted.err;
  EXPECT_EQ(config("get-contexts -o name").out, "p\nq\n");
}

// Each process tries until it has the lock.
TEST_F(ConfigCommand, NoChangeOfProcessesAtTheSameTimeIsLost) {
  const Outcome all = shell(
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do\n"
      "  { until $KUBECPP config set-context p$i --cluster=k 2>/dev/null; do :; done; } &\n"
      "done; wait",
      list);
  EXPECT_EQ(all.status, 0);
  std::string wanted;
  for (const char* name :
       {"p1", "p10", "p11", "p12", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"})
    wanted += std::string(name) + "\n";
  EXPECT_EQ(config("get-contexts -o name").out, wanted);
  std::istringstream said(all.out);
  for (std::string line; std::getline(said, line);)
    EXPECT_THAT(line, HasSubstr("created")) << "each was made once";
}

TEST_F(ConfigCommand, PrintsAndWritesWhatKubectlDoes) {
  const std::string other = kubectl_program();
  if (other.empty()) GTEST_SKIP() << "no kubectl: ./dev cluster build kubectl";
  const TemporaryFolder others;
  for (const char* line : kCommands) {
    list = folder.path("config");
    const Outcome ours = config(line);
    list = others.path("config");
    const Outcome theirs = config(line, other);
    std::string expected = theirs.out;
    for (std::size_t at = 0; (at = expected.find(list, at)) != std::string::npos;)
      expected.replace(at, list.size(), folder.path("config"));
    EXPECT_EQ(ours.out, expected) << line;
    EXPECT_EQ(ours.status, theirs.status) << line << "\n" << ours.err << theirs.err;
    EXPECT_EQ(ours.err.empty(), theirs.err.empty()) << line << "\n" << ours.err << theirs.err;
    const auto wrote = kube::kubeconfig::read_kubeconfig(folder.read("config"));
    const auto wanted = kube::kubeconfig::read_kubeconfig(others.read("config"));
    ASSERT_TRUE(wrote && wanted) << line;
    EXPECT_EQ(to_yaml(*wrote), to_yaml(*wanted)) << line;
  }
  EXPECT_EQ(folder.read("config"), others.read("config")) << "byte for byte";
}

TEST_F(ConfigCommand, ChangesAFileAndKeepsItsComments) {
  folder.write("config",
               "# mine\ncontexts:\n- name: a # first\n  context: {cluster: k}\n"
               "- name: b\ncurrent-context: a\n");
  Outcome outcome = config("use-context b");
  EXPECT_EQ(outcome.out, "Switched to context \"b\".\n");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(config("rename-context b c").out, "Context \"b\" renamed to \"c\".\n");
  EXPECT_THAT(folder.read("config"), HasSubstr("# mine\n"));
  EXPECT_THAT(folder.read("config"), HasSubstr("- name: a # first\n"));
  EXPECT_EQ(config("current-context").out, "c\n");
  outcome = config("delete-context c");
  EXPECT_EQ(outcome.out, "deleted context c from " + list + "\n");
  EXPECT_THAT(outcome.err, HasSubstr("warning: this removed your active context"));
}

TEST_F(ConfigCommand, PathsAreShownAsTheyAreWrittenAndNothingIsSetToNothing) {
  folder.write("config",
               "contexts:\n# mine\n- context: {cluster: k, future: 1}\n  name: b # one\n"
               "clusters: [{name: k, cluster: {certificate-authority: pki/ca}}]\n"
               "current-context: b\n");
  EXPECT_THAT(config("view").out, HasSubstr("certificate-authority: pki/ca\n"));
  EXPECT_EQ(config("view --merge=false").err,
            "kubecpp: if merge==false a precise file must be specified\n");
  EXPECT_THAT(config("view --merge=false --kubeconfig=" + list).out, HasSubstr("pki/ca"));
  const Outcome outcome = run({KUBECPP, "config", "set", "current-context", ""},
                              {.environment = {"KUBECONFIG=" + list}});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "kubecpp: you cannot use set to unset a property\n");
  EXPECT_EQ(config("rename-context b a").status, 0);
  EXPECT_THAT(folder.read("config"),
              HasSubstr("# mine\n- context: {cluster: k, future: 1}\n  name: a # one\n"));
}

TEST_F(ConfigCommand, FilesAreChangedWhereTheirEntriesAre) {
  folder.write("a", "current-context: c\n");
  folder.write("b", "contexts: [{name: c}]\n");
  list = folder.path("a") + ":" + folder.path("b");
  EXPECT_EQ(config("set-context --current --namespace=web").status, 0);
  EXPECT_EQ(folder.read("a"), "current-context: c\n");
  EXPECT_THAT(folder.read("b"), HasSubstr("namespace: web"));
  EXPECT_EQ(config("--kubeconfig " + folder.path("b") + " get-contexts -o name").out, "c\n");
  EXPECT_EQ(call("--kubeconfig " + folder.path("b") + " config get-contexts -o name").out, "c\n");
}

TEST_F(ConfigCommand, SecretsAreShownOnRequestOnly) {
  ASSERT_EQ(config("set-credentials u --token=canary").status, 0);
  ASSERT_EQ(config("set users.v.password canary").status, 0);
  EXPECT_THAT(config("view").out, Not(HasSubstr("canary")));
  EXPECT_THAT(config("view --raw").out, HasSubstr("canary"));
  EXPECT_THAT(config("set users.u.client-key-data canary!").err, Not(HasSubstr("canary")));
  EXPECT_EQ(config("set-credentials u --exec-command=x --exec-env=canary").err,
            "kubecpp: --exec-env: expected KEY=VALUE, or KEY- to remove it\n");
}

TEST_F(ConfigCommand, EachMistakeOfAFileIsALine) {
  folder.write("config", "clusters: 1\nusers: 2\n");
  const Outcome outcome = config("view");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "kubecpp: " + list + ": line 1: clusters: expected a list, got number\n" +
                             "kubecpp: " + list + ": line 2: users: expected a list, got number\n");
}

TEST_F(ConfigCommand, WrongCallsPointToTheHelpOfTheSubcommand) {
  for (const auto& [line, expected] : std::vector<std::pair<std::string, std::string>>{
           {"bogus", "unknown command \"bogus\" (see kubecpp config --help)"},
           {"veiw", "unknown command \"veiw\"; similar: view (see kubecpp config --help)"},
           {"use-context", "CONTEXT is required (see kubecpp config use-context --help)"},
           {"use-context a b",
            "CONTEXT: At Most 1 required but received 2 (see kubecpp config use-context --help)"},
           {"view --nosuch", "unknown flag: --nosuch (see kubecpp config view --help)"}}) {
    const Outcome outcome = config(line);
    EXPECT_EQ(outcome.status, 1) << line;
    EXPECT_EQ(outcome.err, "kubecpp: " + expected + "\n");
  }
  EXPECT_THAT(config("").err, HasSubstr("rename-context"));
  EXPECT_THAT(config("set-cluster --help").out, HasSubstr("--tls-server-name"));
}

// The flags of kubectl, before and after the command.
TEST_F(ConfigCommand, EmptyValuesClear) {
  for (const char* line :
       {"set-cluster k --server=https://h --proxy-url=http://p",
        "set-cluster k --proxy-url=", "set-credentials u --username=me --password=pw",
        "set-credentials u --password=", "set-credentials e --exec-command=login",
        "set-credentials e --exec-command=", "set-context c --cluster=k --user=u --namespace=web",
        "set-context c --user=", "use-context c",
        "set-context --current --namespace=", "get-contexts --output="})
    EXPECT_EQ(config(line).err, "") << line;
  EXPECT_EQ(config("view --raw").out, R"(apiVersion: v1
clusters:
- cluster:
    server: https://h
  name: k
contexts:
- context:
    cluster: k
    user: ""
  name: c
current-context: c
kind: Config
users:
- name: e
  user: {}
- name: u
  user:
    username: me
)");
}

// kubectl takes its global flags with each command, and here needs none of them.
TEST_F(ConfigCommand, FlagsThatHaveNoUseAreTaken) {
  for (const char* line :
       {"--user=u --request-timeout=3s config view", "config --server s view",
        "config view -v 6 -s s --cluster=k --insecure-skip-tls-verify --token t --as a -n x",
        "config set-credentials u --cluster=k --server=s --as=a --token=t",
        "config set-cluster k --user=u --context=c --verbose", "config get-clusters --context c",
        "config set-context c --token=t --user u"})
    EXPECT_EQ(call(line).err, "") << line;
  EXPECT_THAT(call("config get-clusters --help").out, Not(HasSubstr("--token")));
}

TEST_F(ConfigCommand, GlobalFlagsReplaceWhatTheFileSays) {
  auto server = kube::apiserver::ApiServer::start({});
  ASSERT_TRUE(server) << server.error().to_string();
  const std::string url = (*server)->url();
  folder.write("config",
               "current-context: c\ncontexts:\n- {name: c, context: {cluster: k, user: u}}\n"
               "- {name: d, context: {cluster: k, namespace: kube-system}}\n"
               "clusters: [{name: k, cluster: {server: 'http://127.0.0.1:1'}}, {name: l, "
               "cluster: {server: '" +
                   url + "'}}]\nusers: [{name: u, user: {}}]\n");
  EXPECT_EQ(call("-s " + url + " get namespaces -o name").status, 0);
  EXPECT_EQ(call("get namespaces -o name --server=" + url).status, 0);
  EXPECT_EQ(call("--cluster l get namespaces -o name").status, 0);
  EXPECT_EQ(call("get --context=d --cluster=l pods --request-timeout 30s --user u").status, 0);
  EXPECT_EQ(call("get pods --context=nowhere").err,
            "kubecpp: context \"nowhere\" does not exist; contexts: c, d\n");
  EXPECT_THAT(call("get pods --cluster=l --request-timeout=soon").err,
              HasSubstr("Invalid timeout value."));
  EXPECT_THAT(call("get pods --as-group=g").err,
              HasSubstr("requesting uid, groups or user-extra for u"));
  EXPECT_THAT(call("get pods --as-user-extra=a=1 --as-user-extra=a=2").err,
              HasSubstr("requesting uid, groups or user-extra for u"));
  EXPECT_EQ(call("get pods --as-user-extra=canary").err,
            "kubecpp: --as-user-extra: expected KEY=VALUE\n");
  EXPECT_THAT(call("get pods --token=t --username=me").err,
              HasSubstr("more than one authentication method found for u"));
  EXPECT_THAT(call("get pods --certificate-authority=/none").err,
              HasSubstr("unable to read certificate-authority /none for k"));
}

}  // namespace
}  // namespace kubecpp
