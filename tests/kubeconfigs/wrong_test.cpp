// SPDX-License-Identifier: Apache-2.0
//
// modules/config/tests has what the library says of wrong kubeconfigs, and what kubectl says: this
// is what kubectl says.
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "child_program.hpp"
#include "kubectl.hpp"
#include "temporary_directory.hpp"
#include "wrong_kubeconfigs.hpp"

namespace kubeconfigs {
namespace {

using kube::kubeconfig::WrongKubeconfig;

std::string printed_by_kubectl(const std::string& kubeconfig) {
  const kube::rest::TemporaryDirectory folder;
  const std::string file = folder.write("F", kubeconfig);
  std::string text = programs::run({"kubectl", "--kubeconfig", file, "get", "pods"}).err;
  text = std::regex_replace(text, std::regex("(^|\n)E[0-9]{4} [^\n]*(?=\n)"), "");
  text.erase(0, text.find_first_not_of('\n'));
  while (text.ends_with('\n')) text.pop_back();
  for (std::size_t at; (at = text.find(file)) != std::string::npos;) {
    text.replace(at, file.size(), "F");
  }
  return text;
}

void expect_words_of_kubectl(const WrongKubeconfig& wrong) {
  // It is not for a test to talk to whatever listens there.
  if (wrong.kubectl == kube::kubeconfig::kOtherServer) return;
  EXPECT_EQ(printed_by_kubectl(wrong.text), wrong.kubectl) << wrong.what;
}

TEST(WrongKubeconfigs, KubectlPrintsWhatIsBesideTheWordsOfTheLibrary) {
  if (!programs::has_recent_kubectl())
    GTEST_SKIP() << "needs a kubectl in PATH that is recent enough, as ./dev nightly scenarios has";
  for (const WrongKubeconfig& wrong : kube::kubeconfig::kWrong) expect_words_of_kubectl(wrong);
  for (const WrongKubeconfig& wrong : kube::kubeconfig::kUnusable) expect_words_of_kubectl(wrong);
}

}  // namespace
}  // namespace kubeconfigs
