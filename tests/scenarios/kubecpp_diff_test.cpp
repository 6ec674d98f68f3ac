// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp diff` beside kubectl's.
#include <filesystem>
#include <regex>
#include <string>

#include <gmock/gmock.h>

#include "kubectl_twin.hpp"

namespace scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class KubecppDiffScenario : public KubectlTwin {
 protected:
  static std::string map(const std::string& data, const std::string& labels = "{app: web}") {
    return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, labels: " + labels +
           "}\ndata: " + data + "\n";
  }
  static std::string secret(const std::string& data) {
    return "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: " + data + "\n";
  }
  programs::Program::Options environment(const std::string& external = {}) const {
    programs::Program::Options options{.environment = {"TMPDIR=" + temporary_.path("")}};
    if (!external.empty()) options.environment.push_back("KUBECTL_EXTERNAL_DIFF=" + external);
    return options;
  }
  // Without folders, times and what the server chooses.
  static programs::Outcome normalised(programs::Outcome outcome) {
    for (const auto& [pattern, with] : std::vector<std::pair<std::string, std::string>>{
             {"[^ ]*/(LIVE|MERGED)-[0-9A-Za-z]+", "$1"},
             {"\t[0-9]{4}-[^\n]*", ""},
             {"(uid|creationTimestamp|resourceVersion|time): [^\n]*", "$1"}}) {
      outcome.out = std::regex_replace(outcome.out, std::regex(pattern), with);
    }
    return outcome;
  }
  programs::Outcome diff(const std::string& text, const Arguments& more = {},
                         const std::string& external = {}) const {
    Arguments arguments = {"diff", "-f", folder_.write("objects.yaml", text)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::string line;
    for (const std::string& each : arguments) line += each + " ";
    SCOPED_TRACE(line + external + "\n" + text);
    const auto mine = normalised(ours(programs::run(our_line(arguments), environment(external))));
    if (has_kubectl()) {
      auto other = normalised(theirs(programs::run(their_line(arguments), environment(external))));
      // Of a Secret that does not exist, it prints that it is null.
      other.out = std::regex_replace(other.out, std::regex("@@ -1 (.*)\n-null\n"), "@@ -0,0 $1\n");
      EXPECT_EQ(mine.out, other.out);
      EXPECT_EQ(mine.err, other.err);
      EXPECT_EQ(mine.status, other.status);
    }
    EXPECT_TRUE(std::filesystem::is_empty(temporary_.path(""))) << "a folder was left behind";
    return mine;
  }
  void apply_both(const std::string& text) const {
    EXPECT_EQ(both({"apply", "-f", folder_.write("applied.yaml", text)}).status, 0);
  }

  const programs::TemporaryFolder temporary_;
};

TEST_F(KubecppDiffScenario, PrintsWhatAnApplyWouldChange) {
  const auto created = diff(map("{a: '1'}"));
  EXPECT_EQ(created.status, 1);
  EXPECT_THAT(
      created.out,
      HasSubstr("diff -u -N LIVE/v1.ConfigMap.NAMESPACE.c MERGED/v1.ConfigMap.NAMESPACE.c\n"));
  EXPECT_THAT(created.out, HasSubstr("+  a: \"1\"\n"));
  EXPECT_EQ(both({"get", "cm/c"}).status, 1) << "nothing is created";

  apply_both(map("{a: '1', b: '2'}"));
  const auto same = diff(map("{a: '1', b: '2'}"));
  EXPECT_EQ(same.status, 0);
  EXPECT_EQ(same.out, "");
  const auto changed = diff(map("{a: '3'}"));
  EXPECT_EQ(changed.status, 1);
  EXPECT_THAT(changed.out, HasSubstr("-  a: \"1\"\n-  b: \"2\"\n+  a: \"3\"\n"));
  diff(map("{a: '1', b: '2'}", "{app: db, tier: x}"));
  diff(map("{a: '3'}") + "---\n" + secret("{k: v}") + "---\n" +
       "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: "
       "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: "
       "m, image: i}]}}}}");
  EXPECT_EQ(diff(map("{a: '3'}"), {"-l", "app=none"}).status, 0);
  EXPECT_EQ(diff(map("{a: '3'}") + "---\n" + secret("{k: v}"), {"--concurrency", "3"}).status, 1);
}

TEST_F(KubecppDiffScenario, ValuesOfSecretsAreMasked) {
  const auto created = diff(secret("{key: value-of-key}"));
  EXPECT_THAT(created.out, HasSubstr("key: '***'"));
  apply_both(secret("{key: value-of-key, same: value-of-same, gone: value-of-gone}"));
  const auto changed = diff(secret("{key: another, same: value-of-same, new: value-of-new}"));
  EXPECT_EQ(changed.status, 1);
  EXPECT_THAT(changed.out, HasSubstr("-  key: '*** (before)'\n"));
  EXPECT_THAT(changed.out, HasSubstr("+  key: '*** (after)'\n"));
  EXPECT_THAT(changed.out, Not(HasSubstr("value-of")));
  EXPECT_EQ(diff(secret("{key: another}"), {"--show-secrets"}).status, 1);
}

TEST_F(KubecppDiffScenario, FailuresHaveAnotherStatusThanDifferences) {
  EXPECT_EQ(diff(map("{a: '1'}"), {"--force-conflicts"}).status, 2);
  const auto bad = diff("{apiVersion: v1, kind: ConfigMap, metadata: {name: BAD}}");
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.err, HasSubstr("The ConfigMap \"BAD\" is invalid"));
  apply_both(map("{}"));
  EXPECT_EQ(diff(map("{}", "{app: 'not valid'}")).status, 2);
  EXPECT_EQ(kubecpp({"diff"}).err, "kubecpp: must specify -f\n");
  EXPECT_EQ(kubecpp({"diff"}).status, 2);
  EXPECT_EQ(kubecpp({"diff", "--no-such-flag"}).status, 2);
  EXPECT_EQ(diff("{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}").status, 2);
  diff("{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: other}}");
}

