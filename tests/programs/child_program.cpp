// SPDX-License-Identifier: Apache-2.0
#include "child_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <kube/testing/eventually.hpp>

namespace programs {
namespace {

using kube::testing::kPatience;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Program::Program(std::vector<std::string> arguments) : Program(std::move(arguments), Options{}) {}

Program::Program(std::vector<std::string> arguments, Options options) {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  std::array<int, 2> in{-1, -1};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0 ||
      ::pipe2(wake_, O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe");
  }
  // A pair of sockets, so that writing to one that has ended raises no signal.
  if (options.stdin_pipe && ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in.data()) != 0) {
    throw std::runtime_error("no pair of sockets");
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (options.stdout_file.empty()) {
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, options.stdout_file.c_str(), O_WRONLY,
                                     0);
  }
  posix_spawn_file_actions_adddup2(&files, err[1], STDERR_FILENO);
  if (options.stdin_pipe) posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
  // The sockets of a server in this process among them, which would not close with it.
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  if (const char* path = std::getenv("PATH")) {
    options.environment.push_back(std::string("PATH=") + path);
  }
  // Without a home, kubectl would put its cache into the working directory.
  const bool has_home = std::any_of(
      options.environment.begin(), options.environment.end(), [](const std::string& each) {
        return each.starts_with("HOME=") || each.starts_with("KUBECACHEDIR=");
      });
  if (!has_home) options.environment.emplace_back("KUBECACHEDIR=/dev/null/none");
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A shell's job in the background has them ignored, and so would what runs here.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGHUP, SIGINT, SIGQUIT}) sigaddset(&signals, each);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int failed =
      ::posix_spawnp(&process_, arguments.front().c_str(), &files, &attributes,
                     pointers(arguments).data(), pointers(options.environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  ::close(out[1]);
  ::close(err[1]);
  if (in[0] >= 0) ::close(in[0]);
  in_ = in[1];
  if (failed != 0) throw std::runtime_error("cannot start " + arguments.front());
  out_.file = out[0];
  err_.file = err[0];
  out_.reader = std::thread([this] { read(out_); });
  err_.reader = std::thread([this] { read(err_); });
}

Program::~Program() {
  if (status_ < 0 && process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  if (in_ >= 0) ::close(in_);
  ::close(wake_[1]);
  out_.reader.join();
  err_.reader.join();
  ::close(wake_[0]);
  for (const Stream* stream : {&out_, &err_}) {
    if (stream->file >= 0) ::close(stream->file);
  }
}

void Program::read(Stream& stream) {
  std::array<char, 65536> buffer{};
  for (;;) {
    std::array<pollfd, 2> files = {pollfd{.fd = stream.file, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = wake_[0], .events = POLLIN, .revents = 0}};
    ssize_t count = 0;
    if (::poll(files.data(), files.size(), -1) > 0 && files[0].revents != 0) {
      count = ::read(stream.file, buffer.data(), buffer.size());
    }
    const std::lock_guard lock(mutex_);
    if (count > 0) {
      stream.text.append(buffer.data(), static_cast<std::size_t>(count));
    } else {
      stream.ended = true;
    }
    changed_.notify_all();
    if (stream.ended) return;
  }
}

bool Program::await(const Stream& stream, const std::string& text) {
  std::unique_lock lock(mutex_);
  const auto found = [&] { return stream.text.find(text) != std::string::npos; };
  changed_.wait_for(lock, kPatience, [&] { return found() || stream.ended; });
  return found();
}

bool Program::prints(const std::string& text) {
  return await(out_, text);
}
bool Program::complains(const std::string& text) {
  return await(err_, text);
}

bool Program::write(const std::string& text) {
  return ::send(in_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

std::string Program::out() const {
  const std::lock_guard lock(mutex_);
  return out_.text;
}
std::string Program::err() const {
  const std::lock_guard lock(mutex_);
  return err_.text;
}

void Program::send(int signal) const {
  ::kill(process_, signal);
}

void Program::close_stdout() {
  // The standard error's reader ends with it; what comes later stays in the pipe.
  ::close(wake_[1]);
  wake_[1] = -1;
  out_.reader.join();
  out_.reader = std::thread([] {});
  ::close(out_.file);
  out_.file = -1;
}

int Program::wait() {
  if (status_ >= 0) return status_;
  int status = 0;
  if (!kube::testing::eventually([&] { return ::waitpid(process_, &status, WNOHANG) != 0; })) {
    return -1;
  }
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [this] { return out_.ended && err_.ended; });
  return status_;
}

Outcome run(std::vector<std::string> arguments, Program::Options options) {
  Program program(std::move(arguments), std::move(options));
  Outcome outcome;
  outcome.status = program.wait();
  outcome.out = program.out();
  outcome.err = program.err();
  return outcome;
}

}  // namespace programs
