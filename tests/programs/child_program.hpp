// SPDX-License-Identifier: Apache-2.0
//
// A program under test, from outside: arguments, output, signals, exit status.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace programs {

/// A child process. Its output is read all the time, so it never waits for a full pipe. For one
/// thread.
class Program {
 public:
  struct Options {
    std::string stdout_file{};               ///< Instead of a pipe that the test reads.
    std::vector<std::string> environment{};  ///< "NAME=value", PATH, no cache of kubectl.
    bool stdin_pipe = false;                 ///< For write(); else it is this process's.
  };
  /// The first argument is the program: a path, or a name that is looked for in PATH.
  explicit Program(std::vector<std::string> arguments);
  Program(std::vector<std::string> arguments, Options options);
  ~Program();  ///< Kills it if it still runs.
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Waits until its output holds the text; false when it ended, or kPatience passed, without.
  bool prints(const std::string& text);
  bool complains(const std::string& text);
  /// To its standard input; false when it reads no more.
  bool write(const std::string& text);
  std::string out() const;
  std::string err() const;
  void send(int signal) const;
  pid_t process() const { return process_; }
  /// The reader of its output leaves.
  void close_stdout();
  /// Waits for its end and for all of its output: the exit status, 128 and the signal that killed
  /// it, or -1 after kPatience.
  int wait();

 private:
  struct Stream {
    int file = -1;
    std::string text{};
    bool ended = false;
    std::thread reader{};
  };
  void read(Stream& stream);
  bool await(const Stream& stream, const std::string& text);

  pid_t process_ = -1;
  int status_ = -1;
  int wake_[2] = {-1, -1};  // ends the readers
  int in_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Stream out_;
  Stream err_;
};

/// Runs it to its end.
struct Outcome {
  int status = -1;
  std::string out{};
  std::string err{};
};
Outcome run(std::vector<std::string> arguments, Program::Options options = {});

}  // namespace programs
