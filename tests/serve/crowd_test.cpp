// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp serve` beside more connections than it accepts, of clients that send nothing, or no
// whole request: memory and descriptors are bounded, and others are served.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>
#include <kube/cacheserver/cache_server.hpp>
#include <kube/testing/eventually.hpp>

#include "child_program.hpp"
#include "http_client.hpp"

namespace kube::serve_test {
namespace {

using serving::test::HttpClient;
using serving::test::WatchClient;
using testing::eventually;

constexpr std::string_view kPod =
    "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: web, labels: {round: '%'}},"
    " spec: {containers: [{name: c, image: i}]}}";

std::string pod(const std::string& label) {
  std::string out(kPod);
  return out.replace(out.find('%'), 1, label);
}

/// Connections that send the same bytes, and nothing more.
class Crowd {
 public:
  Crowd(std::uint16_t port, std::size_t count, std::string_view bytes) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    while (sockets_.size() < count) {
      sockets_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (::connect(sockets_.back(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
          0) {
        throw std::runtime_error("can't connect");
      }
      if (!bytes.empty()) ::send(sockets_.back(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
  }
  ~Crowd() {
    for (const int each : sockets_) ::close(each);
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

 private:
  std::vector<int> sockets_;
};

class ServeCrowd : public ::testing::Test {
 protected:
  static constexpr std::size_t kTooMany = 500;
  /// Of a connection that is open, with what the allocator keeps of it.
  static constexpr std::size_t kMaxBytesOfAConnection = std::size_t{16} << 10U;

  void SetUp() override {
    rlimit files{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
    if (files.rlim_max < max_ + 2 * kTooMany) {
      GTEST_SKIP() << "needs " << max_ + 2 * kTooMany << " descriptors";
    }
    files.rlim_cur = files.rlim_max;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
    cluster_ = apiserver::ApiServer::start().value();
    ASSERT_TRUE(cluster_->load_text(pod("0")));
    serve_ = std::make_unique<programs::Program>(
        std::vector<std::string>{KUBECPP, "serve", "--server", cluster_->url(), "pods"});
    ASSERT_TRUE(serve_->prints("\n")) << serve_->err();
    const std::string line = serve_->out();
    port_ = static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
    ASSERT_TRUE(eventually([&] { return get_status() == 200; }));
  }
  int get_status() const {
    return HttpClient(port_).send("GET", "/api/v1/namespaces/web/pods/a").status;
  }
  std::filesystem::path process() const { return "/proc/" + std::to_string(serve_->process()); }
  std::size_t descriptors() const {
    const auto found = std::filesystem::directory_iterator(process() / "fd");
    return static_cast<std::size_t>(std::distance(begin(found), end(found)));
  }
  /// A line of its status, such as "VmHWM:     12345 kB", in bytes.
  std::size_t memory(std::string_view name) const {
    std::ifstream status(process() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with(name)) return std::stoul(line.substr(name.size() + 1)) * 1024;
    }
    throw std::runtime_error("the server has ended");
  }
  void expect_served_beside_a_crowd(std::string_view bytes);

  const std::size_t max_ = CacheServer::Options().max_connections;
  std::unique_ptr<apiserver::ApiServer> cluster_;
  std::unique_ptr<programs::Program> serve_;
  std::uint16_t port_ = 0;
};

void ServeCrowd::expect_served_beside_a_crowd(std::string_view bytes) {
  WatchClient watch(port_, "/api/v1/pods?watch=true&resourceVersion=" +
                               std::to_string(cluster_->resource_version()));
  const std::size_t descriptors_before = descriptors();
  const std::size_t memory_before = memory("VmRSS");
  std::optional<Crowd> crowd(std::in_place, port_, max_ + kTooMany, bytes);
  // It has accepted the whole crowd before, and closes others as it accepts: not when they time
  // out.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get_status(), 200);
  EXPECT_LE(descriptors(), descriptors_before + max_ + kTooMany / 5);
  EXPECT_LT(memory("VmHWM"), memory_before + max_ * kMaxBytesOfAConnection);
  ASSERT_TRUE(cluster_->load_text(pod("1")));
  const auto event = watch.next();
  ASSERT_TRUE(event) << "the watch has ended";
  EXPECT_EQ(event->string_at({"object", "metadata", "labels", "round"}), "1");
  EXPECT_EQ(get_status(), 200);
  crowd.reset();
  EXPECT_TRUE(eventually([&] { return descriptors() <= descriptors_before; }))
      << descriptors() << " descriptors, " << descriptors_before << " before";
}

TEST_F(ServeCrowd, MoreIdleConnectionsThanItAcceptsGiveWay) {
  expect_served_beside_a_crowd("");
}

TEST_F(ServeCrowd, MoreHalfHeadsThanItAcceptsGiveWay) {
  expect_served_beside_a_crowd("GET /api/v1/pods HTTP/1.1\r\nHost: localhost\r\nX-Half: " +
                               std::string(500, 'x'));
}

}  // namespace
}  // namespace kube::serve_test
