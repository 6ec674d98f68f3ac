// SPDX-License-Identifier: Apache-2.0
//
// Connects the standard streams of this program to those of a remote process: exec and attach.
#pragma once

#include <stop_token>

#include <kube/base/result.hpp>
#include <kube/remote/remote_command.hpp>

#include "output.hpp"

namespace kubecpp {

/// What a session needs of standard input.
struct InputPlan {
  bool pass = false;      ///< Standard input is passed on.
  bool terminal = false;  ///< As a raw terminal, with its size; then there is no standard error.
};

/// Returns what -i and -t mean here: without -i nothing is passed on, and without a terminal there
/// is none; then it prints kubectl's note unless `quiet`.
InputPlan plan_input(bool stdin_wanted, bool tty_wanted, bool quiet);

/// Passes bytes on in both directions, as they are, until the session ends; returns the exit code
/// of the remote process. The terminal is restored in any case. When the reader of standard output
/// has left, the session is stopped and the result is 0.
/// @param redraw   Tell the process another size of the terminal first, so that it draws again.
/// @par Errors   Those of kube::remotecommand::copy_output().
kube::Result<int> run_streams(kube::remotecommand::Session& session, const InputPlan& plan,
                              bool redraw, Output& out, const std::stop_token& stop);

/// Prints the result of a session and returns the exit status: "command terminated with exit code
/// 3" for a code that is not 0.
int report_session(const kube::Result<int>& exit_code, const Output& out);

}  // namespace kubecpp
