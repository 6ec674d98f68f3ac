// SPDX-License-Identifier: Apache-2.0
//
// The programs under test are run from outside.
#pragma once

#include "child_program.hpp"
#include "temporary_folder.hpp"

namespace kubecpp {

using programs::Outcome;
using programs::Program;
using programs::run;
using programs::TemporaryFolder;

}  // namespace kubecpp
