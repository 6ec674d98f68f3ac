// SPDX-License-Identifier: Apache-2.0
//
// Compares the records of kinds with the resources that are served.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "resources/resource_table.hpp"

namespace kube::apiserver {

using namespace serving;

namespace {

TEST(Kinds, ChangesOfTheseAreNotCountedThoughTheyHaveAStatus) {
  std::set<std::string> uncounted;
  std::set<std::string> counted_without_status;
  const ResourceRegistry registry;
  const auto table = registry.table();
  for (const ServedGroup& group : table->groups()) {
    for (const ServedVersion& version : group.versions) {
      for (const auto& resource : version.resources) {
        if (resource->has_generation == resource->has_status()) continue;
        auto& names = resource->has_status() ? uncounted : counted_without_status;
        names.insert(resource->plural);
      }
    }
  }
  const std::set<std::string> expected = {
      "apiservices",    "certificatesigningrequests", "csinodes",          "namespaces",
      "nodes",          "persistentvolumeclaims",     "persistentvolumes", "podcertificaterequests",
      "resourceclaims", "resourcepoolstatusrequests", "resourcequotas",    "servicecidrs",
      "services",       "storageversionmigrations",   "storageversions",   "volumeattachments"};
  EXPECT_EQ(uncounted, expected);
  EXPECT_EQ(counted_without_status.count("networkpolicies"), 1U);
  EXPECT_EQ(counted_without_status.count("configmaps"), 0U);
}

}  // namespace
}  // namespace kube::apiserver