TEST_F(KubecppDiffScenario, AnotherProgramMayCompare) {
  apply_both(map("{a: '1'}"));
  const std::string changed = map("{a: '2'}");
  EXPECT_EQ(diff(changed, {}, "diff -r --brief -x;y").status, 1);
  const auto missing = diff(changed, {}, "no-such-program-of-diff");
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.err,
            "failed to run \"no-such-program-of-diff\": executable file not found in $PATH\n");
  EXPECT_EQ(diff(changed, {}, "diff --no-such-flag-of-diff").status, 2);
  EXPECT_EQ(diff(changed, {}, "true").status, 0);
}

TEST_F(KubecppDiffScenario, TheServerMayCompute) {
  apply_both(map("{a: '1', b: '2'}"));
  const auto first = diff(map("{a: '2', b: '2'}"), {"--server-side", "--force-conflicts"});
  if (!has(Capability::ServerSideApply)) {
    EXPECT_EQ(first.status, 2);
    GTEST_SKIP() << without(Capability::ServerSideApply);
  }
  EXPECT_EQ(first.status, 1);
  EXPECT_THAT(first.out, HasSubstr("+  a: \"2\"\n"));
  const std::string changed = map("{a: '2', b: '2'}");
  EXPECT_EQ(diff(changed, {"--server-side"}).status, 1) << "no conflict with ourselves";
  const auto refused = diff(changed, {"--server-side", "--field-manager=other"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("conflict with \"kubectl-client-side-apply\""));
  const auto managed =
      diff(map("{a: '1', b: '2', c: '3'}"),
           {"--server-side", "--field-manager=other", "--show-managed-fields"}, "diff -U1000");
  EXPECT_EQ(managed.status, 1);
}

}  // namespace
}  // namespace scenarios
