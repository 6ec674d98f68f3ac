// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp convert` as people run it.
#include "convert_command.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/codec/protobuf.hpp>

#include "program.hpp"

namespace kubecpp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kYaml = R"(apiVersion: v1
data:
  how: "yes"
  text: |
    two
    lines
kind: ConfigMap
metadata:
  name: c
)";

constexpr const char* kJson = R"({
    "apiVersion": "v1",
    "data": {
        "how": "yes",
        "text": "two\nlines\n"
    },
    "kind": "ConfigMap",
    "metadata": {
        "name": "c"
    }
}
)";

std::string bytes() {
  kube::core::v1::ConfigMap map;
  map.metadata.name = "c";
  map.data["how"] = "yes";
  map.data["text"] = "two\nlines\n";
  return kube::meta::to_protobuf(map).value();
}

TEST(ConvertCommand, WritesEachEncodingOfEachEncoding) {
  const TemporaryFolder folder;
  for (const std::string& text : {std::string(kYaml), std::string(kJson), bytes()}) {
    const std::string file = folder.write("object", text);
    EXPECT_EQ(run({KUBECPP, "convert", file}).out, kJson);
    EXPECT_EQ(run({KUBECPP, "convert", file, "--to", "json"}).out, kJson);
    EXPECT_EQ(run({KUBECPP, "convert", file, "--to", "yaml"}).out, kYaml);
    EXPECT_EQ(run({KUBECPP, "convert", "--to", "protobuf", file}).out, bytes());
    const Outcome to_file =
        run({KUBECPP, "convert", file, "--to", "protobuf", "--out", folder.path("out")});
    EXPECT_EQ(to_file.status, 0) << to_file.err;
    EXPECT_THAT(to_file.out, IsEmpty());
    EXPECT_EQ(folder.read("out"), bytes());
  }
}

TEST(ConvertCommand, ReadsStandardInput) {
  const TemporaryFolder folder;
  const std::string file = folder.write("object", kYaml);
  for (const std::string dash : {"", " -"}) {
    const Outcome outcome =
        run({"/bin/sh", "-c", std::string(KUBECPP) + " convert" + dash + " < " + file});
    EXPECT_EQ(outcome.out, kJson) << outcome.err;
  }
}

TEST(ConvertCommand, SeveralDocumentsStaySeveral) {
  const TemporaryFolder folder;
  const std::string twice = std::string(kYaml) + "---\n" + kYaml;
  const std::string file = folder.write("two.yaml", twice);
  EXPECT_EQ(run({KUBECPP, "convert", file, "--to", "yaml"}).out, twice);
  EXPECT_EQ(run({KUBECPP, "convert", file}).out, std::string(kJson) + kJson);
  const std::string again = folder.write("two.json", std::string(kJson) + kJson);
  EXPECT_EQ(run({KUBECPP, "convert", again, "--to", "yaml"}).out, twice);

  const Outcome one = run({KUBECPP, "convert", file, "--to", "protobuf"});
  EXPECT_EQ(one.status, 1);
  EXPECT_THAT(one.err, HasSubstr("protobuf file holds one object, found 2 documents"));
}

TEST(ConvertCommand, AListGoesThroughProtobufWithItsObjects) {
  const TemporaryFolder folder;
  const std::string list = R"({"apiVersion":"v1","kind":"List","items":[)" + std::string(kJson) +
                           R"(,{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},
                              "spec":{"replicas":2,"selector":{},"template":{}}}]})";
  const std::string file = folder.write("list.json", list);
  const Outcome json = run({KUBECPP, "convert", file});
  ASSERT_EQ(json.status, 0) << json.err;
  EXPECT_THAT(json.out, HasSubstr("\"replicas\": 2"));
  const Outcome written =
      run({KUBECPP, "convert", file, "--to", "protobuf", "--out", folder.path("list.pb")});
  ASSERT_EQ(written.status, 0) << written.err;
  EXPECT_THAT(folder.read("list.pb"), HasSubstr(bytes())) << "as Go writes it: with an envelope";
  EXPECT_EQ(run({KUBECPP, "convert", folder.path("list.pb")}).out, json.out);
}

