// SPDX-License-Identifier: Apache-2.0
//
// simulate: runs the scenarios of the library by seed.
#include "scenarios.hpp"

int main(int argc, char** argv) {
  return kube::testing::simulation_main(argc, argv, kube::simulated::all_scenarios());
}
