// SPDX-License-Identifier: Apache-2.0
//
// The terminal of this program: raw mode, which always ends, and its size.
#pragma once

#include <optional>

#include <kube/remote/remote_command.hpp>

namespace kubecpp {

/// Returns whether standard input is a terminal.
bool input_is_terminal();

/// The size of the terminal that standard output is, or standard input; nullopt for none.
std::optional<kube::remotecommand::TerminalSize> terminal_size();

/// While it lives, the terminal of standard input passes on each key as it is pressed, Ctrl-C too.
/// A signal that ends the program (SIGHUP, SIGQUIT, SIGABRT) restores it first; for those of
/// StopSignal call restore(). At most one at a time.
///
/// @par Thread safety   restore() may be called from any thread.
class RawTerminal {
 public:
  RawTerminal();
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  static void restore();
};

/// While it lives, SIGWINCH writes to a file descriptor.
class WindowChanges {
 public:
  /// @param file   An eventfd. -1: the signal stays ignored.
  explicit WindowChanges(int file);
  ~WindowChanges();
  WindowChanges(const WindowChanges&) = delete;
  WindowChanges& operator=(const WindowChanges&) = delete;
};

}  // namespace kubecpp
