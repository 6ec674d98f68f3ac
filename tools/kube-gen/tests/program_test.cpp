// SPDX-License-Identifier: Apache-2.0
//
// The program as people run it: whatever it is given, it says what is wrong and exits with 1.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <kube/base/file.hpp>

namespace kube::gen {
namespace {

namespace fs = std::filesystem;

class Program : public testing::Test {
 protected:
  struct Ran {
    int status = -1;  // -1 as well when a signal ended it
    std::string text{};
    bool operator==(const Ran&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Ran& ran) {
      return out << ran.status << ": " << ran.text;
    }
  };

  void SetUp() override {
    directory_ =
        fs::path(testing::TempDir()) /
        ("kube-gen-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  static Ran run(const std::string& arguments, const std::string& program = KUBE_GEN_PROGRAM) {
    Ran ran;
    const std::string command = program + " " + arguments + " 2>&1";
    std::FILE* output = ::popen(command.c_str(), "re");
    if (output == nullptr) return ran;
    std::array<char, 4096> part;
    while (const std::size_t read = std::fread(part.data(), 1, part.size(), output))
      ran.text.append(part.data(), read);
    const int status = ::pclose(output);
    if (WIFEXITED(status)) ran.status = WEXITSTATUS(status);
    return ran;
  }
  static Ran failed(const std::string& error) { return {1, "kube-gen: " + error + "\n"}; }
  // Of all files below a directory, by path.
  static std::map<std::string, std::string> texts(const fs::path& directory) {
    std::map<std::string, std::string> texts;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
      if (entry.is_regular_file())
        texts[fs::relative(entry.path(), directory).string()] =
            kube::read_file(entry.path().string()).value();
    }
    return texts;
  }
  std::string place(const std::string& name) const { return (directory_ / name).string(); }

