// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <fcntl.h>

#include <array>
#include <csignal>
#include <string>

#include <gtest/gtest.h>

namespace kubecpp {
namespace {

struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends.data()), 0); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  std::array<int, 2> ends{};
};

TEST(Output, WritesAtOnce) {
  const Pipe pipe;
  Output out(pipe.ends[1]);
  EXPECT_TRUE(out.write("hello\n"));
  std::array<char, 16> text{};
  EXPECT_EQ(::read(pipe.ends[0], text.data(), text.size()), 6);
  EXPECT_STREQ(text.data(), "hello\n");
  EXPECT_FALSE(out.reader_left());
  EXPECT_EQ(out.exit_status(0), 0);
}

TEST(Output, AReaderThatLeftIsNoFailure) {
  ::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  Output out(pipe.ends[1]);
  ::close(pipe.ends[0]);
  EXPECT_TRUE(out.reader_left()) << "seen without writing";
  EXPECT_FALSE(out.write("x"));
  EXPECT_FALSE(out.good());
  EXPECT_EQ(out.exit_status(0), 0);
  pipe.ends[0] = -1;
}

TEST(Output, AFullDiskIsAFailure) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  Output out(full);
  EXPECT_FALSE(out.write("x"));
  EXPECT_EQ(out.exit_status(0), 1);
  ::close(full);
}

}  // namespace
}  // namespace kubecpp
