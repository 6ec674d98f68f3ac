// SPDX-License-Identifier: Apache-2.0
#include "kubelet_scenario.hpp"

#include <cstdlib>
#include <fstream>
#include <regex>

#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>

namespace scenarios {
namespace {

using kube::core::v1::Node;
using kube::core::v1::Pod;

programs::Outcome run_with_input(std::vector<std::string> line, const std::string& input) {
  std::vector<std::string> shell = {"sh", "-c", "exec \"$@\" <\"$0\"",
                                    input.empty() ? "/dev/null" : input};
  shell.insert(shell.end(), line.begin(), line.end());
  return programs::run(std::move(shell));
}

// Both begin the lines of their own errors with a word. kubectl sometimes logs that nobody takes
// its input any more.
std::string without_prefix(const std::string& text) {
  static const std::regex logged("E[0-9]{4} [^\n]*Copying stdin failed[^\n]*\n");
  static const std::regex prefix("(^|\n)(kubecpp|error): ");
  static const std::regex name("kubecpp ");
  const std::string words = std::regex_replace(std::regex_replace(text, logged, ""), prefix, "$1");
  return std::regex_replace(words, name, "kubectl ");
}

}  // namespace

void KubeletScenario::SetUp() {
  const char* kubelet = std::getenv("KUBE_SCENARIO_KUBELET");
  if (!on_real_server() || kubelet == nullptr) {
    GTEST_SKIP() << "needs a real API server and KUBE_SCENARIO_KUBELET (./dev cluster env)";
  }
  kubelet_ = std::make_unique<programs::Program>(
      Arguments{kubelet, folder_.path("")},
      programs::Program::Options{.environment = {"HOME=/"}, .stdin_pipe = true});
  ASSERT_TRUE(kubelet_->prints("\n"));
  node_ = namespace_ + "-node";
  Node node;
  node.metadata.name = node_;
  const auto nodes = client_.api<Node>();
  node = must(nodes.create(node));
  auto& address = node.status.addresses.emplace_back();
  address.type = "InternalIP";
  address.address = "127.0.0.1";
  node.status.daemon_endpoints.kubelet_endpoint.port = std::stoi(kubelet_->out());
  must(nodes.update_status(node));
}

void KubeletScenario::TearDown() {
  if (!node_.empty()) must(client_.api<Node>().delete_(node_));
}

void KubeletScenario::run_pod(const std::string& name, const std::string& containers,
                              const std::string& metadata) const {
  create("apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         (metadata.empty() ? "" : ", " + metadata) + "}\nspec: {nodeName: " + node_ + ", " +
         containers + "}\n");
  set_phase(name, "Running");
}

void KubeletScenario::set_phase(const std::string& name, const std::string& phase) const {
  const auto pods = client_.api<Pod>(namespace_);
  auto pod = pods.get(name).value();
  pod.status.phase = phase;
  pods.update_status(pod).value();
}

std::string KubeletScenario::container_file(const std::string& pod, const std::string& container,
                                            const std::string& suffix) const {
  return folder_.path(namespace_ + "_" + pod + "_" + container + suffix);
}

void KubeletScenario::write_log(const std::string& pod, const std::string& container,
                                const std::vector<std::string>& lines,
                                const std::string& suffix) const {
  std::ofstream file(container_file(pod, container, suffix), std::ios::app);
  int second = 0;
  for (const std::string& line : lines) {
    file << "2026-01-02T10:00:" << (second < 10 ? "0" : "") << second << ".000000005Z stdout F "
         << line << "\n";
    ++second;
  }
}

KubeletScenario::Arguments KubeletScenario::kubecpp_words(const Arguments& arguments) const {
  Arguments line = {KUBECPP, "--kubeconfig", kubeconfig_, "--namespace", namespace_};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return line;
}

KubeletScenario::Arguments KubeletScenario::kubectl_words(const Arguments& arguments) const {
  // Without a home, kubectl would put its cache into the working directory.
  Arguments line = {"kubectl",     "--kubeconfig", kubeconfig_,
                    "--namespace", namespace_,     "--cache-dir=" + folder_.path("kubectl-cache")};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return line;
}

programs::Outcome KubeletScenario::expect_same(const Arguments& arguments,
                                               const std::string& input) const {
  std::string trace;
  for (const std::string& each : arguments) trace += each + " ";
  SCOPED_TRACE(trace);
  const auto ours = run_with_input(kubecpp_words(arguments), input);
  const auto theirs = run_with_input(kubectl_words(arguments), input);
  EXPECT_EQ(ours.status, theirs.status);
  EXPECT_EQ(ours.out, theirs.out);
  EXPECT_EQ(without_prefix(ours.err), without_prefix(theirs.err));
  return ours;
}

}  // namespace scenarios
