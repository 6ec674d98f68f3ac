// SPDX-License-Identifier: Apache-2.0
#include <kube/base/file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <stop_token>

#include <gmock/gmock.h>
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

TEST(ReadFile, APipeThatNobodyWritesToIsLeftWhenAskedToStop) {
  const std::string pipe = ::testing::TempDir() + "/read_file_pipe_" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::stop_source stop;
  auto text = std::async(std::launch::async,
                         [&] { return read_file(pipe, kMaxFileBytes, stop.get_token()); });
  stop.request_stop();
  const auto stopped = text.get();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(stopped.error().message(), pipe + ": reading was stopped");

  // Neither is one that a writer keeps open.
  std::stop_source later;
  auto part = std::async(std::launch::async,
                         [&] { return read_file(pipe, kMaxFileBytes, later.get_token()); });
  const int writer = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::write(writer, "part", 4), 4);
  later.request_stop();
  EXPECT_EQ(part.get().error().code(), ErrorCode::Cancelled);
  ::close(writer);

  auto whole = std::async(std::launch::async,
                          [&] { return read_file(pipe, kMaxFileBytes, std::stop_token()); });
  std::ofstream(pipe) << std::string(300'000, 'x');
  EXPECT_EQ(whole.get().value(), std::string(300'000, 'x'));
  std::remove(pipe.c_str());
}

TEST(ManifestFiles, AreThoseOfTheFolderByName) {
  const std::string folder = ::testing::TempDir() + "/manifest_files_" + std::to_string(::getpid());
  std::filesystem::create_directories(folder + "/folder.yaml");
  for (const char* name : {"/z.json", "/b.yml", "/a.yaml", "/notes.txt", "/folder.yaml/c.yaml"}) {
    std::ofstream(folder + name) << "x";
  }
  ASSERT_EQ(::mkfifo((folder + "/pipe.yaml").c_str(), 0600), 0);
  std::filesystem::create_symlink("a.yaml", folder + "/link.yaml");
  std::filesystem::create_symlink("pipe.yaml", folder + "/link_to_pipe.yml");
  std::filesystem::create_symlink("nowhere", folder + "/nowhere.yaml");
  const ManifestFiles found = manifest_files(folder).value();
  EXPECT_THAT(found.files,
              ::testing::ElementsAre(folder + "/a.yaml", folder + "/b.yml", folder + "/link.yaml",
                                     folder + "/nowhere.yaml", folder + "/z.json"));
  EXPECT_THAT(found.skipped,
              ::testing::ElementsAre(folder + "/link_to_pipe.yml", folder + "/pipe.yaml"));
  std::filesystem::remove_all(folder);
  EXPECT_EQ(manifest_files("/nowhere").error().message(), "/nowhere: No such file or directory");
}

class ReplaceFile : public ::testing::Test {
 protected:
  ReplaceFile() {
    std::string name = (std::filesystem::temp_directory_path() / "replace-file-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~ReplaceFile() override { std::filesystem::remove_all(folder); }
  static unsigned mode(const std::filesystem::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777U;
  }
  std::filesystem::path folder;
};

TEST_F(ReplaceFile, MakesFoldersAndTheFileWithTheirModes) {
  const std::string path = (folder / "a" / "b" / "f").string();
  ASSERT_TRUE(replace_file(path, "one", {.file_mode = 0660, .folder_mode = 0750}));
  EXPECT_EQ(read_file(path).value(), "one");
  EXPECT_EQ(mode(path), 0660U);
  EXPECT_EQ(mode(folder / "a"), 0750U);
  EXPECT_EQ(mode(folder / "a" / "b"), 0750U);
  ASSERT_TRUE(replace_file(path, "two"));
  EXPECT_EQ(read_file(path).value(), "two");
  EXPECT_EQ(mode(path), 0600U);
  const auto left = std::filesystem::directory_iterator(folder / "a" / "b");
  EXPECT_EQ(std::distance(begin(left), end(left)), 1) << "no temporary file is left";
}

TEST_F(ReplaceFile, AFailureNamesTheFileAndKeepsIt) {
  const std::string path = (folder / "f").string();
  ASSERT_TRUE(replace_file(path, "one"));
  EXPECT_EQ(replace_file(path + "/below", "two").error().message(),
            path + "/below: Not a directory");
  EXPECT_EQ(replace_file(folder.string(), "two").error().message(),
            folder.string() + ": Is a directory");
  EXPECT_EQ(read_file(path).value(), "one");
}

TEST_F(ReplaceFile, ARegularFileIsReadWithItsDate) {
  const std::string path = (folder / "f").string();
  ASSERT_TRUE(replace_file(path, "one"));
  const auto read = read_regular_file(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text, "one");
  EXPECT_LT(std::chrono::system_clock::now() - read->modified, std::chrono::minutes(10));
  const std::string pipe = (folder / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read_regular_file(pipe).error().message(), pipe + ": not a regular file");
  EXPECT_EQ(read_regular_file(folder.string()).error().message(),
            folder.string() + ": not a regular file");
}

}  // namespace
}  // namespace kube