TEST(ConvertCommand, AnUnknownKindStaysAsItIsButHasNoProtobuf) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "w.yaml", "kind: Widget\napiVersion: example.com/v1\nspec: {size: 3}\nextra: [1]\n");
  EXPECT_EQ(run({KUBECPP, "convert", file, "--to", "yaml", "--strict"}).out,
            "apiVersion: example.com/v1\nextra:\n- 1\nkind: Widget\nspec:\n  size: 3\n");
  const Outcome outcome = run({KUBECPP, "convert", file, "--to", "protobuf"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "kubecpp: " + file +
                             ": the kind \"Widget\" in version \"example.com/v1\" is unknown, so "
                             "it cannot be written as protobuf\n");
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST(ConvertCommand, StrictReportsUnknownAndDuplicateFieldsInTheServersWords) {
  const TemporaryFolder folder;
  const std::string json = folder.write(
      "p.json", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","name":"p"},)"
                R"("spec":{"foo":1,"containers":[{"name":"c","imag":"x"}]}})");
  EXPECT_EQ(run({KUBECPP, "convert", json}).status, 0);
  const Outcome outcome = run({KUBECPP, "convert", json, "--strict"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_EQ(outcome.err, "kubecpp: " + json +
                             ": strict decoding error: duplicate field \"metadata.name\", unknown "
                             "field \"spec.foo\", unknown field \"spec.containers[0].imag\"\n");

  const std::string yaml = folder.write(
      "p.yaml",
      "kind: ConfigMap\napiVersion: v1\n---\nkind: Pod\napiVersion: v1\nspec:\n  foo: 1\n"
      "metadata: {name: a}\nmetadata: {name: b}\n");
  const Outcome second = run({KUBECPP, "convert", yaml, "--strict"});
  EXPECT_EQ(second.status, 1);
  EXPECT_THAT(second.err, HasSubstr(yaml + ": document 2: strict decoding error: unknown field "
                                           "\"spec.foo\"\n"));
  EXPECT_THAT(second.err, HasSubstr("key \"metadata\" already set in map"));
}

TEST(ConvertCommand, ErrorsNameFileDocumentAndField) {
  const TemporaryFolder folder;
  const std::string wrong =
      folder.write("w.yaml",
                   "kind: ConfigMap\napiVersion: v1\n---\nkind: Pod\napiVersion: v1\nspec:\n"
                   "  containers:\n  - name: 5\n");
  const Outcome outcome = run({KUBECPP, "convert", wrong});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, StartsWith("kubecpp: " + wrong + ": document 2: "));
  EXPECT_THAT(outcome.err, HasSubstr("spec.containers[0].name"));
  EXPECT_THAT(outcome.out, IsEmpty());

  const std::vector<std::pair<std::string, std::string>> texts = {
      {"", "expected an object, found none"},
      {"metadata: {}\napiVersion: v1\n", "expected an object with a kind"},
      {"kind: Pod\n", "expected an object with an apiVersion"},
      {"- 1\n", "expected a"},
      {"a: [\n", "yaml: line"},
      {R"({"kind":"Pod","apiVersion":"v1","spec":{"hostNetwork":1}})", "spec.hostNetwork"},
      {bytes().substr(0, bytes().size() - 3), "offset"},
  };
  for (const auto& [text, expected] : texts) {
    const std::string file = folder.write("file", text);
    const Outcome failed = run({KUBECPP, "convert", file});
    EXPECT_EQ(failed.status, 1) << text;
    EXPECT_THAT(failed.err, StartsWith("kubecpp: " + file + ": ")) << text;
    EXPECT_THAT(failed.err, HasSubstr(expected)) << text;
  }
  const Outcome missing = run({KUBECPP, "convert", folder.path("nosuch")});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, HasSubstr("nosuch: No such file or directory"));
  EXPECT_EQ(run({KUBECPP, "convert", "x", "--to", "xml"}).status, 1);
}

TEST(ConvertCommand, ATerminalIsNotFedProtobuf) {
  const TemporaryFolder folder;
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  Program::Options options;
  options.stdout_file = ::ptsname(terminal);
  const std::string file = folder.write("object", kYaml);
  const Outcome outcome = run({KUBECPP, "convert", file, "--to", "protobuf"}, options);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("--out"));
  EXPECT_EQ(run({KUBECPP, "convert", file}, options).status, 0);
  ::close(terminal);
}

}  // namespace
}  // namespace kubecpp
