// SPDX-License-Identifier: Apache-2.0
#include <kube/base/file.hpp>

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

namespace kube {
namespace {

TEST(ReadFile, ReturnsAllOfIt) {
  const std::string path = ::testing::TempDir() + "/read_file_" + std::to_string(::getpid());
  const std::string text = std::string(200'000, 'x') + '\0' + "end\n";
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(read_file(path).value(), text);
  std::remove(path.c_str());
  EXPECT_EQ(read_file("/dev/null").value(), "");
}

TEST(ReadFile, ErrorsNameTheFileAndWhy) {
  EXPECT_EQ(read_file("/nowhere/f").error().message(), "/nowhere/f: No such file or directory");
  EXPECT_EQ(read_file("/tmp").error().message(), "/tmp: Is a directory");
  EXPECT_EQ(read_file(-1, "it").error().message(), "it: Bad file descriptor");
}

TEST(ReadFile, AFileWithoutAnEndIsAnError) {
  const auto text = read_file("/dev/zero", std::size_t{2} << 20U);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code(), ErrorCode::Config);
  EXPECT_EQ(text.error().message(), "/dev/zero: expected at most 2 MiB, found more");
}

}  // namespace
}  // namespace kube
