// SPDX-License-Identifier: Apache-2.0
//
// The program that prints the differences of two folders.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/result.hpp>

namespace kubecpp {

/// Returns the command line: `diff -u -N LEFT RIGHT`, or `PROGRAM LEFT RIGHT FLAG...` with the
/// words of $KUBECTL_EXTERNAL_DIFF. As in kubectl, words with characters other than letters,
/// digits, "-" and "=" are left out.
std::vector<std::string> diff_command_line(const std::string& left, const std::string& right);

/// Runs it with the output and errors of this program, and returns its exit status: 0 or 1.
/// @par Errors   Config, in kubectl's words, when it can't be run or ends otherwise. Cancelled: a
///   stop has ended it.
/// @par Blocks   Until the program ends.
kube::Result<int> run_diff_program(const std::string& left, const std::string& right,
                                   const std::stop_token& stop);

}  // namespace kubecpp
