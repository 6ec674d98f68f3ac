// SPDX-License-Identifier: Apache-2.0
#include <kube/base/similar_names.hpp>

#include <gtest/gtest.h>

namespace kube {
namespace {

std::string hint(std::string_view wanted, const std::vector<std::string>& names) {
  SimilarNames similar(wanted);
  for (const std::string& name : names) similar.add(similar.mistakes(name), name);
  return similar.hint();
}

TEST(SimilarNames, AreTheNearestFirst) {
  EXPECT_EQ(hint("replcas", {"revision", "replicaSets", "replicas"}), "; similar: replicas");
  EXPECT_EQ(hint("Contianers", {"initContainers", "containers"}), "; similar: containers");
  EXPECT_EQ(hint("nod", {"nodeSelector", "node", "pods"}), "; similar: nodeSelector, node");
  EXPECT_EQ(hint("xyz", {"containers", "name"}), "");
  EXPECT_EQ(hint("", {"containers"}), "");
}

TEST(SimilarNames, AreFiveAtMostAndEachOnce) {
  EXPECT_EQ(hint("abc", {"abc1", "abc2", "abc1", "abc3", "abc4", "abc5", "abc6"}),
            "; similar: abc1, abc2, abc3, abc4, abc5");
}

}  // namespace
}  // namespace kube
