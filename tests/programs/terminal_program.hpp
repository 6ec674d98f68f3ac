// SPDX-License-Identifier: Apache-2.0
//
// A program under test on a terminal of its own.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace programs {

/// A child process whose standard streams are a terminal, and whose controlling terminal it is. For
/// one thread.
class TerminalProgram {
 public:
  /// The first argument is the program, as for Program.
  TerminalProgram(const std::vector<std::string>& arguments, unsigned short columns,
                  unsigned short rows);
  ~TerminalProgram();  ///< Kills it if it still runs.
  TerminalProgram(const TerminalProgram&) = delete;
  TerminalProgram& operator=(const TerminalProgram&) = delete;

  void type(const std::string& text);
  /// Changes the size, as a user does with a window.
  void resize(unsigned short columns, unsigned short rows);
  /// Waits until the screen has shown the text; false when kPatience passed without.
  bool shows(const std::string& text);
  /// All that it has shown.
  const std::string& text();
  /// The modes of the terminal, to be compared.
  std::string modes() const;
  void send(int signal) const;
  /// As Program::wait().
  int wait();

 private:
  bool read_some(int milliseconds);

  int master_ = -1;
  int terminal_ = -1;  // held open, so that its modes remain after the program
  pid_t process_ = -1;
  std::string text_;
};

}  // namespace programs
