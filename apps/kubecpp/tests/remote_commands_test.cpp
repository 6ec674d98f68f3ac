// SPDX-License-Identifier: Apache-2.0
//
// What logs, exec and port-forward do without a server; beside kubectl they are shown by the
// scenarios.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arguments.hpp"
#include "forwarded_ports.hpp"
#include "log_sources.hpp"
#include "pod_containers.hpp"

namespace kubecpp {
namespace {

using kube::core::v1::Pod;
using kube::core::v1::Service;
using ::testing::ElementsAre;
using Words = std::vector<std::string>;

class WordsAfterDashes : public ::testing::Test {
 protected:
  WordsAfterDashes() {
    CLI::App* exec = app_.add_subcommand("exec");
    exec->add_option("pod", pods_);
    exec->add_option("-c", container_);
    exec->add_flag("-i", stdin_);
    take_words_after_dashes(*exec, command_);
  }
  std::string scan(const Words& words) {
    auto scanned = scan_arguments(app_, words);
    if (scanned.error.empty()) app_.parse(std::move(scanned.arguments));
    return scanned.error;
  }

  CLI::App app_;
  Words pods_;
  std::string container_;
  bool stdin_ = false;
  Words command_;
};

TEST_F(WordsAfterDashes, AreTheCommandAsTheyAre) {
  EXPECT_EQ(scan({"exec", "-i", "web", "--", "ls", "-i", "--color=no", "", "--", "[a,b]", "\"q\""}),
            "");
  EXPECT_THAT(pods_, ElementsAre("web"));
  EXPECT_THAT(command_, ElementsAre("ls", "-i", "--color=no", "", "--", "[a,b]", "\"q\""));
}

TEST_F(WordsAfterDashes, DashesThatAreAValueBeginNone) {
  EXPECT_EQ(scan({"exec", "-c", "--", "web", "--", "ls"}), "");
  EXPECT_EQ(container_, "--");
  EXPECT_THAT(pods_, ElementsAre("web"));
  EXPECT_THAT(command_, ElementsAre("ls"));
}

TEST_F(WordsAfterDashes, CannotBeTypedAsAFlag) {
  EXPECT_EQ(scan({"exec", "web", "--word-after-dashes=.ls"}), "unknown flag: --word-after-dashes");
}

TEST(LineWriter, PassesWholeLinesOnBehindThePrefix) {
  Words written;
  LineWriter lines("[p] ", [&](std::string_view text) {
    written.emplace_back(text);
    return written.size() < 4;
  });
  EXPECT_TRUE(lines.add("on"));
  EXPECT_TRUE(lines.add("e\ntwo\nth"));
  EXPECT_THAT(written, ElementsAre("[p] one\n", "[p] two\n"));
  EXPECT_TRUE(lines.finish());
  EXPECT_TRUE(lines.finish());
  EXPECT_THAT(written, ElementsAre("[p] one\n", "[p] two\n", "[p] th"));
  EXPECT_FALSE(lines.add("a\nb\n")) << "the reader has left";
  EXPECT_EQ(written.size(), 4U);
}

TEST(LineWriter, DoesNotHoldALineWithoutEnd) {
  std::size_t bytes = 0;
  LineWriter lines("", [&](std::string_view text) {
    bytes += text.size();
    return true;
  });
  const std::string part(1 << 16, 'x');
  for (int i = 0; i < 64; ++i) lines.add(part);
  EXPECT_GT(bytes, std::size_t{2} << 20);
}

Pod pod_with_ports() {
  Pod pod;
  pod.metadata.name = "web";
  auto& container = pod.spec.containers.emplace_back();
  container.name = "one";
  const auto add = [&](const char* name, std::int32_t number, const char* protocol) {
    auto& port = container.ports.emplace_back();
    port.name = name;
    port.container_port = number;
    port.protocol = protocol;
  };
  add("http", 8080, "TCP");
  add("dns", 53, "UDP");
  add("both", 54, "UDP");
  add("both-tcp", 54, "TCP");
  return pod;
}

TEST(ForwardedPorts, OfAPodHaveNumbersForNames) {
  const Pod pod = pod_with_ports();
  EXPECT_THAT(ports_of_pod({"http", "80:http", ":http", "0:81", "54"}, pod).value(),
              ElementsAre("8080", "80:8080", ":8080", "0:81", "54"));
  EXPECT_EQ(ports_of_pod({"8:dns"}, pod).error().message(),
            "UDP protocol is not supported for dns");
  EXPECT_EQ(ports_of_pod({"x"}, pod).error().message(), "Pod 'web' does not have a named port 'x'");
}

TEST(ForwardedPorts, OfAServiceAreItsTargetPorts) {
  const Pod pod = pod_with_ports();
  Service service;
  service.metadata.name = "front";
  const auto add = [&](const char* name, std::int32_t number, kube::meta::IntOrString target) {
    auto& port = service.spec.ports.emplace_back();
    port.name = name;
    port.port = number;
    port.target_port = std::move(target);
  };
  add("main", 80, "http");
  add("same", 81, 0);
  add("other", 82, 9000);
  EXPECT_THAT(ports_of_service({"main", ":80", "7:other", "81"}, service, pod).value(),
              ElementsAre("80:8080", ":8080", "7:9000", "81"));
  EXPECT_EQ(ports_of_service({"83"}, service, pod).error().message(),
            "Service front does not have a service port 83");
  EXPECT_EQ(ports_of_service({"x"}, service, pod).error().message(),
            "Service 'front' does not have a named port 'x'");
  service.spec.cluster_ip = "None";
  EXPECT_THAT(ports_of_service({":80"}, service, pod).value(), ElementsAre(":80"));
}

TEST(PodContainers, ADefaultThatIsMissingIsNoErrorForLogs) {
  Pod pod = pod_with_ports();
  pod.metadata.annotations["kubectl.kubernetes.io/default-container"] = "gone";
  EXPECT_EQ(choose_container(pod, "").error().message(),
            "container gone is not valid for pod web out of: one");
  EXPECT_EQ(choose_container_for_logs(pod, "", false).value().name, "one");
}

}  // namespace
}  // namespace kubecpp
