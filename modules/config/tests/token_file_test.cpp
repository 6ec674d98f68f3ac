// SPDX-License-Identifier: Apache-2.0
#include <kube/config/token_file.hpp>

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/fake_clock.hpp>

#include "temporary_directory.hpp"

namespace kube::rest {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

static_assert(!std::is_copy_constructible_v<TokenFile>);

class TokenFileTest : public ::testing::Test {
 protected:
  std::shared_ptr<TokenFile> make(std::string initial = {}) {
    auto made =
        TokenFile::create({.path = directory / "token", .initial = std::move(initial)}, clock);
    EXPECT_TRUE(made) << made.error().to_string();
    return *made;
  }

  TemporaryDirectory directory;
  std::shared_ptr<testing::FakeClock> clock = std::make_shared<testing::FakeClock>();
};

TEST_F(TokenFileTest, TRN_38_ContentIsTrimmed) {
  directory.write("token", "  abc\n");
  EXPECT_EQ(make()->token(), "abc");
}

TEST_F(TokenFileTest, TRN_26_TRN_38_WithoutInitialTokenTheFileMustBeReadable) {
  auto missing = TokenFile::create({.path = directory / "token"}, clock);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::Credentials);
  EXPECT_THAT(missing.error().message(),
              HasSubstr("failed to read token file \"" + (directory / "token") +
                        "\": " + (directory / "token") + ": "));
  directory.write("token", " \n");
  auto empty = TokenFile::create({.path = directory / "token"}, clock);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message(),
            "read empty token from file \"" + (directory / "token") + "\"");
}

TEST_F(TokenFileTest, TRN_26_FileBeatsTheInitialTokenAndTheInitialTokenBeatsNothing) {
  const auto token = make("initial");
  EXPECT_EQ(token->token(), "initial");
  directory.write("token", "from-file");
  EXPECT_EQ(token->token(), "from-file");
}

TEST_F(TokenFileTest, TRN_35_ReadAgainAMinuteLaterWithLeeway) {
  directory.write("token", "one");
  const auto token = make();
  directory.write("token", "two");
  clock->advance(49s);
  EXPECT_EQ(token->token(), "one");
  clock->advance(1s);
  EXPECT_EQ(token->token(), "two");
}

TEST_F(TokenFileTest, TRN_35_AFailedReadKeepsTheLastToken) {
  directory.write("token", "one");
  const auto token = make();
  std::filesystem::remove(directory / "token");
  clock->advance(10min);
  EXPECT_EQ(token->token(), "one");
  directory.write("token", "two");
  EXPECT_EQ(token->token(), "two");
}

TEST_F(TokenFileTest, APipeInThePlaceOfTheFileIsNotWaitedFor) {
  directory.write("token", "one");
  const auto token = make();
  std::filesystem::remove(directory / "token");
  ASSERT_EQ(::mkfifo((directory / "token").c_str(), 0600), 0);
  clock->advance(10min);
  EXPECT_EQ(token->token(), "one");
  EXPECT_THAT(TokenFile::create({.path = directory / "token"}, clock).error().message(),
              HasSubstr("not a regular file"));
}

TEST_F(TokenFileTest, TRN_37_ARefusedTokenIsReadAgainUnlessItIsFreshAlready) {
  directory.write("token", "one");
  const auto token = make();
  directory.write("token", "two");
  token->refused(clock->now());  // read at this very moment: not older than the request
  EXPECT_EQ(token->token(), "one");
  clock->advance(1s);
  token->refused(clock->now());
  EXPECT_EQ(token->token(), "two");
}

TEST_F(TokenFileTest, ATokenThatWouldBreakTheHeaderIsNotUsed) {
  directory.write("token", "a\r\nX-Evil: 1");
  const auto made = TokenFile::create({.path = directory / "token"}, clock);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), ::testing::Not(HasSubstr("Evil")));
}

// How often a file was opened and closed since it was asked last. (With the closings, as the kernel
// makes one event of several that are equal and in a row.)
class Openings {
 public:
  explicit Openings(const std::string& file) : events_(::inotify_init1(IN_NONBLOCK)) {
    EXPECT_GE(::inotify_add_watch(events_, file.c_str(), IN_OPEN | IN_CLOSE), 0);
  }
  ~Openings() { ::close(events_); }
  Openings(const Openings&) = delete;
  Openings& operator=(const Openings&) = delete;
  int count() const {
    std::array<char, 4096> bytes{};
    const ssize_t size = ::read(events_, bytes.data(), bytes.size());
    return size < 0 ? 0 : static_cast<int>(size / static_cast<ssize_t>(sizeof(inotify_event)));
  }

 private:
  int events_;
};

TEST_F(TokenFileTest, TRN_36_OneOfManyThreadsReadsTheTokenThatIsDue) {
  directory.write("token", "one");
  const auto token = make();
  directory.write("token", "two");
  const Openings openings(directory / "token");
  EXPECT_EQ(token->token(), "one");
  EXPECT_EQ(openings.count(), 0) << "not due";
  clock->advance(1min);
  std::vector<SecretText> seen(8);
  {
    std::vector<std::jthread> threads;
    for (SecretText& result : seen) {
      threads.emplace_back([&] { result = token->token(); });
    }
  }
  EXPECT_THAT(seen, ::testing::Each(SecretText("two")));
  EXPECT_EQ(openings.count(), 2) << "one opening, one closing";
}

}  // namespace
}  // namespace kube::rest
