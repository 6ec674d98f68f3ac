// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

namespace kube::bench {

/// The program of bench/peers/codec: asked one operation at a time, idle in between.
class Peer {
 public:
  /// Starts it on a folder of samples; it has read and checked them when this answers. Nothing, and
  /// a line on standard error, when it does not get that far.
  static std::optional<Peer> start(const std::filesystem::path& program,
                                   const std::filesystem::path& samples);
  Peer(Peer&& other) noexcept;
  Peer& operator=(Peer&&) = delete;
  /// Ends it.
  ~Peer();

  /// Nanoseconds of processor time a pod; nothing when it has ended.
  std::optional<double> measure(const std::string& operation, const std::string& set,
                                int milliseconds);

 private:
  Peer(int process, std::FILE* to, std::FILE* from) : process_(process), to_(to), from_(from) {}
  std::optional<std::string> read_line();

  int process_;
  std::FILE* to_;
  std::FILE* from_;
};

}  // namespace kube::bench
