// SPDX-License-Identifier: Apache-2.0
//
// Managers on the embedded API server, with a fake clock.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <kube/certificate/manager.hpp>
#include <kube/testing/recording_logger.hpp>

#include "cluster_fixture.hpp"

namespace kube::certificate {

/// Keeps one pair in memory.
class MemoryStore final : public Store {
 public:
  Result<KeyPair> current() override {
    if (failure) return *failure;
    if (!pair) return no_certificate("nothing yet");
    return *pair;
  }
  Result<KeyPair> update(std::string_view certificates, const SecretText& key) override {
    auto made = KeyPair::from_pem(certificates, key);
    if (made) pair = *made;
    return made;
  }
  Optional<KeyPair> pair;
  std::optional<Error> failure;
};

class ManagerTest : public ClusterTest {
 protected:
  ManagerOptions options() {
    ManagerOptions made;
    made.client = [this](const Optional<KeyPair>&) -> Result<Client> {
      ++attempts;
      if (reachable) return client;
      return Error(ErrorCode::Unreachable, "no server in this test");
    };
    made.request = {.common_name = "node"};
    made.signer_name = kSigner;
    made.usages = {kClientAuth};
    made.store = store;
    made.runtime = {.executor = pool, .logger = log, .random = [this] { return random.load(); }};
    return made;
  }
  std::unique_ptr<Manager> start(ManagerOptions wanted) {
    auto made = Manager::create(std::move(wanted));
    EXPECT_TRUE(made) << made.error().to_string();
    (*made)->start();
    return *std::move(made);
  }
  void await_attempts(int count) {
    EXPECT_TRUE(testing::eventually([&] { return attempts >= count; }))
        << attempts << " of " << count;
  }
  void await_rotation_of(const Manager& manager, const std::string& common_name) {
    EXPECT_TRUE(testing::eventually([&] {
      const auto pair = manager.current();
      return pair && pair->leaf().common_name() == common_name;
    })) << ::testing::PrintToString(log->lines());
  }
  std::optional<WallTime> await_deadline(const Manager& manager) {
    EXPECT_TRUE(testing::eventually([&] { return manager.next_rotation().has_value(); }));
    return manager.next_rotation();
  }

  std::atomic<int> attempts{0};
  std::atomic<bool> reachable{true};
  std::atomic<double> random{0};
  Client client = client_of(config);
  std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>();
  std::shared_ptr<testing::RecordingLogger> log = std::make_shared<testing::RecordingLogger>();
};

}  // namespace kube::certificate
