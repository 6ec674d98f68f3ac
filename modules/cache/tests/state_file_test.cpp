// SPDX-License-Identifier: Apache-2.0
#include "state_file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/file.hpp>

#include "folder.hpp"
#include "wire_texts.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using testing::Folder;
using ::testing::HasSubstr;
using testing::make_cell;
using testing::text_type;

const WallTime kThen{1000h};

/// Each part of each object.
std::string text_of(const SavedState& state) {
  std::string text = "@" + state.version;
  for (const CellRef& each : state.objects) {
    text.append("\n").append(each->key()).append(" ").append(each->namespace_()).append(" ");
    text.append(each->name()).append(" ").append(each->uid()).append(" ");
    text.append(each->resource_version()).append(" ").append(each->body());
    if (each->encoding() == Encoding::Protobuf) text += " protobuf";
  }
  return text;
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777U;
}

void put(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

class StateFileTest : public ::testing::Test {
 protected:
  static SavedState state() {
    SavedState state;
    state.objects = {make_cell("web/a", "5", "{\"a\":1}"), make_cell("node", "6", "")};
    Cell::Parts parts{"web", "b", "uid", "7", Encoding::Json, "{}", "own"};
    state.objects.push_back(Cell::make(text_type(), parts));
    state.version = "10";
    return state;
  }
  std::string problem() const {
    const auto read = file.read(text_type(), kThen);
    return read ? std::string("none") : read.error().message();
  }

  const Folder folder;
  const StateFile file{folder / "states/pods.v1.state", "resource: v1/pods\nnamespace: web"};
};

TEST_F(StateFileTest, WhatIsWrittenIsReadWithItsAge) {
  ASSERT_TRUE(file.write(state(), kThen));
  const auto read = file.read(text_type(), kThen + 7s);
  ASSERT_TRUE(read) << read.error().to_string();
  ASSERT_TRUE(*read);
  EXPECT_EQ(text_of(**read), text_of(state()));
  EXPECT_EQ((*read)->age, 7s);
  EXPECT_EQ(file.read(text_type(), kThen - 1h).value()->age, 0s) << "the clock was set back";
}

TEST_F(StateFileTest, AMissingFileIsNoError) {
  const auto read = file.read(text_type(), kThen);
  ASSERT_TRUE(read);
  EXPECT_FALSE(*read);
}

TEST_F(StateFileTest, IsForItsUserAlone) {
  ASSERT_TRUE(file.write(state(), kThen));
  EXPECT_EQ(mode_of(folder / "states"), 0700U);
  EXPECT_EQ(mode_of(file.path), 0600U);
}

TEST_F(StateFileTest, AnInterruptedWriteLeavesTheOldFileAndIsReplaced) {
  ASSERT_TRUE(file.write(state(), kThen));
  put(file.path + ".new", "a part");
  EXPECT_EQ(file.read(text_type(), kThen).value()->version, "10");
  SavedState later = state();
  later.version = "11";
  ASSERT_TRUE(file.write(later, kThen));
  EXPECT_EQ(file.read(text_type(), kThen).value()->version, "11");
  EXPECT_NE(::access((file.path + ".new").c_str(), F_OK), 0);
}

TEST_F(StateFileTest, AFullDiskKeepsTheOldFile) {
  ASSERT_TRUE(file.write(state(), kThen));
  SavedState large = state();
  large.version = "11";
  large.objects.push_back(make_cell("web/c", "8", std::string(1 << 20, 'x')));
  // A limit of the process in place of the disk's.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = file.write(large, kThen);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message(), file.path + ": File too large");
  EXPECT_EQ(file.read(text_type(), kThen).value()->version, "10");
  EXPECT_NE(::access((file.path + ".new").c_str(), F_OK), 0);
}

TEST_F(StateFileTest, EachFlippedBitIsFound) {
  ASSERT_TRUE(file.write(state(), kThen));
  const std::string whole = read_file(file.path).value();
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    put(file.path, damaged);
    ASSERT_THAT(problem(), HasSubstr(file.path + ": ")) << "bit " << bit;
  }
}

TEST_F(StateFileTest, EachMissingEndIsFound) {
  ASSERT_TRUE(file.write(state(), kThen));
  const std::string whole = read_file(file.path).value();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put(file.path, whole.substr(0, size));
    ASSERT_THAT(problem(), HasSubstr(file.path + ": ")) << size << " bytes";
  }
  put(file.path, whole + "x");
  EXPECT_EQ(problem(), file.path + ": it is damaged: its checksum is wrong");
}

