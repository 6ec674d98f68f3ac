// SPDX-License-Identifier: Apache-2.0
//
// The client of a scenario, from outside.
#pragma once

#include <string>

#include <kube/json/value.hpp>

#include "child_program.hpp"
#include "scenario.hpp"

namespace faults {

class ClientProcess {
 public:
  ClientProcess(const std::string& program, const Setup& setup, const std::string& url,
                const std::string& ca);

  void start() { program_.write("start\n"); }
  /// Null when it has died.
  kube::json::Value figures();
  /// Its exit status; -1 when it does not end.
  int stop();
  std::string complaints() const { return program_.err(); }

 private:
  programs::Program program_;
  int asked_ = 0;
};

}  // namespace faults
