// SPDX-License-Identifier: Apache-2.0
#include "auth/credentials.hpp"

#include <atomic>
#include <future>
#include <memory>

#include <gtest/gtest.h>

namespace kube::rest {
namespace {

// A source that counts how often it has made credentials.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { source_->stop_and_wait(); }

  std::string refreshed(std::uint64_t unusable) {
    std::promise<std::string> token;
    source_->refresh(unusable, context_,
                     [&](const auto& result) { token.set_value((*result)->token); });
    return token.get_future().get();
  }
  int made() const { return made_.load(); }
  CredentialSource& operator*() { return *source_; }
  RefreshContext context() const { return context_; }

 private:
  std::atomic<int> made_{0};
  const RefreshContext context_{Runtime{.executor = std::make_shared<ThreadPool>()}};
  const std::shared_ptr<CredentialSource> source_ = std::make_shared<CredentialSource>(
      "test", [this](const RefreshContext&, const std::stop_token&) {
        return Credentials{.token = std::to_string(++made_)};
      });
};

TEST(CredentialSource, ARequestThatLookedBeforeARefreshEndedStartsNoOther) {
  Counted source;
  EXPECT_EQ(source.refreshed(0), "1");
  EXPECT_EQ(source.refreshed(0), "1") << "it has seen none";
  EXPECT_EQ(source.made(), 1);
}

TEST(CredentialSource, CredentialsThatCannotBeUsedAreMadeAnew) {
  Counted source;
  EXPECT_EQ(source.refreshed(0), "1");
  EXPECT_EQ(source.refreshed(1), "2");
  EXPECT_EQ(source.refreshed(1), "2") << "newer ones are there";
  EXPECT_EQ(source.made(), 2);
}

TEST(CredentialSource, RefusedCredentialsAreMadeAnewForTheNextRequest) {
  Counted source;
  EXPECT_EQ(source.refreshed(0), "1");
  (*source).refused(1, source.context());
  EXPECT_EQ(source.refreshed(0), "2");
  (*source).refused(1, source.context());
  EXPECT_EQ(source.refreshed(0), "2") << "newer ones are there";
  EXPECT_EQ(source.made(), 2);
}

}  // namespace
}  // namespace kube::rest