TEST_F(StateFileTest, LengthsThatAreWrongCostNoMemory) {
  ASSERT_TRUE(file.write(state(), kThen));
  std::string damaged = read_file(file.path).value();
  const std::size_t identity = 12;
  damaged.replace(identity, 4, "\xff\xff\xff\xff");
  put(file.path, damaged);
  EXPECT_EQ(problem(), file.path + ": it is truncated or damaged");
}

TEST_F(StateFileTest, AnotherFileIsNamed) {
  ASSERT_TRUE(file.write(state(), kThen));
  std::string newer = read_file(file.path).value();
  newer[8] = 2;
  put(file.path, newer);
  EXPECT_EQ(problem(), file.path + ": expected format 1, found 2");
  put(file.path, "hello, this is text");
  EXPECT_EQ(problem(), file.path + ": it is not the state of an informer");
  ASSERT_TRUE((StateFile{file.path, "resource: v1/pods\nnamespace: db"}).write(state(), kThen));
  EXPECT_EQ(problem(), file.path +
                           ": it is the state of something else: expected namespace: web, found "
                           "namespace: db");
}

TEST_F(StateFileTest, WhatIsNoFileOfThisUserIsNotRead) {
  ASSERT_TRUE(file.write(state(), kThen));
  const std::string link = folder / "states/link";
  ASSERT_EQ(::symlink(file.path.c_str(), link.c_str()), 0);
  EXPECT_FALSE((StateFile{link, file.identity}).read(text_type(), kThen));
  const std::string pipe = folder / "states/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ((StateFile{pipe, ""}).read(text_type(), kThen).error().message(),
            pipe + ": it is not a regular file");
}

TEST_F(StateFileTest, AFolderThatCannotBeMadeIsReported) {
  put(folder / "states", "");
  EXPECT_EQ(problem(), file.path + ": Not a directory");
  EXPECT_EQ((StateFile{folder / "no/such/x.state", ""}).write(state(), kThen).error().message(),
            folder / "no/such" + ": No such file or directory");
}

TEST(StateFileName, IsOfTheResourceAndTheSelection) {
  const meta::ResourceInfo deployments{"apps", "v1", "Deployment", "deployments", "deployment"};
  const InformerType type{text_type()};
  const auto of = [&](InformerOptions options) {
    options.state_dir = "/d";
    return StateFile::of(options, deployments, type).path;
  };
  EXPECT_EQ(of({}), "/d/deployments.v1.apps.state");
  EXPECT_EQ(of({.namespace_ = "web"}), "/d/deployments.v1.apps@web.state");
  EXPECT_EQ(of({.namespace_ = "../../x"}), "/d/deployments.v1.apps@.._.._x.state");
  EXPECT_NE(of({.label_selector = "a=b"}), of({.field_selector = "a=b"}));
  EXPECT_EQ(StateFile::of({}, deployments, type).path, "");
}

TEST(StateFileIdentity, IsOfEverythingThatMakesAnotherState) {
  const meta::ResourceInfo pods{"", "v1", "Pod", "pods", "pod"};
  InformerType type{text_type()};
  type.preferred = Encoding::Protobuf;
  const auto of = [&](InformerOptions options, const InformerType& of_type) {
    options.state_dir = "/d";
    return StateFile::of(options, pods, of_type).identity;
  };
  InformerType metadata = type;
  metadata.form = ResponseForm::Metadata;
  InformerType untyped = type;
  untyped.self_describing = true;
  std::vector<std::string> all = {of({}, type),
                                  of({.namespace_ = "web"}, type),
                                  of({.label_selector = "a=b"}, type),
                                  of({.field_selector = "a=b"}, type),
                                  of({.protobuf = false}, type),
                                  of({.drop_fields = {"metadata.managedFields"}}, type),
                                  of({}, metadata),
                                  of({}, untyped)};
  for (const rest::Config& config :
       {rest::Config{.host = "https://a"}, rest::Config{.host = "https://b"}}) {
    StateFile made{"", ""};
    made.set_server(config);
    all.push_back(made.identity);
    rest::Config other = config;
    other.tls.ca.data = "another cluster at the same address";
    made.identity = "";
    made.set_server(other);
    all.push_back(made.identity);
  }
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size())
      << ::testing::PrintToString(all);
  EXPECT_EQ(of({.page_size = 7}, type), of({}, type));
}

}  // namespace
}  // namespace kube::cache
