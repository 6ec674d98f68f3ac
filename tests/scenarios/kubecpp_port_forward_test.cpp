// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp port-forward` beside kubectl, through the real API server to a kubelet.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <regex>
#include <string>
#include <vector>

#include "kubelet_scenario.hpp"
#include "tcp_server.hpp"

namespace scenarios {
namespace {

// What a server on this machine sends to a new connection, up to the end of the first line.
std::string greeting_of(int port) {
  const int file = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string text;
  if (::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    EXPECT_EQ(::send(file, "hello\n", 6, 0), 6);
    std::array<char, 512> buffer;
    while (text.find('\n') == std::string::npos) {
      const ssize_t count = ::recv(file, buffer.data(), buffer.size(), 0);
      if (count <= 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }
  ::close(file);
  return text;
}

class KubecppPortForwardScenario : public KubeletScenario {
 protected:
  static std::string port_of(const programs::TcpServer& server) {
    const std::string url = server.url();
    return url.substr(url.rfind(':') + 1);
  }

  // What both print, with LOCAL for ports that they chose.
  static std::string without_local_ports(const std::string& text) {
    static const std::regex chosen(R"((\]|1):[0-9]+ ->)");
    return std::regex_replace(text, chosen, "$1:LOCAL ->");
  }

  // Each local port that was printed.
  static std::vector<int> local_ports(const std::string& text) {
    static const std::regex line(R"(Forwarding from 127\.0\.0\.1:([0-9]+) ->)");
    std::vector<int> ports;
    for (std::sregex_iterator found(text.begin(), text.end(), line), end; found != end; ++found) {
      ports.push_back(std::stoi((*found)[1]));
    }
    return ports;
  }

  // Starts a program that forwards as many ports, reads a line from each, and ends it by Ctrl-C.
  static std::string forward(const Arguments& line, const std::vector<std::string>& greetings) {
    programs::Program program(line);
    EXPECT_TRUE(eventually([&] { return local_ports(program.out()).size() == greetings.size(); }))
        << program.out() << program.err();
    std::string shown = without_local_ports(program.out());
    const std::vector<int> ports = local_ports(program.out());
    for (std::size_t i = 0; i < ports.size(); ++i) {
      EXPECT_EQ(greeting_of(ports[i]), greetings[i]) << program.err();
      EXPECT_TRUE(program.prints("Handling connection for " + std::to_string(ports[i]) + "\n"));
    }
    program.send(SIGINT);
    EXPECT_EQ(program.wait(), 0) << program.err();
    return shown;
  }

  void expect_forwards(const Arguments& arguments,
                       const std::vector<std::string>& greetings) const {
    EXPECT_EQ(forward(kubecpp_words(arguments), greetings),
              forward(kubectl_words(arguments), greetings));
  }
};

TEST_F(KubecppPortForwardScenario, ForwardsPortsOfPodsAndServices) {
  const programs::TcpServer one({"from one\n"});
  const programs::TcpServer two({"from two\n"});
  run_pod("web",
          "containers: [{name: one, image: img, ports: [{name: http, containerPort: " +
              port_of(one) + "}]}]",
          "labels: {app: web}");
  create(
      "apiVersion: v1\nkind: Service\nmetadata: {name: front}\n"
      "spec: {selector: {app: web}, ports: [{name: main, port: 80, targetPort: http}, "
      "{name: other, port: 81, targetPort: " +
      port_of(two) + "}]}\n");
  expect_forwards({"port-forward", "web", ":" + port_of(one), ":" + port_of(two)},
                  {"from one\n", "from two\n"});
  expect_forwards({"port-forward", "pod/web", "0:http", "--address", "127.0.0.1"}, {"from one\n"});
  expect_forwards({"port-forward", "svc/front", ":main", ":81"}, {"from one\n", "from two\n"});
}

TEST_F(KubecppPortForwardScenario, SaysWhatIsWrong) {
  run_pod("web",
          "containers: [{name: one, image: img, ports: [{name: dns, containerPort: 53, protocol: "
          "UDP}]}]",
          "labels: {app: web}");
  run_pod("over", "containers: [{name: one, image: img}]");
  set_phase("over", "Succeeded");
  create(
      "apiVersion: v1\nkind: Service\nmetadata: {name: front}\n"
      "spec: {selector: {app: web}, ports: [{name: main, port: 80, targetPort: http}]}\n");
  expect_same({"port-forward"});
  expect_same({"port-forward", "web"});
  expect_same({"port-forward", "nothing", "80"});
  expect_same({"port-forward", "over", ":80"});
  expect_same({"port-forward", "web", ":dns"});
  expect_same({"port-forward", "web", ":53"});
  expect_same({"port-forward", "web", ":http"});
  expect_same({"port-forward", "web", "80:"});
  expect_same({"port-forward", "svc/front", ":main"});
  expect_same({"port-forward", "svc/front", ":other"});
  expect_same({"port-forward", "svc/front", ":82"});
  expect_same({"port-forward", "web", ":80", "--address", "example.com"});
}

}  // namespace
}  // namespace scenarios
