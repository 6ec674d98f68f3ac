// SPDX-License-Identifier: Apache-2.0
#include "peer.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

namespace kube::bench {

std::optional<Peer> Peer::start(const std::filesystem::path& program,
                                const std::filesystem::path& samples) {
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  if (pipe(to.data()) != 0 || pipe(from.data()) != 0) return std::nullopt;
  const pid_t process = fork();
  if (process < 0) return std::nullopt;
  if (process == 0) {
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    for (const int end : {to[0], to[1], from[0], from[1]}) close(end);
    execl(program.c_str(), program.c_str(), samples.c_str(), nullptr);
    std::perror(program.c_str());
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  Peer peer(process, fdopen(to[1], "w"), fdopen(from[0], "r"));
  if (peer.read_line() != "ready\n") return std::nullopt;
  return peer;
}

Peer::Peer(Peer&& other) noexcept
    : process_(std::exchange(other.process_, 0)), to_(other.to_), from_(other.from_) {}

Peer::~Peer() {
  if (process_ == 0) return;
  std::fclose(to_);  // the end of its input ends it
  std::fclose(from_);
  waitpid(process_, nullptr, 0);
}

std::optional<std::string> Peer::read_line() {
  std::array<char, 256> line{};
  if (std::fgets(line.data(), line.size(), from_) == nullptr) return std::nullopt;
  return std::string(line.data());
}

std::optional<double> Peer::measure(const std::string& operation, const std::string& set,
                                    int milliseconds) {
  std::fprintf(to_, "%s %s %d\n", operation.c_str(), set.c_str(), milliseconds);
  std::fflush(to_);
  const auto line = read_line();
  if (!line) return std::nullopt;
  return std::strtod(line->c_str(), nullptr);
}

}  // namespace kube::bench