  fs::path directory_;
};

TEST_F(Program, WhatCannotBeReadIsAnErrorThatNamesIt) {
  const std::string schema = std::string(" --schema ") + KUBE_GEN_SCHEMA;
  const std::string here = directory_.string();
  EXPECT_EQ(run("crd " + here), failed(here + ": Is a directory"));
  EXPECT_EQ(run("openapi " + here), failed(here + ": Is a directory"));
  EXPECT_EQ(run("crd " + place("none")), failed(place("none") + ": No such file or directory"));
  EXPECT_EQ(run("crd " + here + "/" + std::string(300, 'a')),
            failed(here + "/" + std::string(300, 'a') + ": File name too long"));
  // Opens, and then can't be read, by root neither.
  EXPECT_EQ(run("crd /proc/self/mem"), failed("/proc/self/mem: Input/output error"));
  EXPECT_EQ(run("--package core.v1 --choices " + here), failed(here + ": Is a directory"));
  EXPECT_EQ(run("--resources " + here), failed(here + ": Is a directory"));
  EXPECT_EQ(run("--package meta.v1 --expect-headers " + here),
            failed(place("meta.v1.txt") + ": No such file or directory"));
  fs::create_directories(directory_ / "x.v1.json");
  EXPECT_EQ(run("--package x.v1 --schema " + here),
            failed(place("x.v1.json") + ": Is a directory"));
  EXPECT_EQ(run("--package " + std::string(300, 'a') + schema),
            failed(std::string(300, 'a') + ".json: was not found in the schema directories"));
}

TEST_F(Program, WhatCannotBeWrittenIsAnErrorThatNamesIt) {
  fs::create_directories(directory_ / "acme_types.cpp");
  EXPECT_EQ(run("crd " + std::string(KUBE_GEN_TESTS) + "/crd/gadgets.yaml --name acme_types " +
                "--include-dir " + directory_.string() + " --source-dir " + directory_.string()),
            failed(place("acme_types.cpp") + ": cannot be written: Is a directory"));
}

TEST_F(Program, OneRunMakesAllPackagesAndTables) {
  const std::string arguments =
      "--package node.v1 policy.v1 --shards policy.v1 2 --kinds policy.v1 meta.v1 --resources " +
      std::string(KUBE_GEN_SCHEMA) + "/resources.json --include-dir " + place("one") +
      " --source-dir " + place("one");
  EXPECT_EQ(run(arguments), (Ran{0, ""}));
  std::set<std::string> sources;
  for (const auto& entry : fs::directory_iterator(place("one"))) {
    if (entry.is_regular_file()) sources.insert(entry.path().filename().string());
  }
  EXPECT_EQ(sources, (std::set<std::string>{"node_v1.cpp", "policy_v1_1.cpp", "policy_v1_2.cpp",
                                            "resources.cpp", "types.cpp"}));
  // As if each had been made alone.
  const std::string there = " --include-dir " + place("alone") + " --source-dir " + place("alone");
  EXPECT_EQ(run("--package node.v1" + there), (Ran{0, ""}));
  EXPECT_EQ(run("--package policy.v1 --shards policy.v1 2" + there), (Ran{0, ""}));
  EXPECT_EQ(run("--kinds policy.v1 meta.v1" + there), (Ran{0, ""}));
  EXPECT_EQ(run("--resources " + std::string(KUBE_GEN_SCHEMA) + "/resources.json" + there),
            (Ran{0, ""}));
  EXPECT_EQ(texts(place("one")), texts(place("alone")));
  EXPECT_TRUE(texts(place("one")).contains("kube/api/policy/v1/eviction.hpp"));
}

TEST_F(Program, AFileThatComesOutAsItWasKeepsItsAge) {
  const std::string arguments =
      "--package node.v1 --include-dir " + place("out") + " --source-dir " + place("out");
  EXPECT_EQ(run(arguments), (Ran{0, ""}));
  const fs::path kept = place("out/node_v1.cpp");
  const fs::path changed = place("out/kube/api/node/v1.hpp");
  const std::string text = texts(place("out"))["kube/api/node/v1.hpp"];
  std::ofstream(changed, std::ios::app) << "// edited";
  const auto long_ago = fs::last_write_time(kept) - std::chrono::hours(24);
  for (const fs::path& path : {kept, changed}) fs::last_write_time(path, long_ago);
  EXPECT_EQ(run(arguments), (Ran{0, ""}));
  EXPECT_EQ(fs::last_write_time(kept), long_ago);
  EXPECT_GT(fs::last_write_time(changed), long_ago);
  EXPECT_EQ(texts(place("out"))["kube/api/node/v1.hpp"], text);
}

TEST_F(Program, EveryWrongListOfHeadersIsNamedAndNothingIsWritten) {
  const std::string packages = "--package node.v1 policy.v1 meta.v1";
  for (const std::string package : {"node.v1", "policy.v1", "meta.v1"}) {
    std::string list = "# What comes out.\n\n" + run("--list-headers --package " + package).text;
    if (package == "node.v1") list += "kube/api/node/v1/none.hpp\n";
    if (package == "policy.v1") {
      const std::string header = "kube/api/policy/v1/eviction.hpp\n";
      list.erase(list.find(header), header.size());
    }
    std::ofstream(place(package + ".txt")) << list;
  }
  const std::string expected = " --expect-headers " + directory_.string() + " --include-dir " +
                               place("out") + " --source-dir " + place("out");
  EXPECT_EQ(run(packages + expected),
            failed(place("node.v1.txt") +
                   ": the list of headers is out of date:\n  - kube/api/node/v1/none.hpp\n" +
                   place("policy.v1.txt") +
                   ": the list of headers is out of date:\n  + kube/api/policy/v1/eviction.hpp"));
  EXPECT_FALSE(fs::exists(place("out")));
  EXPECT_EQ(run("--package meta.v1" + expected), (Ran{0, ""}));
}

TEST_F(Program, WhatCannotBeMeantIsAnError) {
  EXPECT_EQ(run(""), failed("expected --package, --kinds, --resources or a subcommand"));
  EXPECT_EQ(run("--package node.v1 --shards core.v1 4"),
            failed("--shards: core.v1 is not among those of --package"));
  EXPECT_EQ(run("--package node.v1 core.v1 --shards core.v1 4 node.v1"),
            failed("--shards: expected a number after node.v1"));
  for (const std::string count : {"x", "0", "65", "4x", "1.5"}) {
    EXPECT_EQ(run("--package node.v1 --shards node.v1 " + count),
              failed("--shards: expected a number from 1 to 64 after node.v1, found " + count));
  }
}

TEST_F(Program, TheSchemaOfTheBuildTreeIsTheDefault) {
  EXPECT_EQ(
      run("crd " + std::string(KUBE_GEN_TESTS) + "/crd/plants.json --list-headers"),
      (Ran{0, "acme/v1/plant.hpp\nacme/v1.hpp\nacme/v1/resources.hpp\nkube_gen/types.hpp\n"}));
  // The choices there count as well: they give this header its name.
  EXPECT_NE(run("--package meta.v1 --list-headers").text.find("kube/meta/status_type.hpp\n"),
            std::string::npos);
}

TEST_F(Program, ACopyWithoutASchemaSaysWhereItLooked) {
  fs::create_directories(directory_ / "bin");
  fs::copy_file(KUBE_GEN_PROGRAM, directory_ / "bin" / "kube-gen");
  EXPECT_EQ(run("crd " + std::string(KUBE_GEN_TESTS) + "/crd/plants.json", place("bin/kube-gen")),
            failed("--schema: expected a directory of schema facts, found none in " +
                   place("share/kube/schema")));
}

TEST_F(Program, DeepNestingIsAnError) {
  std::ofstream(place("deep.json")) << std::string(100'000, '[');
  const Ran json = run("crd " + place("deep.json"));
  EXPECT_EQ(json.status, 1) << json.text;
  std::string text = "{type: string}";
  for (int i = 0; i < 130; ++i) text = "{type: object, properties: {a: " + text + "}}";
  std::ofstream(place("deep.yaml"))
      << "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
         "metadata: {name: as.acme.io}\nspec: {group: acme.io, scope: Cluster, names: {plural: as, "
         "kind: A}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: " +
             text + "}}]}\n";
  const Ran yaml = run("crd " + place("deep.yaml"));
  EXPECT_EQ(yaml.status, 1);
  EXPECT_NE(yaml.text.find("nested more than 100 levels deep"), std::string::npos) << yaml.text;
}

}  // namespace
}  // namespace kube::gen
