// SPDX-License-Identifier: Apache-2.0
//
// What kube-gen makes of a small schema that has everything, against golden/. After a change that
// is meant: KUBE_GEN_UPDATE_GOLDEN=1 kube-gen_test --gtest_filter=Golden.*
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "emit.hpp"

namespace kube::gen {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<File> generate(std::size_t shards) {
  auto choices = read_choices(KUBE_GEN_CHOICES);
  EXPECT_TRUE(choices);
  choices->octal.insert("example.v1.ExampleMode");
  choices->by_hand["example.v1.ByHand"] = "example/by_hand.hpp";
  Schema schema({fs::path(KUBE_GEN_TESTS) / "schema", KUBE_GEN_SCHEMA});
  Planner planner(schema, *choices);
  const auto layout = planner.layout("example.v1");
  EXPECT_TRUE(layout) << (layout ? "" : layout.error().to_string());
  auto headers = emit_headers(**layout, planner);
  EXPECT_TRUE(headers) << (headers ? "" : headers.error().to_string());
  const auto sources = emit_sources(**layout, schema, *choices, shards);
  EXPECT_TRUE(sources) << (sources ? "" : sources.error().to_string());
  std::vector<File> files = *std::move(headers);
  files.push_back(emit_registry({"example.v1"}, planner).value());
  files.push_back(emit_resources(fs::path(KUBE_GEN_TESTS) / "schema" / "resources.json").value());
  files.insert(files.end(), sources->begin(), sources->end());
  return files;
}

TEST(Golden, GeneratedFilesAreAsTheyWere) {
  const fs::path golden = fs::path(KUBE_GEN_TESTS) / "golden";
  const bool update = std::getenv("KUBE_GEN_UPDATE_GOLDEN") != nullptr;
  std::set<fs::path> made;
  for (const File& file : generate(1)) {
    const fs::path path = golden / (file.path + ".golden");
    made.insert(path);
    if (update) {
      fs::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary) << file.text;
    }
    EXPECT_EQ(read_file(path), file.text) << file.path;
  }
  for (const auto& entry : fs::recursive_directory_iterator(golden)) {
    if (entry.is_regular_file()) {
      EXPECT_TRUE(made.contains(entry.path())) << entry.path() << " is no longer made";
    }
  }
}

TEST(Golden, ShardsShareTheStructsOut) {
  std::string one;
  for (const File& file : generate(1)) one = file.text;  // the source comes last
  std::string all;
  std::size_t sources = 0;
  for (const File& file : generate(3)) {
    if (!file.path.ends_with(".cpp") || !file.path.starts_with("example_")) continue;
    ++sources;
    EXPECT_EQ(file.path, "example_v1_" + std::to_string(sources) + ".cpp");
    all += file.text;
  }
  EXPECT_EQ(sources, 3U);
  const auto count = [](const std::string& text, std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count(all, "::descriptor() {"), count(one, "::descriptor() {"));
  EXPECT_EQ(count(all, "descriptors::by_hand{"), 1U);
}

}  // namespace
}  // namespace kube::gen
