// SPDX-License-Identifier: Apache-2.0
//
// The arguments of `kubecpp label` and `kubecpp annotate`, what they change, and local files.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/json/value.hpp>

#include "metadata_changes.hpp"
#include "program.hpp"

namespace kubecpp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using Words = std::vector<std::string>;

std::string error_of(const Words& words, MetadataField field) {
  const auto parsed = parse_metadata_words(words, field);
  return parsed ? "" : parsed.error().message();
}

kube::Unstructured object_with(const std::string& metadata) {
  return kube::Unstructured(kube::json::parse(R"({"metadata":)" + metadata + "}").value());
}

TEST(MetadataWords, TargetsComeBeforeChanges) {
  const auto parsed =
      parse_metadata_words({"pods", "=x", "-", "a=1", "b-", "a=2", "c="}, MetadataField::Labels);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
  EXPECT_THAT(parsed->targets, ElementsAre("pods", "=x", "-"));
  EXPECT_THAT(parsed->changes.values, ElementsAre(Pair("a", "2"), Pair("c", "")));
  EXPECT_THAT(parsed->changes.removed, ElementsAre("b"));
  EXPECT_EQ(error_of({"pods", "a=1", "b", "c=2"}, MetadataField::Labels),
            "all resources must be specified before label changes: b");
  EXPECT_EQ(error_of({"pods", "a-", "b"}, MetadataField::Annotations),
            "all resources must be specified before annotation changes: b");
}

TEST(MetadataWords, LabelsHaveValidValues) {
  EXPECT_EQ(error_of({"a=b=c"}, MetadataField::Labels), "invalid label spec: a=b=c");
  EXPECT_THAT(error_of({"a=b c"}, MetadataField::Labels),
              HasSubstr("invalid label value: \"a=b c\": a valid label must be an empty string"));
  EXPECT_EQ(error_of({"a=1", "a-"}, MetadataField::Labels),
            "can not both modify and remove a label in the same command");
}

TEST(MetadataWords, AnnotationsHaveAnyValues) {
  const auto parsed = parse_metadata_words({"a=b=c d", "a-=1", "a-"}, MetadataField::Annotations);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
  EXPECT_THAT(parsed->changes.values, ElementsAre(Pair("a", "b=c d"), Pair("a-", "1")));
  const auto checked = check_removed(parsed->changes);
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().message(),
            "can not both modify and remove the following annotation(s) in the same command: a");
}

TEST(MetadataChanges, ReportWhatHasChanged) {
  auto object = object_with(R"({"labels":{"a":"1","b":"2"}})");
  MetadataChanges changes;
  changes.values = {{"a", "1"}};
  changes.removed = {"c"};
  auto changed = change_metadata(object, changes, false);
  ASSERT_TRUE(changed.has_value());
  EXPECT_FALSE(changed->added || changed->removed);
  changes.values = {{"a", "3"}, {"d", "4"}};
  changes.removed = {"b"};
  changed = change_metadata(object, changes, true);
  ASSERT_TRUE(changed.has_value());
  EXPECT_TRUE(changed->added && changed->removed);
  EXPECT_THAT(object.labels(), ElementsAre(Pair("a", "3"), Pair("d", "4")));
}

TEST(MetadataChanges, KeepOtherValuesUnlessTheyMayBeOverwritten) {
  auto object = object_with(R"({"labels":{"a":"1","b":"2"},"annotations":{"a":"1","b":"2",)"
                            R"("kubernetes.io/change-cause":"x"}})");
  const auto before = object;
  MetadataChanges changes;
  changes.values = {{"a", "2"}, {"b", "3"}};
  EXPECT_EQ(change_metadata(object, changes, false).error().message(),
            "'a' already has a value (1), and --overwrite is false\n"
            "'b' already has a value (2), and --overwrite is false");
  changes.field = MetadataField::Annotations;
  EXPECT_EQ(change_metadata(object, changes, false).error().message(),
            "--overwrite is false but found the following declared annotation(s): "
            "'a' already has a value (1); 'b' already has a value (2)");
  EXPECT_EQ(object, before);
  changes.values = {{"kubernetes.io/change-cause", "y"}};
  EXPECT_TRUE(change_metadata(object, changes, false).has_value());
  EXPECT_EQ(object.annotations().at("kubernetes.io/change-cause"), "y");
}

TEST(Label, FlagsThatDoNotGoTogether) {
  const std::vector<std::pair<Words, std::string>> calls = {
      {{"label"},
       "one or more resources must be specified as <resource> <name> or <resource>/<name>"},
      {{"label", "cm", "a"}, "at least one label update is required"},
      {{"annotate", "cm", "a"}, "at least one annotation update is required"},
      {{"label", "cm", "a=1", "--all", "-l", "x=y"},
       "cannot set --all and --selector at the same time"},
      {{"label", "cm", "a=1", "--all", "--field-selector", "x=y"},
       "cannot set --all and --field-selector at the same time"},
      {{"label", "cm", "a", "--list", "-o", "json"},
       "--list and --output may not be specified together"},
      {{"label", "cm", "a=1"}, "resource(s) were provided, but no name was specified"},
      {{"label", "cm", "a=1", "--dry-run=perhaps"},
       "Invalid dry-run value (perhaps). Must be \"none\", \"server\", or \"client\"."},
      {{"label", "cm", "x", "a=1", "--local"},
       "can only use local files by -f pod.yaml or --filename=pod.json when --local=true is set"},
      {{"annotate", "a=1", "--local"},
       "one or more files must be specified as -f rsrc.yaml or --filename=rsrc.json"},
      {{"label", "a=1", "--local", "-f", "x", "--dry-run=server"},
       "cannot specify --local and --dry-run=server - did you mean --dry-run=client?"},
  };
  for (const auto& [arguments, expected] : calls) {
    Words line = arguments;
    line.insert(line.begin(), KUBECPP);
    const Outcome outcome = run(std::move(line));
    EXPECT_EQ(outcome.status, 1) << expected;
    EXPECT_EQ(outcome.err, "kubecpp: " + expected + "\n");
    EXPECT_THAT(outcome.out, IsEmpty());
  }
}

TEST(Label, LocalFilesNeedNoServer) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("two.yaml",
                   "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: web}}}\n"
                   "---\n{apiVersion: example.com/v1, kind: Widget, metadata: {name: b}}\n");
  const auto call = [&](Words arguments) {
    arguments.insert(arguments.begin(), KUBECPP);
    arguments.insert(arguments.end(), {"--local", "-f", file});
    return run(std::move(arguments));
  };
  EXPECT_EQ(call({"label", "app-"}).out,
            "configmap/a unlabeled\nwidget.example.com/b not labeled\n");
  EXPECT_EQ(call({"annotate", "x=y", "-o", "yaml"}).out,
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    x: \"y\"\n  labels:\n"
            "    app: web\n  name: a\n---\napiVersion: example.com/v1\nkind: Widget\nmetadata:\n"
            "  annotations:\n    x: \"y\"\n  name: b\n");
  EXPECT_EQ(call({"label", "--list"}).out, "app=web\n");
}

}  // namespace
}  // namespace kubecpp
