// SPDX-License-Identifier: Apache-2.0
//
// The programs under test are run from outside.
#pragma once

#include "child_program.hpp"
#include "tcp_server.hpp"
#include "temporary_folder.hpp"

namespace kubecpp {

using programs::Outcome;
using programs::Program;
using programs::run;
using programs::TcpServer;
using programs::TemporaryFolder;

}  // namespace kubecpp
